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
    let equal = |at: usize| all.get(at).map_or(0, |counts: &Counts| counts.pairs[0]);
    page.say(format_args!(
        "Of near-duplicates within three bits, the words find {}, bigrams {}, both together {} and trigrams {}: an \
         edited word changes one word, two bigrams and three trigrams. Without stop words {} are found, and more \
         that are none. A title that is a feature keeps apart what differs in it. With half of the largest \
         weight, {} of the {} pairs of equal simhashes are left; with the smallest sum, which section 7.1.1 proposes so that a \
         change turns a bit, {}, and with title and date {}, while within three bits nearly as many are \
         found as without: it marks a change of metadata, and does not outweigh the text.",
        right(0),
        right(1),
        right(2),
        right(3),
        right(4),
        equal(6),
        equal(0),
        equal(7),
        equal(8),
    ));
    Ok(())
}
