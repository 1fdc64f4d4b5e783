//! Kołcz et al. 2004, figure 2; Kołcz & Chowdhury 2008, figures 3 and 4 and footnote 4: recall and
//! precision of randomized I-Match on web pages, against cosine ≥ 0.9, beside megashingles.

use super::quality::{Quality, judge};
use super::rules::{LEGEND, RULES};
use super::web_queries::{SEEDS, WebQueries};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{approach, resemblance, search};
use anyhow::Result;
use lookalike_lexicon::Lexicon;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cosine-recall",
    title: "Recall and precision on web pages (Kołcz et al. 2004, figure 2; 2008, figures 3 and 4)",
    needs: &[Kind::Web, Kind::News],
    run,
};

const MOST_COPIES: usize = 10;
/// Recall and precision of megashingles in footnote 4, "roughly equivalent to I-Match utilizing the
/// SGML collection with 5 randomized lexicons".
const PAPER_MEGASHINGLES: (f64, f64) = (0.668, 0.758);

/// How the command counts the same queries and true neighbours.
const REPEAT: &str = "Pages are compared however few their terms, so the command needs `--min-features 1`: by default \
    it compares documents of fewer than ten terms for equal words only. `lookalike cluster PAGES --measure cosine \
    --terms kolcz --threshold 0.9 --min-features 1` finds these queries (its duplicates and clusters, together), and \
    `lookalike evaluate PAGES --measure cosine --terms kolcz --threshold 0.9 --min-features 1 --lexicon LEXICON \
    --methods 'imatch-random:nidf=0.2..0.8,copies=0|5|10,drop=0.33,seed=1,min=5,terms=kolcz'` what rule B finds in the \
    first drawing, with recall and precision over pairs and not as means over queries; LEXICON is made by `lookalike \
    lexicon build NEWS --terms kolcz --output LEXICON`.";

impl WebQueries {
    /// For each number of copies and each rule.
    fn measure(&self, lexicon: &Arc<Lexicon>) -> Result<Vec<[Quality; RULES.len()]>> {
        let mut rows = vec![[Quality::default(); RULES.len()]; MOST_COPIES + 1];
        let copies: Vec<usize> = (0..=MOST_COPIES).collect();
        for (at, rule) in RULES.iter().enumerate() {
            let by_copies = self.quality("0.2..0.8", rule.parameters, &copies, lexicon)?;
            rows.iter_mut().zip(by_copies).for_each(|(row, quality)| row[at] = quality);
        }
        Ok(rows)
    }

