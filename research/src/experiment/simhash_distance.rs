//! Seshasai 2009, section 6.4.8: what a larger Hamming distance adds to clusters, and what it costs.

use super::simhash_figures::words;
use super::simhash_precision::{PAPER, Truth, term_filter};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use anyhow::Result;
use lookalike_methods::hamming::{Index, pairs};
use std::hint::black_box;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "simhash-distance",
    title: "Deciding on a Hamming distance (Seshasai 2009, section 6.4.8)",
    needs: &[Kind::News],
    run,
};

/// The largest distance: one more than the thesis's.
const MOST: usize = 4;
/// Bytes of a word and its position in a table.
const ENTRY: f64 = 12.0;

/// What is found within d bits, d = 0 … 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Grown {
    pairs: [u64; MOST + 1],
    right: [u64; MOST + 1],
    /// Documents in any pair.
    documents: [u64; MOST + 1],
}

impl Grown {
    fn of(words: &[Option<u64>], right: impl Fn(u32, u32) -> bool) -> Self {
        let (numbers, words): (Vec<u32>, Vec<u64>) =
            (0u32..).zip(words).filter_map(|(number, word)| Some((number, (*word)?))).unzip();
        let mut grown = Self::default();
        let mut nearest = vec![usize::MAX; words.len()];
        for pair in pairs(&words, MOST as u32) {
            let distance = pair.distance as usize;
            let right = right(numbers[pair.i as usize], numbers[pair.j as usize]);
            for d in distance..=MOST {
                grown.pairs[d] += 1;
                grown.right[d] += u64::from(right);
            }
            for at in [pair.i, pair.j] {
                let nearest = &mut nearest[at as usize];
                *nearest = distance.min(*nearest);
            }
        }
        for d in 0..=MOST {
            grown.documents[d] = nearest.iter().filter(|&&nearest| nearest <= d).count() as u64;
        }
        grown
    }

    /// The average size of a cluster, as in Table 6.2; 0 if there is none.
    fn size(&self, d: usize) -> f64 {
        let documents = self.documents[d];
        (2 * self.pairs[d] + documents) as f64 / documents.max(1) as f64
    }

    /// Pairs that are further apart than `from` and within `to`, and those of them that are right.
    fn between(&self, from: usize, to: usize) -> (u64, u64) {
        (self.pairs[to] - self.pairs[from], self.right[to] - self.right[from])
    }

    fn right_between(&self, from: usize, to: usize) -> String {
        let (pairs, right) = self.between(from, to);
        percent(right, pairs)
    }

