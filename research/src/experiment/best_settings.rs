//! Not in the papers: every method at its best settings on each kind of collection, chosen on one
//! half of it and measured on the other.

mod grid;
mod halves;
mod trial;

use super::{Collections, Experiment};
use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use crate::run::Neighbours;
use anyhow::{Context, Result};
use grid::{rows, settings};
use halves::{Half, halves};
use trial::{Rule, Trial, best, microseconds};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "best-settings",
    title: "All methods at their best settings",
    needs: &[super::Kind::News],
    run,
};

/// A kind of collection.
struct Kind<'a> {
    name: &'static str,
    corpora: &'a [Corpus],
    /// True pairs are those of labels, and not those of resemblance 0.8.
    by_label: bool,
}

/// A method on a kind, at the settings that were chosen on the first half, on the other half.
struct Row {
    method: &'static str,
    /// By its own rule, and on complete sets (the exact join once).
    trials: Vec<(Trial, f64)>,
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let kind = |name, corpora, by_label| Kind { name, corpora, by_label };
    let kinds = [
        kind("news", &collections.news, false),
        kind("web", &collections.web, false),
        kind("mail", &collections.mail, false),
        kind("licences", &collections.licences, false),
        kind("campaigns of spam", &collections.campaigns, true),
    ];
    page.say(CONDITIONS);
    if cfg!(debug_assertions) {
        page.say("The times of this section are those of a development build, and too high.");
    }
    let news = Corpus::joined(&collections.news)?;
    for kind in kinds.iter().filter(|kind| !kind.corpora.is_empty()) {
        measure(kind, &news, page)?;
    }
    Ok(())
}

const CONDITIONS: &str = "Each kind of collection is divided into two halves by a seeded hash of the group of \
    every document: a group is made of the documents that are connected by a resemblance of 0.5 or more, or by a \
    common label, so that no pair is torn. A small grid of settings of every method is run on the first half, and \
    the best one on the other half, of which nothing was used before: these are the figures. \
    True are the pairs of resemblance ≥ 0.8 (word 5-shingles, exact), and for the campaigns the pairs of one campaign; a \
    pair found is right if it is either of these or has the same label (*labelled*: the same page in two versions, the same SPDX \
    licence from two sources, the same campaign). Recall and precision are means over the documents that have a \
    partner, true or found. *Own rule* is the method alone, for which no texts or sets are kept: enough of the \
    sketches agree, or a key is equal; the best setting is that of the highest F1, of equals that of the fewest \
    bytes. *Verified* is `--verify exact`: every candidate is compared on complete sets, so that precision is 1 by \
    the resemblance; the best setting is that of the highest recall, of those within 0.005 of it that of the \
    fewest candidates. Bytes are those of a signature, for the exact join those of the set (8 for each distinct \
    shingle). CPU time is microseconds a document on one thread, from a file of texts to clusters, reading and \
    counting the document frequencies included.";

fn measure(kind: &Kind<'_>, news: &Corpus, page: &mut Page) -> Result<()> {
    let all = Corpus::joined(kind.corpora)?;
    let [first, second] = halves(&all)?;
    let names: Vec<&str> = kind.corpora.iter().map(|corpus| corpus.name.as_str()).collect();
    page.say(format_args!("### {}: {}", kind.name, names.join(", ")));
    let first = Half::new(first)?;
    let chosen = rows()
        .into_iter()
        .map(|method| Ok((method, choose(method, kind, &first, news)?)))
        .collect::<Result<Vec<_>>>()?;
    // The other half is looked at only now.
    let second = Half::new(second)?;
    let truth = self::truth(kind, &second)?;
    let mut table = Vec::new();
    for (method, chosen) in chosen {
        let mut trials = Vec::new();
        for (setting, rule) in chosen {
            let trial = Trial::run(setting, rule, &second, truth, news)?;
            trials.push((trial, microseconds(setting, rule, &second, news)?));
        }
        table.push(Row { method, trials });
    }
    page.say(format_args!(
        "{} documents to choose on, {} to measure on; {} and {} of them have a true partner.",
        first.corpus.len(),
        second.corpus.len(),
        partnered(self::truth(kind, &first)?, &first),
        partnered(truth, &second),
    ));
    let header = [
        "method",
        "best setting, own rule",
        "recall",
        "precision",
        "labelled, recall",
        "bytes",
        "CPU, µs",
        "best setting, verified",
        "recall",
        "CPU, µs",
    ];
    page.times(&header, table.iter().map(cells).collect::<Vec<_>>());
    page.say(verdict(kind.name, &table));
    Ok(())
}

/// The best setting by each rule, from the half that is for choosing.
fn choose(
    method: &'static str,
    kind: &Kind<'_>,
    half: &Half,
    news: &Corpus,
) -> Result<Vec<(grid::Setting, Rule)>> {
    let rules: &[Rule] = if method == "exact" { &[Rule::Own] } else { &[Rule::Own, Rule::Exact] };
    let truth = truth(kind, half)?;
    rules
        .iter()
        .map(|&rule| {
            let tried = settings(method)
                .into_iter()
                .map(|setting| Trial::run(setting, rule, half, truth, news));
            let tried = tried.collect::<Result<Vec<_>>>()?;
            Ok((best(&tried, rule).with_context(|| format!("{method} has no settings"))?, rule))
        })
        .collect()
}

