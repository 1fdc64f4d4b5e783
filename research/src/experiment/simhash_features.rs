//! Seshasai 2009, the features and weights of chapters 3 to 5 and 7 that have no row in Table 6.1,
//! beside the standard simhash.

use super::simhash_precision::{Counts, JUDGED, Truth, counted, precision, size};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, mean};
use crate::row;
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "simhash-features",
    title: "Features of simhash beyond words (Seshasai 2009, sections 3.1 to 7.1.2)",
    needs: &[Kind::News],
    run,
};

/// A row: its section, the parameters and the term filter that its document frequencies are of.
struct Feature {
    name: &'static str,
    section: &'static str,
    parameters: &'static str,
    filter: &'static str,
}

const fn feature(name: &'static str, section: &'static str, parameters: &'static str) -> Feature {
    Feature { name, section, parameters, filter: "" }
}

const fn without(
    name: &'static str,
    section: &'static str,
    parameters: &'static str,
    filter: &'static str,
) -> Feature {
    Feature { name, section, parameters, filter }
}

const ORIGINAL: &str = "Original simhash";
const BIGRAMS: &str = "Bigrams";
const BOTH: &str = "Words and bigrams";
const TRIGRAMS: &str = "Trigrams";
const NO_STOP: &str = "No stop words";
const NO_NUMBERS: &str = "No numbers and dates";
const STRIPPED: &str = "No stop words, numbers and dates";
const HALF_TITLE: &str = "Title, half the largest weight";
const LEAST_TITLE: &str = "Title, the smallest sum";
const LEAST_BOTH: &str = "Title and date, the smallest sum";
const RESERVED: &str = "Title in 8 reserved bits";
const LINKS: &str = "Link weight";
const CENTRED: &str = "Link weight, less 0.5";

/// Of news.
const FEATURES: [Feature; 25] = [
    feature(ORIGINAL, "3", "variant=original"),
    feature("Term frequency alone", "3.3", "weights=tf"),
    feature("tf · N/n", "3.3", "weights=tfinverse"),
    feature(BIGRAMS, "3.1", "features=bigrams"),
    feature(BOTH, "3.1", "features=words+bigrams"),
    feature(TRIGRAMS, "3.1", "features=trigrams"),
    without(NO_STOP, "4.2, 5.1", "strip=stopwords", "stop"),
    without("No stop words, bigrams", "3.1, 4.2", "strip=stopwords,features=bigrams", "stop"),
    without(NO_NUMBERS, "4.2", "strip=numbers+dates", "no-numbers+no-dates"),
    without(STRIPPED, "6.4.2", "variant=strip", "stop+no-numbers+no-dates"),
    feature(HALF_TITLE, "4.1", "metadata=0.5,fields=title"),
    feature("Title, twice the largest weight", "7.1.1", "metadata=2,fields=title"),
    feature(LEAST_TITLE, "7.1.1", "metadata=min,fields=title"),
    feature(LEAST_BOTH, "7.1.1", "metadata=min,fields=title+date"),
    feature(RESERVED, "7.1.1", "variant=reserved,fields=title"),
    feature("Words of the title as of anchors", "5.4", "anchors=title"),
    feature("The 20 heaviest terms", "5.1", "variant=top"),
    feature("Middle region, 0.01 to 0.5", "7.1.2", "variant=middle"),
    feature("Top weights cut to the fifth", "7.1.2", "variant=capped"),
    feature("1/x", "5.2", "position=inverse"),
    feature("1/log x", "5.2", "position=inverse-log"),
    feature("Ends twice the middle", "5.3", "position=1:0.5:1"),
    feature("First 50 words three times", "5.3", "position=3@1:3@50:1@51"),
    feature("Least weight 0.1", "7.1.2", "least=0.1"),
    feature("Least weight 0.3", "7.1.2", "least=0.3"),
];