    /// Footnote 4.
    fn megashingles(&self) -> Result<Quality> {
        let found = search(&self.web, approach("megashingles", None)?, resemblance("0.8")?, true)?;
        Ok(judge(&self.queries, &self.truth, &found.neighbours()))
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let queries = WebQueries::new(collections)?;
    let web = &queries.web;
    let news = Corpus::joined(&collections.news)?;
    page.say(format_args!(
        "Every document of {} ({}) that has another one at a cosine of 0.9 or more is a query: {}. Truth \
         is the exact join over terms of four characters and at most one digit. Recall is the share of a \
         query's true neighbours that it has a signature in common with, precision the share of those it \
         meets that are true, both as means over queries and without the query itself; *pure* is the share \
         of queries that meet true neighbours only. One lexicon is of the pages themselves, the other of \
         {} ({} documents); both are the terms of nidf 0.2 to 0.8. Each row is the mean of {SEEDS} \
         drawings of the copies (p = 0.33, seeds 1 to {SEEDS}).",
        web.name, web.len(), queries.queries.len(), news.name, news.len(),
    ));
    page.say(REPEAT);
    page.say(LEGEND);
    let own = queries.measure(&web.lexicon("kolcz")?)?;
    let of_news = queries.measure(&news.lexicon("kolcz")?)?;
    for (name, rows) in [("of the pages themselves", &own), ("of news", &of_news)] {
        page.say(format_args!("Recall, precision and pure with the lexicon {name}:"));
        let names = RULES.map(|rule| rule.name);
        let cells = rows.iter().enumerate().map(|(copies, row)| {
            row![copies].into_iter().chain(row.map(Quality::cell)).collect::<Vec<_>>()
        });
        page.table(&[&["K"][..], &names[..]].concat(), cells.collect::<Vec<_>>());
    }
    page.say(compare(&own, &of_news));
    page.say(purity(&own, &of_news));
    footnote(page, queries.megashingles()?, &of_news[5]);
    Ok(())
}

/// What rises, by how much, and which lexicon finds more.
fn compare(own: &[[Quality; RULES.len()]], news: &[[Quality; RULES.len()]]) -> String {
    let last = MOST_COPIES;
    let gain = |rows: &[[Quality; RULES.len()]], rule: usize, to: usize| {
        rows[to][rule].recall - rows[0][rule].recall
    };
    let per_rule = RULES.iter().enumerate().map(|(at, rule)| {
        let of = |rows: &[[Quality; RULES.len()]]| {
            format!(
                "{:+.0} % ({} of it by the first five)",
                100.0 * gain(rows, at, last) / rows[0][at].recall.max(1e-9),
                percent((gain(rows, at, 5) * 1e6) as u64, (gain(rows, at, last) * 1e6) as u64)
            )
        };
        let better = |copies: usize| {
            if news[copies][at].recall > own[copies][at].recall { "news" } else { "their own" }
        };
        format!(
            "{}: recall rises by {} with their own lexicon and {} with that of news; the better one is {} \
             without copies and {} with {last}",
            rule.name,
            of(own),
            of(news),
            better(0),
            better(last)
        )
    });
    let [own, news] = [own, news].map(|rows| {
        let answered = rows[0].map(|quality| quality.answered);
        percent((answered[2] * 1000.0).round() as u64, 1000)
    });
    format!(
        "In figure 2 (1.7 million pages, a lexicon of 556 000 news stories) recall rises from somewhat under \
         0.6 to about 0.7 with the news lexicon and from about 0.4 to about 0.6 with their own, with little \
         gain after the first few copies, and precision falls slowly; clean news are the better lexicon at \
         every K. Ours, {}. The level of recall is lower than the paper's, since most of our pages are \
         documentation of software: whole families of pages differ in the name of one function, which is a \
         term of the lexicon, so that under B {own} (own) and {news} (news) of the queries find anything at \
         all without copies. Section 7.1.1 of the paper describes the same kind of pages.",
        per_rule.collect::<Vec<_>>().join(". ")
    )
}

/// Figure 4: the share of pure clusters over K, and which lexicon is more precise.
fn purity(own: &[[Quality; RULES.len()]], news: &[[Quality; RULES.len()]]) -> String {
    let last = MOST_COPIES;
    let per_rule = RULES.iter().enumerate().map(|(at, rule)| {
        let of = |rows: &[[Quality; RULES.len()]]| {
            let (from, to) = (rows[0][at].pure, rows[last][at].pure);
            format!("{from:.3} to {to:.3} ({:+.3})", to - from)
        };
        let more = (0..=last).filter(|&k| own[k][at].precision > news[k][at].precision).count();
        format!(
            "{}: own {}, news {}, own more precise at {more} of the {} numbers of copies",
            rule.name,
            of(own),
            of(news),
            last + 1
        )
    });
    let per_rule: Vec<String> = per_rule.collect();
    let changes = |rows: &[[Quality; RULES.len()]], falls: bool| {
        let fell = |at: &usize| rows[last][*at].pure < rows[0][*at].pure;
        (0..RULES.len()).filter(|at| fell(at) == falls).count()
    };
    format!(
        "In figure 4 the share of pure clusters falls slightly with the number of copies with the lexicon of news and \
         rises with the native one, which section 7.1 finds the more precise; precision itself falls. *Pure*, and its \
         change from no copies to {last}: {}. It falls with news under {} of the {} rules and rises with the own \
         lexicon under {}.",
        per_rule.join("; "),
        changes(news, true),
        RULES.len(),
        changes(own, false),
    )
}

fn footnote(page: &mut Page, mega: Quality, imatch: &[Quality; RULES.len()]) {
    page.say(
        "Footnote 4: megashingles (`megashingles`: 84 minima of word 5-shingles, six super shingles of 14, \
         their 15 pairs) on the same queries, beside K = 5 with the lexicon of news, to which the paper found \
         them \"roughly equivalent\".",
    );
    let line = |name: &str, of: &Quality| {
        let [recall, precision, answered] =
            [of.recall, of.precision, of.answered].map(|value| format!("{value:.3}"));
        row![name, "–", "–", recall, precision, answered]
    };
    let mut first = line("megashingles", &mega);
    first[1] = format!("{:.3}", PAPER_MEGASHINGLES.0);
    first[2] = format!("{:.3}", PAPER_MEGASHINGLES.1);
    let others = RULES.iter().zip(imatch);
    let rows: Vec<_> = [first]
        .into_iter()
        .chain(others.map(|(rule, of)| line(&format!("I-Match, K = 5, {}", rule.name), of)))
        .collect();
    let header =
        ["", "recall (paper)", "precision (paper)", "recall", "precision", "queries answered"];
    page.table(&header, rows);
    let higher = imatch.iter().filter(|of| of.recall > mega.recall).count();
    page.say(format_args!(
        "I-Match with five copies finds more than megashingles under {higher} of the {} rules. Both are \
         far below the paper's level, for the reason above; megashingles see every word of a page in its order, \
         so that pages which differ in a name on many lines share few of them.",
        RULES.len()
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purity_is_compared_rule_by_rule() {
        let rows = |from: f64, to: f64, precision: f64| {
            let at = |copies: usize| {
                let pure = from + (to - from) * copies as f64 / MOST_COPIES as f64;
                [Quality { pure, precision, ..Quality::default() }; RULES.len()]
            };
            (0..=MOST_COPIES).map(at).collect::<Vec<_>>()
        };
        let text = purity(&rows(0.5, 0.75, 0.9), &rows(0.75, 0.5, 0.8));
        assert!(
            text.contains("A: own 0.500 to 0.750 (+0.250), news 0.750 to 0.500 (-0.250)"),
            "{text}"
        );
        assert!(text.contains("own more precise at 11 of the 11 numbers of copies"));
        assert!(text.contains("under 4 of the 4 rules and rises with the own lexicon under 4."));
    }
}