/// The pairs that are to be found.
fn truth<'a>(kind: &Kind<'_>, half: &'a Half) -> Result<&'a Neighbours> {
    match &half.labelled {
        Some(labelled) if kind.by_label => Ok(labelled),
        _ if !kind.by_label => Ok(&half.near),
        _ => anyhow::bail!("{} have no labels of what belongs together", kind.name),
    }
}

/// Documents with a true partner.
fn partnered(truth: &Neighbours, half: &Half) -> usize {
    (0..half.corpus.len() as u32).filter(|&document| !truth.of(document).is_empty()).count()
}

fn cells(row: &Row) -> Vec<String> {
    let share = |value: f64| format!("{value:.3}");
    let of = |trial: &Trial, cpu: f64, rule: Rule| match rule {
        Rule::Own => row![
            trial.setting.cell(),
            share(trial.recall),
            share(trial.precision),
            trial.labelled.map_or("–".into(), share),
            format!("{:.0}", trial.bytes),
            format!("{cpu:.0}"),
        ],
        Rule::Exact => row![trial.setting.cell(), share(trial.recall), format!("{cpu:.0}")],
    };
    let mut cells = row![row.method];
    for ((trial, cpu), rule) in row.trials.iter().zip([Rule::Own, Rule::Exact]) {
        cells.extend(of(trial, *cpu, rule));
    }
    cells.resize(10, "–".to_owned());
    cells
}

/// What of a method is enough to recommend it.
const ENOUGH_RECALL: f64 = 0.95;
const ENOUGH_PRECISION: f64 = 0.99;

/// The cheapest and the smallest of the methods that find enough, beside the exact join.
fn verdict(kind: &str, table: &[Row]) -> String {
    let Some((exact, cost)) = table.first().and_then(|row| row.trials.first()) else {
        return String::new();
    };
    let enough =
        |at: usize, precision: f64| {
            table.iter().skip(1).filter_map(move |row| row.trials.get(at)).filter(
                move |(trial, _)| trial.recall >= ENOUGH_RECALL && trial.precision >= precision,
            )
        };
    let shown = |(trial, cpu): &(Trial, f64)| {
        let (cell, times) = (trial.setting.cell(), cpu / cost);
        let (recall, bytes) = (trial.recall, trial.bytes);
        format!("{cell} (recall {recall:.3}, {bytes:.0} bytes, {times:.1} × the time)")
    };
    let cheapest = |at: usize, precision| enough(at, precision).min_by(|a, b| a.1.total_cmp(&b.1));
    let smallest = enough(0, ENOUGH_PRECISION).min_by(|a, b| a.0.bytes.total_cmp(&b.0.bytes));
    let own = match cheapest(0, ENOUGH_PRECISION).zip(smallest) {
        Some((cheapest, smallest)) => format!(
            "Of the methods with recall {ENOUGH_RECALL} and precision {ENOUGH_PRECISION} by their own rule the \
             cheapest is {}, the smallest {}.",
            shown(cheapest),
            shown(smallest)
        ),
        None => format!(
            "No method has recall {ENOUGH_RECALL} and precision {ENOUGH_PRECISION} by its own rule."
        ),
    };
    let verified = match cheapest(1, 0.0) {
        Some(cheapest) => {
            format!("Of those with that recall when verified the cheapest is {}.", shown(cheapest))
        }
        None => "No method has that recall when verified.".to_owned(),
    };
    format!(
        "On {kind} the exact join (`{}`) has recall {:.3} and precision {:.3} in {cost:.0} µs a document. {own} {verified}",
        exact.setting.name(),
        exact.recall,
        exact.precision,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(method: &'static str, recall: f64, precision: f64, bytes: f64) -> Trial {
        let setting = settings(method)[0];
        Trial { setting, recall, precision, labelled: None, bytes, compared: 0 }
    }

    #[test]
    fn cheapest_and_smallest_have_enough() {
        let row = |method, own: (Trial, f64), verified: (Trial, f64)| Row {
            method,
            trials: vec![own, verified],
        };
        let minhash = |recall, cpu| (trial("minhash-lsh", recall, 0.995, 512.0), cpu);
        let dsc = |recall, cpu| (trial("dsc", recall, 1.0, 100.0), cpu);
        let lexical = |recall, cpu| (trial("lexical", recall, 1.0, 16.0), cpu);
        let table = [
            Row { method: "exact", trials: vec![(trial("exact", 1.0, 1.0, 800.0), 10.0)] },
            row("lexical", lexical(0.5, 1.0), lexical(0.5, 1.0)),
            row("dsc", dsc(0.96, 40.0), dsc(0.9, 20.0)),
            row("minhash-lsh", minhash(0.97, 20.0), minhash(0.99, 30.0)),
        ];
        let text = verdict("news", &table);
        assert!(text.contains("cheapest is `minhash-lsh:"), "{text}");
        assert!(text.contains("smallest `dsc:"), "{text}");
        assert!(text.ends_with("3.0 × the time)."), "{text}");
        assert_eq!(cells(&table[0]).len(), 10);
        assert_eq!(cells(&table[1])[2], "0.500");
        assert!(verdict("news", &table[..2]).ends_with("No method has that recall when verified."));
    }
}
