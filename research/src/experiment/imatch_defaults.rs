//! The settings of randomized I-Match for mail: lexicon, fewest terms and secondary lexicon, over
//! all collections of mail; and what the same settings find on web pages.

use super::mails::{Mails, Score, conditions, table_of_queries};
use super::quality::Quality;
use super::web_queries::{SEEDS, WebQueries};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use anyhow::Result;
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "imatch-defaults",
    title: "Settings of randomized I-Match for mail (Kołcz & Chowdhury 2008, section 3)",
    needs: &[Kind::Mail, Kind::Web, Kind::News],
    run,
};

const COPIES: usize = 10;
/// More than elsewhere, since a setting is chosen by the legitimate mails that it does not find.
const DRAWINGS: u64 = 10;
/// The paper's for mail; one of words as rare as the paper's in its larger collection, if the paper
/// divides idf by log N (see `spam`); both together; the paper's for pages.
const WINDOWS: [&str; 4] = ["0.2..0.3", "0.26..0.4", "0.2..0.4", "0.2..0.8"];
/// What `imatch-random` does when nothing is said.
const DEFAULT: (&str, &str) = ("0.2..0.8", "min=5");
const RULES: [&str; 13] = [
    "min=1",
    "min=1,fill=1",
    "min=1,share=0.1",
    "min=1,share=0.1,fill=1",
    "min=1,share=0.2,fill=1",
    "min=3,fill=1",
    "min=5",
    "min=5,fill=1",
    "min=5,share=0.1,fill=1",
    "min=8",
    "min=8,fill=1",
    "min=10,fill=1",
    "min=12,fill=1",
];

/// A setting over all collections.
#[derive(Debug, Clone, PartialEq)]
struct Setting {
    nidf: String,
    rule: &'static str,
    /// Mean, and the lowest of any collection.
    recall: f64,
    lowest: f64,
    precision: f64,
    utility: f64,
    ignored: f64,
    /// Added over collections.
    false_matches: usize,
    web: Quality,
}

impl Setting {
    fn of(nidf: String, rule: &'static str, scores: &[Score], web: Quality) -> Self {
        let mean =
            |of: fn(&Score) -> f64| scores.iter().map(of).sum::<f64>() / scores.len().max(1) as f64;
        Self {
            nidf,
            rule,
            recall: mean(|score| score.recall),
            lowest: scores.iter().map(|score| score.recall).fold(f64::INFINITY, f64::min),
            precision: mean(|score| score.precision),
            utility: mean(|score| score.utility),
            ignored: mean(|score| score.ignored),
            false_matches: scores.iter().map(|score| score.false_matches).sum(),
            web,
        }
    }

    fn name(&self) -> String {
        format!("`nidf={},{}`", self.nidf, self.rule)
    }

    fn figures(&self) -> String {
        format!("{} (recall {:.3}, utility {:.2})", self.name(), self.recall, self.utility)
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let lexicon = news.lexicon("kolcz")?;
    let all = Mails::of(collections)?;
    page.say(conditions(&news, DRAWINGS));
    table_of_queries(&all, DRAWINGS, page);
    let names: Vec<&str> = all.iter().map(|mails| mails.corpus.name.as_str()).collect();
    page.say(format_args!(
        "The paper leaves the thresholds to trial. Means over {} with K = {COPIES}; *lowest* is the recall \
         on the collection where it is lowest, *legitimate* the legitimate mails found in all drawings on \
         all collections, *no signature* the share of mails that are compared with nothing. Precision is \
         against cosine ≥ 0.9; spam that is less similar is no error for a filter. The last two \
         columns are the same setting on web pages (conditions: \"Recall and precision on web pages\", lexicon \
         of news, {SEEDS} drawings).",
        names.join(", ")
    ));
    let web = WebQueries::new(collections)?;
    let mut settings = Vec::new();
    for nidf in WINDOWS {
        for rule in RULES {
            let scores = all
                .iter()
                .map(|mails| {
                    let wrong = &mut BTreeSet::new();
                    Ok(mails.measure(nidf, rule, &[COPIES], &lexicon, DRAWINGS, wrong)?[0])
                })
                .collect::<Result<Vec<Score>>>()?;
            let web = web.quality(nidf, rule, &[COPIES], &lexicon)?[0];
            settings.push(Setting::of(nidf.to_owned(), rule, &scores, web));
        }
    }
    let rows = settings.iter().map(|setting| {
        row![
            setting.name(),
            format!("{:.3}", setting.recall),
            format!("{:.3}", setting.lowest),
            format!("{:.3}", setting.precision),
            format!("{:.2}", setting.utility),
            setting.false_matches,
            format!("{:.1} %", 100.0 * setting.ignored),
            format!("{:.3}", setting.web.recall),
            format!("{:.3}", setting.web.precision),
        ]
    });
    let header = [
        "setting",
        "recall",
        "lowest",
        "precision",
        "utility",
        "legitimate",
        "no signature",
        "web, recall",
        "precision",
    ];
    page.table(&header, rows.collect::<Vec<_>>());
    page.say(verdict(&settings));
    Ok(())
}

/// The best settings without a match on legitimate mail, beside what is the default.
fn verdict(settings: &[Setting]) -> String {
    let clean = settings.iter().filter(|setting| setting.false_matches == 0);
    let best =
        |better: fn(&Setting) -> f64| clean.clone().max_by(|a, b| better(a).total_cmp(&better(b)));
    let shown = |setting: Option<&Setting>| setting.map_or("none".into(), Setting::figures);
    let recall = best(|setting| setting.recall);
    let default = settings.iter().find(|setting| (&*setting.nidf, setting.rule) == DEFAULT);
    let decision = recall.zip(default).map_or_else(String::new, |(best, default)| {
        format!(
            " The method's default is {}, with {} legitimate mails. On web pages the best for mail has \
             precision {:.2} and the default {:.2}: so the default, which is for any collection, stays as it \
             is, and for mail `imatch-random` should be given the other.",
            default.figures(),
            default.false_matches,
            best.web.precision,
            default.web.precision,
        )
    });
    format!(
        "{} of {} settings find no legitimate mail. Of these the highest recall is that of {}, the highest \
         utility that of {}.{decision}",
        clean.clone().count(),
        settings.len(),
        shown(recall),
        shown(best(|setting| setting.utility)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_setting_finds_no_legitimate_mail() {
        let score = |recall, false_matches| Score { recall, false_matches, ..Score::default() };
        let setting = |rule, scores: &[Score]| {
            Setting::of("0.2..0.8".into(), rule, scores, Quality::default())
        };
        let settings = [
            setting("min=1", &[score(0.75, 1), score(1.0, 0)]),
            setting("min=5", &[score(0.25, 0), score(0.75, 0)]),
            setting("min=8", &[score(0.25, 0), score(0.25, 0)]),
        ];
        assert_eq!((settings[0].recall, settings[0].lowest), (0.875, 0.75));
        let text = verdict(&settings);
        assert!(text.starts_with("2 of 3 settings"), "{text}");
        assert!(text.contains("highest recall is that of `nidf=0.2..0.8,min=5` (recall 0.500"));
        assert!(text.contains("default is `nidf=0.2..0.8,min=5` (recall 0.500"));
    }
}
