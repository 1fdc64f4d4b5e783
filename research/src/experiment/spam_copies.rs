//! Kołcz et al. 2004, figure 3; Kołcz & Chowdhury 2008, figure 6: recall on spam over the number of
//! copies of the lexicon.

use super::mails::{DRAWINGS, Mails, Score, conditions, table_of_queries};
use super::rules::{LEGEND, RULES, WINDOWS};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use anyhow::Result;
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "spam-copies",
    title: "Spam by the number of copies (Kołcz et al. 2004, figure 3; 2008, figure 6)",
    needs: &[Kind::Mail, Kind::News],
    run,
};

const MOST_COPIES: usize = 10;

/// Recall that the paper prints (Tables 2 and 3); the figure's other values are not printed.
fn paper(copies: usize) -> [String; 2] {
    let known =
        [(0, "0.66", "0.40"), (2, "0.72", "0.49"), (5, "0.76", "0.55"), (10, "0.80", "0.61")];
    let row = known.iter().find(|row| row.0 == copies);
    row.map_or(["–", "–"], |row| [row.1, row.2]).map(str::to_owned)
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let lexicon = news.lexicon("kolcz")?;
    let all = Mails::of(collections)?;
    let (low, high, _) = WINDOWS[0];
    page.say(conditions(&news, DRAWINGS));
    page.say(format_args!("{LEGEND} The lexicon's terms are those of nidf {low} to {high}."));
    table_of_queries(&all, DRAWINGS, page);
    let copies: Vec<usize> = (0..=MOST_COPIES).collect();
    let mut gains = Vec::new();
    for rule in &RULES {
        page.say(format_args!("Recall under rule {} (`{}`):", rule.name, rule.parameters));
        let measured = all
            .iter()
            .map(|mails| {
                let nidf = format!("{low}..{high}");
                mails.measure(
                    &nidf,
                    rule.parameters,
                    &copies,
                    &lexicon,
                    DRAWINGS,
                    &mut BTreeSet::new(),
                )
            })
            .collect::<Result<Vec<Vec<Score>>>>()?;
        let rows = copies.iter().map(|&copies| {
            let ours = measured.iter().map(|scores| format!("{:.3}", scores[copies].recall));
            row![copies].into_iter().chain(paper(copies)).chain(ours).collect::<Vec<_>>()
        });
        let names: Vec<&str> = all.iter().map(|mails| mails.corpus.name.as_str()).collect();
        let header = [&["K", "Honeypot (paper)", "Cluster (paper)"][..], &names[..]].concat();
        page.table(&header, rows.collect::<Vec<_>>());
        gains.push(format!("{} under {}", first_half(&measured), rule.name));
    }
    page.say(
        "![Figure 6: recall over the number of copies, rule B, filled: it rises fast with the first copies on every \
         collection and then flattens; the paper's two collections of spam beside them]\
         (methods/pictures/spam-copies.svg)",
    );
    page.say(
        "![Recall over the number of copies, means over the collections, under each of the four rules]\
         (methods/pictures/spam-rules.svg)",
    );
    page.say(format_args!(
        "Copies are added to those before, so the curves cannot fall. As in the figure they flatten: of what \
         ten copies add to recall, the first five add {} (means over collections); in the paper 71 % on \
         Honeypot and Cluster spam alike.",
        gains.join(", ")
    ));
    Ok(())
}

/// The share of the gain of all copies that the first half of them brings.
fn first_half(measured: &[Vec<Score>]) -> String {
    let gain = |at: usize| -> f64 {
        measured.iter().map(|scores| scores[at].recall - scores[0].recall).sum()
    };
    percent((gain(MOST_COPIES / 2) * 1e6) as u64, (gain(MOST_COPIES) * 1e6) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_shares_of_the_whole_gain() {
        let scores: Vec<Score> = (0..=MOST_COPIES)
            .map(|at| Score { recall: [0.25, 0.5, 0.75][at / 5], ..Score::default() })
            .collect();
        assert_eq!(first_half(&[scores.clone(), scores]), "50.0 %");
        assert_eq!(paper(5), ["0.76", "0.55"]);
        assert_eq!(paper(1), ["–", "–"]);
    }
}
