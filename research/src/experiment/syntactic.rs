//! Chowdhury et al. 2002, section 4.2, Table II: one hash of the terms that 32 syntactic filters
//! leave.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{approach, resemblance, search};
use anyhow::Result;
use lookalike_core::fingerprint::token;
use lookalike_text::{FilterScratch, TermFilter, TermRule};
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "syntactic",
    title: "Syntactic filters (Chowdhury et al. 2002, Table II)",
    needs: &[Kind::Web],
    run,
};

/// Table II: percent of the lexicon, percent found as duplicates; its rows in the order of
/// [`TermFilter::table_ii`], 16 without stemming and 16 with it.
const PAPER: [[(f64, f64); 8]; 4] = [
    [
        (100.0, 62.2),
        (99.9, 62.2),
        (93.2, 62.4),
        (93.2, 62.4),
        (60.1, 82.4),
        (60.1, 82.4),
        (53.4, 82.7),
        (53.4, 82.7),
    ],
    [
        (9.5, 87.4),
        (9.4, 87.4),
        (7.0, 88.0),
        (6.9, 88.0),
        (9.5, 87.4),
        (9.4, 87.4),
        (7.0, 88.0),
        (6.9, 88.0),
    ],
    [
        (80.4, 62.2),
        (80.4, 62.2),
        (78.2, 62.4),
        (78.2, 62.4),
        (41.2, 82.4),
        (41.2, 82.4),
        (39.0, 82.7),
        (39.0, 82.7),
    ],
    [
        (6.9, 87.4),
        (6.9, 87.4),
        (5.2, 88.0),
        (5.2, 88.0),
        (6.9, 87.4),
        (6.9, 87.4),
        (5.2, 88.0),
        (5.2, 88.0),
    ],
];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    page.say(
        "Each filter removes terms from the documents; documents with the same set of remaining \
         terms are duplicates. *Kept* is the share of the collection's distinct terms that \
         remain, *found* the share of the documents that are not the first of their kind, \
         *unique* the number of kinds. The web collections are one collection here; of the mail \
         it is the last one. The paper's collection, Excite@Home, consists of pages that all have \
         a duplicate.",
    );
    let web = Corpus::joined(&collections.web)?;
    for corpus in std::iter::once(&web).chain(collections.mail.last()) {
        table(corpus, page)?;
    }
    page.say(
        "As in the paper, stronger filters find more, stop words and stemming add little, and \
         special characters add much, most of all on mail; on our pages terms under five \
         characters (cell values and version numbers) matter more. The paper's lexicon shrinks to \
         a tenth with `nosc` and to 60 % with `tl25`, ours hardly: its tokens were whatever white \
         space delimits, ours are words already, so that most of what those two remove is no term \
         here. The shares found are lower because our collections, unlike Excite@Home, are mostly \
         of documents that have no duplicate.",
    );
    Ok(())
}

/// The table of one collection.
fn table(corpus: &Corpus, page: &mut Page) -> Result<()> {
    let (mut rows, mut found_by) = (Vec::new(), Vec::new());
    let all = terms_left(corpus, TermFilter::ALL)?;
    let documents = corpus.len() as u64;
    for (filter, paper) in TermFilter::table_ii().zip(PAPER.as_flattened()) {
        let approach = approach(&format!("syntactic:filter={filter}"), None)?;
        let found = search(corpus, approach, resemblance("0.8")?, false)?;
        let unique = found.cluster_sizes().iter().filter(|&&size| size > 0).count() as u64;
        found_by.push(documents - unique);
        rows.push(row![
            filter,
            format!("{:.1} %", paper.0),
            percent(terms_left(corpus, filter)?, all),
            format!("{:.1} %", paper.1),
            percent(documents - unique, documents),
            unique,
            found.signed.ignored(),
        ]);
    }
    page.say(format_args!("### {} ({documents} documents)", corpus.name));
    let header =
        ["filter", "kept (paper)", "kept", "found (paper)", "found", "unique", "no term left"];
    page.table(&header, &rows);
    let gain = |row: usize| found_by[row] as i64 - found_by[0] as i64;
    page.say(format_args!(
        "Documents found in addition to those found without a filter: {} with `stop`, {} with \
         `tg5`, {} with `tl25`, {} with `nosc`, {} with `stem`, {} with all five.",
        gain(1),
        gain(2),
        gain(4),
        gain(8),
        gain(16),
        gain(31),
    ));
    Ok(())
}

/// Distinct terms that a filter leaves of a collection.
///
/// Special characters are between tokens, so there are two lexicons, with and without; what the
/// other rules make of a term they make of it anywhere.
fn terms_left(corpus: &Corpus, filter: TermFilter) -> Result<u64> {
    let lexicon = corpus.lexicon(if filter.has(TermRule::Nosc) { "nosc" } else { "" })?;
    let mut scratch = FilterScratch::default();
    let mut left = BTreeSet::new();
    for term in lexicon.terms() {
        left.extend(filter.term(term.name, &mut scratch).map(token));
    }
    Ok(left.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn terms_are_counted_as_a_lexicon_counts_them() {
        let corpus = corpus(&["connected connecting the and/or 12 connection", "wires x=1 wire"]);
        for filter in TermFilter::table_ii() {
            let counted = corpus.lexicon(&filter.to_string()).unwrap().len() as u64;
            assert_eq!(terms_left(&corpus, filter).unwrap(), counted, "{filter}");
        }
    }
}
