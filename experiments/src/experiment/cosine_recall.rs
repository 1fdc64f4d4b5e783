//! Kołcz et al. 2004, figure 2; Kołcz & Chowdhury 2008, figures 3 and 4: recall and precision of
//! randomized I-Match on web pages, against cosine ≥ 0.9.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{Neighbours, approach, cosine, search};
use anyhow::Result;
use lookalike_engine::Approach;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cosine-recall",
    title: "Recall and precision on web pages (Kołcz et al. 2004, figure 2; 2008, figures 3 and 4)",
    needs: &[Kind::Web, Kind::News],
    run,
};

const MOST_COPIES: u32 = 10;
/// The copies of the lexicon are drawn this many times, and the results averaged.
const SEEDS: u64 = 3;

/// Recall and precision as the mean over queries.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Quality {
    recall: f64,
    precision: f64,
    /// Queries all of whose matches are true.
    pure: f64,
    /// Queries that find anything.
    answered: f64,
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    let news = Corpus::joined(&collections.news)?;
    let truth = search(&web, Approach::default(), cosine("0.9")?, true)?.neighbours();
    let queries: Vec<u32> =
        (0..web.len() as u32).filter(|&query| !truth.of(query).is_empty()).collect();
    page.say(format_args!(
        "Every document of {} ({}) that has another one at a cosine of 0.9 or more is a query: {}. Truth \
         is the exact join over terms of four characters and at most one digit. Recall is the share of a \
         query's true neighbours that it has a signature in common with, precision the share of those it \
         meets that are true, both as means over queries and without the query itself; *pure* is the share \
         of queries that meet true neighbours only. One lexicon is of the pages themselves, the other of \
         {} ({} documents); both are the terms of nidf 0.2 to 0.8. Every K > 0 is the mean of {SEEDS} \
         drawings of the copies.",
        web.name, web.len(), queries.len(), news.name, news.len(),
    ));
    let mut rows = Vec::new();
    let mut by_lexicon = Vec::new();
    for lexicon in [web.lexicon("kolcz")?, news.lexicon("kolcz")?] {
        let mut qualities = Vec::new();
        for copies in 0..=MOST_COPIES {
            let drawings = if copies == 0 { 1 } else { SEEDS };
            let mut sum = Quality::default();
            for seed in 1..=drawings {
                let spec =
                    format!("imatch-random:nidf=0.2..0.8,copies={copies},seed={seed},terms=kolcz");
                let found = search(&web, approach(&spec, Some(&lexicon))?, cosine("0.9")?, true)?;
                let quality = judge(&queries, &truth, &found.neighbours());
                sum.recall += quality.recall / drawings as f64;
                sum.precision += quality.precision / drawings as f64;
                sum.pure += quality.pure / drawings as f64;
                sum.answered += quality.answered / drawings as f64;
            }
            qualities.push(sum);
        }
        by_lexicon.push(qualities);
    }
    for (copies, (own, news)) in by_lexicon[0].iter().zip(&by_lexicon[1]).enumerate() {
        let cells = [own, news]
            .into_iter()
            .flat_map(|q| [q.recall, q.precision, q.pure].map(|value| format!("{value:.3}")));
        rows.push(row![copies].into_iter().chain(cells).collect::<Vec<_>>());
    }
    let header = [
        "K",
        "recall, own lexicon",
        "precision",
        "pure",
        "recall, news lexicon",
        "precision",
        "pure",
    ];
    page.table(&header, rows);
    let [own, news] = [&by_lexicon[0], &by_lexicon[1]];
    let last = MOST_COPIES as usize;
    let gain = |q: &[Quality]| format!("{:+.0} %", 100.0 * (q[last].recall / q[0].recall - 1.0));
    page.say(format_args!(
        "In figure 2 (1.7 million pages, a lexicon of 556 000 news stories) recall rises from somewhat under \
         0.6 to about 0.7 with the news lexicon and from about 0.4 to about 0.6 with their own, with little \
         gain after the first few copies, and precision falls slowly. Ours rises by {} with the own lexicon \
         and {} with that of news; the first five copies bring {} and {} of it, and precision falls as \
         theirs does. {}",
        gain(own),
        gain(news),
        percent(((own[5].recall - own[0].recall) * 1e6) as u64, ((own[last].recall - own[0].recall) * 1e6) as u64),
        percent(((news[5].recall - news[0].recall) * 1e6) as u64, ((news[last].recall - news[0].recall) * 1e6) as u64),
        compare(own, news),
    ));
    Ok(())
}

/// Which lexicon finds more, and why that may be.
fn compare(own: &[Quality], news: &[Quality]) -> String {
    let share = |quality: &Quality| percent((quality.answered * 1000.0).round() as u64, 1000);
    let last = own.len() - 1;
    let better = |at: usize| if news[at].recall > own[at].recall { "news" } else { "our own" };
    format!(
        "In the paper the lexicon of clean news is the better one at every K; here it is {} \
         without copies and {} with {last}. The level of recall is lower than the paper's, since \
         most of our pages are documentation of software: whole families of pages differ in the \
         name of one function, which is a term of the lexicon, so that {} (own) and {} (news) of \
         the queries find anything at all without copies. Section 7.1.1 of the paper describes \
         the same kind of pages.",
        better(0),
        better(last),
        share(&own[0]),
        share(&news[0]),
    )
}

fn judge(queries: &[u32], truth: &Neighbours, found: &Neighbours) -> Quality {
    let mut sum = Quality::default();
    for &query in queries {
        let hits = found.of(query).iter().filter(|&&other| truth.has(query, other)).count() as f64;
        let met = found.of(query).len() as f64;
        sum.recall += hits / truth.of(query).len() as f64;
        if met > 0.0 {
            sum.answered += 1.0;
            sum.precision += hits / met;
            sum.pure += f64::from(u8::from(hits == met));
        }
    }
    let answered = sum.answered.max(1.0);
    let all = queries.len().max(1) as f64;
    Quality {
        recall: sum.recall / all,
        precision: sum.precision / answered,
        pure: sum.pure / answered,
        answered: sum.answered / all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;
    use crate::run::resemblance;

    #[test]
    fn queries_are_averaged() {
        // Same terms: 0 1 2. Same words: 0 1, and 3 4.
        let texts = corpus(&["a b", "b a", "a b b", "c", "c!"]);
        let neighbours = |filter: &str| {
            let method = approach(&format!("syntactic:filter={filter}"), None).unwrap();
            search(&texts, method, resemblance("0.8").unwrap(), true).unwrap().neighbours()
        };
        let all = neighbours("all");
        let quality = judge(&[0, 1, 2], &all, &all);
        assert_eq!(quality, Quality { recall: 1.0, precision: 1.0, pure: 1.0, answered: 1.0 });
        // Nothing is left of these words, so nothing is found.
        let nothing = neighbours("tg5");
        assert_eq!(judge(&[0, 1, 2], &all, &nothing), Quality::default());
        // Judged by nothing, what is found is wrong.
        assert_eq!(judge(&[3], &all, &all).recall, 1.0);
    }
}