/// Of pages that link to each other.
const OF_PAGES: [Feature; 3] = [
    feature(ORIGINAL, "3", "variant=original"),
    feature(LINKS, "4.1", "numbers=links"),
    feature(CENTRED, "4.1", "numbers=links,centre=0.5"),
];

const HEADER: [&str; 14] = [
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

/// What each feature found, by its name.
struct Measured(Vec<(&'static str, Counts)>);

impl Measured {
    /// Measures features and writes their table.
    fn of(features: &[Feature], corpus: &Corpus, truth: &Truth, page: &mut Page) -> Result<Self> {
        let (mut rows, mut all) = (Vec::new(), Vec::new());
        for Feature { name, section, parameters, filter } in features {
            let counts = counted(corpus, parameters, filter, truth)?;
            let cells = (0..4).flat_map(|d| {
                let size = mean(size(&counts, d), counts.documents[d] as usize, 2);
                [format!("{:.3}", precision(&counts, d)), counts.pairs[d].to_string(), size]
            });
            let start = row![format!("{name} (`{parameters}`)"), section];
            rows.push(start.into_iter().chain(cells).collect::<Vec<_>>());
            all.push((*name, counts));
        }
        page.table(&HEADER, rows);
        Ok(Self(all))
    }

    fn get(&self, name: &str) -> Counts {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or_else(Counts::default, |(_, counts)| *counts)
    }

    /// True pairs within three bits.
    fn right(&self, name: &str) -> u64 {
        self.get(name).true_pairs[3]
    }

    /// Pairs of equal simhashes.
    fn equal(&self, name: &str) -> u64 {
        self.get(name).pairs[0]
    }

    /// Average size of a cluster at d = 0 and within three bits.
    fn sizes(&self, name: &str) -> String {
        let counts = self.get(name);
        let size = |d: usize| mean(size(&counts, d), counts.documents[d] as usize, 2);
        format!("{} to {}", size(0), size(3))
    }

    /// Precision at d = 0 and within three bits.
    fn ends(&self, name: &str) -> String {
        let counts = self.get(name);
        format!("{:.3} at d = 0 and {:.3} at d ≤ 3", precision(&counts, 0), precision(&counts, 3))
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    page.say(format_args!(
        "{} ({} documents), judged as in the table of variants: a pair is right when {JUDGED}. The thesis names \
         these features and has no measurements of them, but for the row of Table 6.1 that removes stop words, \
         numbers and dates, which is above and here again. An n-gram has the idf of its rarest word.",
        news.name,
        news.len(),
    ));
    let found = Measured::of(&FEATURES, &news, &Truth::of(&news)?, page)?;
    page.say(of_news(&found));
    let linked: Vec<&Corpus> = collections.web.iter().filter(|web| web.has_links()).collect();
    if linked.is_empty() {
        page.say("*Link weight is left out: no collection of pages has links among them.*");
        return Ok(());
    }
    let pages = Corpus::joined(linked)?;
    page.say(format_args!(
        "**Link weight** (section 4.1: \"information about the number of sites that link to the document\", and a \
         page quality normalised \"so that pages which are of very high or very low quality will have high \
         weights, and those in the middle will have lower weights\"): {} ({} documents), whose pages link to each \
         other. The weight of a page that n others of its collection link to is log(1 + n) / log(1 + most), 0 to 1; \
         `centre=0.5` is the normalisation.",
        pages.name,
        pages.len(),
    ));
    let of_pages = Measured::of(&OF_PAGES, &pages, &Truth::of(&pages)?, page)?;
    page.say(of_links(&of_pages));
    Ok(())
}

fn of_news(found: &Measured) -> String {
    format!(
        "Of near-duplicates within three bits, the words find {}, bigrams {}, both together {} and trigrams {}: an \
         edited word changes one word, two bigrams and three trigrams. Without stop words {} are found, with a \
         precision of {}; without numbers and dates {}, of {}; without either, which is the variant above, {}, of \
         {}, in clusters of {} documents (without the removal of stop words {}; 11.25 to 18.24 in Table 6.2). What \
         differs between two stories of a kind, such as dividends or prices, are their numbers. A title \
         that is a feature keeps apart what differs in it. With half of the largest weight, {} of the {} pairs of \
         equal simhashes are left; with the smallest sum, which section 7.1.1 proposes so that a change turns a bit, \
         {}, and with title and date {}, and within three bits {}, {} and {} of the {} right pairs. In reserved bits \
         a title has to be the same: {} right pairs within three bits.",
        found.right(ORIGINAL),
        found.right(BIGRAMS),
        found.right(BOTH),
        found.right(TRIGRAMS),
        found.right(NO_STOP),
        found.ends(NO_STOP),
        found.right(NO_NUMBERS),
        found.ends(NO_NUMBERS),
        found.right(STRIPPED),
        found.ends(STRIPPED),
        found.sizes(STRIPPED),
        found.sizes(NO_NUMBERS),
        found.equal(HALF_TITLE),
        found.equal(ORIGINAL),
        found.equal(LEAST_TITLE),
        found.equal(LEAST_BOTH),
        found.right(HALF_TITLE),
        found.right(LEAST_TITLE),
        found.right(LEAST_BOTH),
        found.right(ORIGINAL),
        found.right(RESERVED),
    )
}

fn of_links(found: &Measured) -> String {
    let [original, plain, centred] = [ORIGINAL, LINKS, CENTRED].map(|name| found.get(name));
    let left = |counts: &Counts, d: usize| {
        format!("{:.1} %", 100.0 * counts.pairs[d] as f64 / original.pairs[d].max(1) as f64)
    };
    let lost = |counts: &Counts| {
        let share = counts.true_pairs[3] as f64 / original.true_pairs[3].max(1) as f64;
        format!("{:.1} %", 100.0 * share)
    };
    format!(
        "A link weight of 1 weighs as much as the heaviest term. With it {} of the pairs within three bits are left, of \
         the right ones {}, and precision changes from {:.3} to {:.3}; with the centred one {}, {}, and to {:.3}. At d \
         = 0 {} and {} are left. The feature has one hash for all pages, so it moves simhashes apart as far as weights \
         differ: it separates pages of much the same words that are linked to more and less often. Centred, the \
         weights are half as large at most, and one near to 0.5 changes nothing.",
        left(&plain, 3),
        lost(&plain),
        precision(&original, 3),
        precision(&plain, 3),
        left(&centred, 3),
        lost(&centred),
        precision(&centred, 3),
        left(&plain, 0),
        left(&centred, 0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_that_is_quoted_is_a_row() {
        let names: BTreeSet<&str> = FEATURES.iter().map(|feature| feature.name).collect();
        assert_eq!(names.len(), FEATURES.len());
        let quoted = [
            ORIGINAL,
            BIGRAMS,
            BOTH,
            TRIGRAMS,
            NO_STOP,
            NO_NUMBERS,
            STRIPPED,
            HALF_TITLE,
            LEAST_TITLE,
            LEAST_BOTH,
            RESERVED,
        ];
        assert!(quoted.iter().all(|name| names.contains(name)));
        for name in [ORIGINAL, LINKS, CENTRED] {
            assert!(OF_PAGES.iter().any(|feature| feature.name == name));
        }
    }

    #[test]
    fn what_is_said_follows_from_the_counts() {
        let counts = |pairs| Counts { pairs: [pairs; 4], true_pairs: [5; 4], ..Counts::default() };
        let found =
            Measured(vec![(ORIGINAL, counts(10)), (LINKS, counts(20)), (CENTRED, counts(5))]);
        let text = of_links(&found);
        assert!(text.contains("With it 200.0 % of the pairs within three bits are left"), "{text}");
        assert!(
            text.contains("of the right ones 100.0 %, and precision changes from 0.500 to 0.250")
        );
        assert!(text.contains("with the centred one 50.0 %, 100.0 %, and to 1.000."), "{text}");
        assert!(of_news(&found).contains("the words find 5, bigrams 0"));
    }
}