    /// How many documents more a cluster of the same documents has: those that have any within
    /// `to`.
    fn more(&self, from: usize, to: usize) -> f64 {
        2.0 * self.between(from, to).0 as f64 / self.documents[to].max(1) as f64
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let truth = Truth::of(&news)?;
    page.say(format_args!(
        "Section 6.4.8 asks what is lost with a smaller distance: \"if the size of the clusters are staying the same as \
         the Hamming distance changes, then it suggests that most of the information is already gained by just using \
         the lower Hamming distance\". {} ({} documents), variants, clusters and right pairs as above. *Average* is the \
         difference of the average sizes of Table 6.2, each over the documents that have any within the distance; with \
         a larger distance these are more documents, most with few others, so that it can fall. *Same documents* is \
         therefore how many documents more there are in the cluster of a document that has any within the larger \
         distance. *Right* are the pairs that the larger distance adds.",
        news.name,
        news.len(),
    ));
    let (mut rows, mut all, mut original) = (Vec::new(), Vec::new(), Vec::new());
    for (name, variant, _, paper) in PAPER {
        let words = words(&news, &format!("variant={variant}"), term_filter(variant))?;
        let grown = Grown::of(&words, |a, b| truth.has(a, b));
        rows.push(row![
            name,
            signed(paper[3] - paper[0]),
            signed(grown.size(3) - grown.size(0)),
            signed(grown.more(0, 3)),
            grown.right_between(0, 3),
            signed(grown.size(4) - grown.size(3)),
            signed(grown.more(3, 4)),
            grown.between(3, 4).0,
            grown.right_between(3, 4),
        ]);
        if all.is_empty() {
            original = words.into_iter().flatten().collect();
        }
        all.push(grown);
    }
    let header = [
        "method",
        "0 to 3, average (paper)",
        "0 to 3, average",
        "0 to 3, same documents",
        "0 to 3, right",
        "3 to 4, average",
        "3 to 4, same documents",
        "3 to 4, pairs",
        "3 to 4, right",
    ];
    page.table(&header, rows);
    costs(&original, page);
    page.say(conclusion(&all, tables(&original)));
    Ok(())
}

/// Tables of an index of these words for d = 0 … 4.
fn tables(words: &[u64]) -> [f64; MOST + 1] {
    std::array::from_fn(|d| Index::new(words, d as u32).plan().tables())
}

/// A difference to two digits, never −0.
fn signed(difference: f64) -> String {
    format!("{:+.2}", (100.0 * difference).round() / 100.0 + 0.0)
}

/// What each distance costs.
fn costs(words: &[u64], page: &mut Page) {
    page.say(format_args!(
        "What each distance costs, with the {} words of the original simhash: an index has a copy of the words for each \
         of its tables (Manku et al. 2007), a join finds all pairs; the least time of three runs.",
        words.len()
    ));
    let rows = tables(words).into_iter().enumerate().map(|(d, tables)| {
        let index = Index::new(words, d as u32);
        let query = least_seconds(|| {
            let mut found = 0u64;
            for &word in words {
                index.query(word, d as u32, |_, _| found += 1);
            }
            black_box(found);
        });
        let join = least_seconds(|| {
            black_box(pairs(words, d as u32));
        });
        row![
            d,
            tables,
            format!("{:.0}", ENTRY * tables),
            format!("{:.2}", 1e6 * query / words.len().max(1) as f64),
            format!("{:.2}", 1e3 * join),
        ]
    });
    let header = ["d", "tables of the index", "bytes of a word", "µs a query", "ms of the join"];
    page.times(&header, rows.collect::<Vec<_>>());
}

fn least_seconds(run: impl Fn()) -> f64 {
    let seconds = (0..3).map(|_| {
        let started = Instant::now();
        run();
        started.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// What the table says.
fn conclusion(all: &[Grown], tables: [f64; MOST + 1]) -> String {
    let few = |from: usize, to: usize, most: f64| {
        let rows = PAPER.iter().zip(all).filter(|(_, grown)| grown.more(from, to) <= most);
        let names: Vec<&str> = rows.map(|(row, _)| row.0).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let original = all.first().copied().unwrap_or_default();
    let (added, right) = original.between(0, 3);
    format!(
        "In the thesis a distance of 3 \"would double\" the clusters of the original simhash (3.49 to 7.73), and adds 0.27 \
         documents with metadata, \"probably not worth the computing power\". Here the original's grow from {:.2} to \
         {:.2}; {added} pairs are added to {}, {} of them right. Variants whose clusters grow by no more than the \
         thesis's 0.27 from 0 to 3, of the same documents: {}; from 3 to 4: {}. A distance of 4, which the thesis did \
         not try as it costs more, takes {:.0} tables in place of {:.0} at 3 and {:.0} at 0, and {} of the pairs that \
         it adds for the original are right, where {right_at_three} of those within 3 are.",
        original.size(0),
        original.size(3),
        original.pairs[0],
        percent(right, added),
        few(0, 3, 0.27),
        few(3, 4, 0.27),
        tables[4],
        tables[3],
        tables[0],
        original.right_between(3, 4),
        right_at_three = percent(original.right[3], original.pairs[3]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_grow_by_hand() {
        // Documents 0 and 1 are equal, 3 is two bits from both, 4 four from 3 and six from them.
        let words = [Some(0), Some(0), None, Some(0b11), Some(0b11_1111), Some(u64::MAX)];
        let grown = Grown::of(&words, |a, b| (a, b) == (0, 1) || (a, b) == (3, 4));
        assert_eq!(grown.pairs, [1, 1, 3, 3, 4]);
        assert_eq!(grown.right, [1, 1, 1, 1, 2]);
        assert_eq!(grown.documents, [2, 2, 3, 3, 4]);
        // Within four bits 0 and 1 have clusters of three, 3 has four and 4 has two.
        assert_eq!([0, 3, 4].map(|d| grown.size(d)), [2.0, 3.0, 3.0]);
        assert_eq!([-0.001, 0.004, -1.2].map(signed), ["+0.00", "+0.00", "-1.20"]);
        assert!((grown.more(0, 3) - 4.0 / 3.0).abs() < 1e-12);
        assert!((grown.more(3, 4) - 0.5).abs() < 1e-12);
        assert_eq!(
            (grown.right_between(0, 3), grown.right_between(3, 4)),
            ("0.0 %".into(), "100.0 %".into())
        );
    }

    #[test]
    fn what_is_said_follows_from_the_counts() {
        let grown =
            Grown { pairs: [4, 5, 6, 8, 16], right: [4, 4, 4, 5, 5], documents: [8, 8, 8, 8, 8] };
        let still = Grown { pairs: [4; 5], right: [4; 5], documents: [8; 5] };
        let mut all = [grown; 8];
        all[1] = still;
        let text = conclusion(&all, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(
            text.contains("grow from 2.00 to 3.00; 4 pairs are added to 4, 25.0 % of them"),
            "{text}"
        );
        assert!(text.contains(
            "from 0 to 3, of the same documents: Extra metadata; from 3 to 4: Extra metadata."
        ));
        assert!(
            text.contains("takes 5 tables in place of 4 at 3 and 1 at 0, and 0.0 % of"),
            "{text}"
        );
        assert!(text.contains("where 62.5 % of those within 3 are"), "{text}");
    }
}
