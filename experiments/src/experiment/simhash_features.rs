//! Seshasai 2009, the features of sections 3.1, 4.2, 5.3 and 7.1.1 that the thesis names and does not
//! measure, beside the standard simhash.

use super::simhash_precision::{Counts, Truth, counted, precision, size};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, mean};
use crate::row;
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "simhash-features",
    title: "Features of simhash beyond words (Seshasai 2009, sections 3.1 to 7.1.1)",
    needs: &[Kind::News],
    run,
};

/// What it is, its section, the parameters and the term filter.
const FEATURES: [(&str, &str, &str, &str); 12] = [
    ("Original simhash", "3", "variant=original", ""),
    ("Bigrams", "3.1", "features=bigrams", ""),
    ("Words and bigrams", "3.1", "features=words+bigrams", ""),
    ("Trigrams", "3.1", "features=trigrams", ""),
    ("No stop words", "4.2, 5.1", "strip=stopwords", "stop"),
    ("No stop words, bigrams", "3.1, 4.2", "strip=stopwords,features=bigrams", "stop"),
    ("Title, half the largest weight", "4.1", "metadata=0.5,fields=title", ""),
    ("Title, the smallest sum", "7.1.1", "metadata=min,fields=title", ""),
    ("Title and date, the smallest sum", "7.1.1", "metadata=min,fields=title+date", ""),
    ("Words of the title as of anchors", "5.4", "anchors=title", ""),
    ("Ends twice the middle", "5.3", "position=1:0.5:1", ""),
    ("First 50 words three times", "5.3", "position=3@1:3@50:1@51", ""),
];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let truth = Truth::of(&news)?;
    page.say(format_args!(
        "{} ({} documents), judged as in the table of variants. The thesis names these features and has no \
         measurements of them. An n-gram has the idf of its rarest word.",
        news.name,
        news.len(),
    ));
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (name, section, parameters, filter) in FEATURES {
        let counts = counted(&news, parameters, filter, &truth)?;
        let cells = (0..4).flat_map(|d| {
            let size = mean(size(&counts, d), counts.documents[d] as usize, 2);
            [format!("{:.3}", precision(&counts, d)), counts.pairs[d].to_string(), size]
        });
        rows.push(row![name, section].into_iter().chain(cells).collect::<Vec<_>>());
        all.push(counts);
    }
    let header = [
        "features",
        "section",
        "precision, d = 0",
        "pairs",
        "size",
        "d ≤ 1",
        "pairs",
        "size",
        "d ≤ 2",
        "pairs",
        "size",
        "d ≤ 3",
        "pairs",
        "size",
    ];
    page.table(&header, rows);
    let right = |at: usize| all.get(at).map_or(0, |counts: &Counts| counts.true_pairs[3]);
    page.say(format_args!(
        "Of near-duplicates within three bits, the words find {}, bigrams {}, both together {} and trigrams {}: an edited \
         word changes one word, two bigrams and three trigrams. Without stop words {} are found. A title \
         that is a feature keeps apart what differs in it: with half of the largest weight {} pairs are left, with the \
         smallest sum, which turns one bit at most in most documents, {}.",
        right(0), right(1), right(2), right(3), right(4), right(6), right(7),
    ));
    Ok(())
}
