//! Kołcz & Chowdhury 2008, section 7.1.1 and figure 5: near-duplicates below the threshold, and
//! spurious matches that a template causes.

use super::{Collections, Experiment, Kind};
use crate::corpus::{Corpus, Text};
use crate::page::{Page, percent};
use crate::row;
use crate::signatures::Signatures;
use crate::tokens::Tokens;
use anyhow::Result;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_core::{Overlap, overlap};
use lookalike_lexicon::Lexicon;
use lookalike_methods::Statistics;
use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "template-matches",
    title: "Formatting artifacts (Kołcz & Chowdhury 2008, section 7.1.1 and figure 5)",
    needs: &[Kind::Web, Kind::News],
    run,
};

const MOST_COPIES: usize = 10;
const COPIES: [usize; 4] = [0, 2, 5, MOST_COPIES];
/// Lower ends of the bands of cosine, in hundredths.
const BANDS: [u64; 4] = [90, 80, 60, 0];
const BAND_NAMES: [&str; 4] = ["0.9 and more", "0.8 to 0.9", "0.6 to 0.8", "below 0.6"];
/// More words of an example are not listed.
const LISTED: usize = 12;

/// Pairs by band of cosine: versions of one page, and different pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pairs {
    same: [u64; BANDS.len()],
    different: [u64; BANDS.len()],
}

impl Pairs {
    fn add(&mut self, band: usize, same: bool) {
        let counts = if same { &mut self.same } else { &mut self.different };
        counts[band] += 1;
    }

    fn cells(&self) -> Vec<String> {
        let bands = self.same.iter().zip(&self.different);
        bands.flat_map(|(same, different)| row![same, different]).collect()
    }

    /// Pairs below a cosine of 0.9, and those of them of different pages.
    fn below(&self) -> (u64, u64) {
        let sum = |counts: &[u64]| counts[1..].iter().sum::<u64>();
        (sum(&self.same) + sum(&self.different), sum(&self.different))
    }
}

/// Pages of documentation, each with its name: versions of one page have the same.
struct Pages {
    corpus: Corpus,
    names: Vec<Option<u64>>,
    /// The distinct terms of each, ascending.
    terms: Vec<Vec<u64>>,
    tokens: Tokens,
}

impl Pages {
    fn new(corpus: Corpus) -> Self {
        let name = |text: &Text| text.cluster.or(text.address);
        let names = corpus.texts.iter().map(name).collect();
        let tokens = Tokens::new(&corpus, "kolcz");
        let sorted = |terms: &[u64]| {
            let mut terms = terms.to_vec();
            terms.sort_unstable();
            terms
        };
        let terms = tokens.distinct().documents().map(sorted).collect();
        Self { corpus, names, terms, tokens }
    }

    fn overlap(&self, a: u32, b: u32) -> Overlap {
        let (a, b) = (&self.terms[a as usize], &self.terms[b as usize]);
        Overlap { shared: overlap(a, b), a: a.len() as u32, b: b.len() as u32 }
    }

    fn is_same(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|page| self.names[page as usize]);
        a.is_some() && a == b
    }

    /// Counts these pairs, and passes each to `each`.
    fn count(&self, pairs: impl Iterator<Item = (u32, u32)>, mut each: impl FnMut(Pair)) -> Pairs {
        let mut counts = Pairs::default();
        for (a, b) in pairs {
            let pair = Pair { a, b, overlap: self.overlap(a, b), same: self.is_same(a, b) };
            counts.add(band(pair.overlap), pair.same);
            each(pair);
        }
        counts
    }

    fn all(&self) -> impl Iterator<Item = (u32, u32)> {
        let count = self.corpus.len() as u32;
        (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
    }
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    a: u32,
    b: u32,
    overlap: Overlap,
    same: bool,
}

/// The most similar pairs of their kind that I-Match finds.
#[derive(Debug, Default)]
struct Examples {
    /// Of different pages, each of which has words of its own.
    spurious: Option<Pair>,
    /// Of one page, below the threshold.
    below: Option<Pair>,
}

impl Examples {
    fn see(&mut self, pair: Pair) {
        let better = |known: Option<Pair>| {
            known.is_none_or(|known| cosine(pair.overlap) > cosine(known.overlap))
        };
        let Overlap { shared, a, b } = pair.overlap;
        if !pair.same && shared < a && shared < b && better(self.spurious) {
            self.spurious = Some(pair);
        }
        if pair.same && band(pair.overlap) > 0 && better(self.below) {
            self.below = Some(pair);
        }
    }
}

fn cosine(Overlap { shared, a, b }: Overlap) -> f64 {
    f64::from(shared) / (f64::from(a.max(1)) * f64::from(b.max(1))).sqrt()
}

/// The band of a cosine, in integers: no rounding at its ends.
fn band(Overlap { shared, a, b }: Overlap) -> usize {
    let reaches = |least: &u64| {
        10_000 * u64::from(shared).pow(2) >= least.pow(2) * u64::from(a) * u64::from(b)
    };
    BANDS.iter().position(reaches).unwrap_or(BANDS.len() - 1)
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let linked: Vec<&Corpus> = collections.web.iter().filter(|web| web.has_links()).collect();
    if linked.is_empty() {
        page.say("*Left out: no collection of pages has links among them, as documentation has.*");
        return Ok(());
    }
    let pages = Pages::new(Corpus::joined(linked)?);
    let news = Corpus::joined(&collections.news)?;
    page.say(format_args!(
        "The paper says that documents slightly below a cosine of 0.9 \"can often be considered as near duplicates and \
         are correctly identified as such by I-Match\", and that other matches are \"truly spurious\": manual pages of \
         different routines in the same template, whose own words the lexicon lacks. Here are all pairs among the {} \
         pages of documentation of {}: *one page* are two versions of a page, *others* different pages. Cosine, terms and \
         lexicons as in \"Recall and precision on web pages\", rule B, seed 1.",
        pages.corpus.len(),
        pages.corpus.name,
    ));
    let everything = pages.count(pages.all(), |_| ());
    let mut rows = vec![row!["all pairs", "–"].into_iter().chain(everything.cells()).collect()];
    let (mut found, mut examples) = (Vec::new(), Examples::default());
    let lexicon = news.lexicon("kolcz")?;
    let everyone: Vec<u32> = (0..pages.corpus.len() as u32).collect();
    for (name, lexicon) in [("news", &lexicon), ("the pages", &pages.corpus.lexicon("kolcz")?)] {
        let spec = format!(
            "imatch-random:nidf=0.2..0.8,copies={MOST_COPIES},drop=0.33,seed=1,terms=kolcz,min=5"
        );
        let met = Signatures::new(&pages.tokens, &spec, lexicon)?.met(&everyone);
        let by_copies = COPIES.map(|copies| {
            let found = met.with(copies);
            let pairs = everyone
                .iter()
                .flat_map(|&a| found.of(a).iter().filter(move |&&b| a < b).map(move |&b| (a, b)));
            let counts = pages.count(pairs, |pair| examples.see(pair));
            let start = row![format!("I-Match, {name}"), copies];
            rows.push(start.into_iter().chain(counts.cells()).collect::<Vec<_>>());
            counts
        });
        found.push((name, by_copies));
    }
    let bands: Vec<String> =
        BAND_NAMES.iter().flat_map(|band| [format!("{band}: one page"), "others".into()]).collect();
    let header: Vec<&str> =
        ["pairs found by", "K"].into_iter().chain(bands.iter().map(String::as_str)).collect();
    page.table(&header, rows);
    page.say(conclusion(&everything, &found));
    if let Some(pair) = examples.spurious {
        page.say(
            "An example as figure 5: the most similar pair that I-Match finds of different pages with words of their \
             own. After each word is its nidf among news, – if no story has it:",
        );
        example(&pages, pair, &lexicon, page);
    }
    match examples.below {
        Some(pair) => {
            page.say("And the most similar versions of one page that it finds below 0.9:");
            example(&pages, pair, &lexicon, page);
        }
        None => page.say("It finds no two versions of a page below 0.9."),
    }
    Ok(())
}

/// What the table says; the counts of I-Match by lexicon and number of copies.
fn conclusion(everything: &Pairs, found: &[(&str, [Pairs; COPIES.len()])]) -> String {
    let of_lexicons = found.iter().map(|(name, counts)| {
        let [first, .., last] = counts;
        let ((below_first, others_first), (below, others)) = (first.below(), last.below());
        format!(
            "With the lexicon of {name} and ten copies I-Match finds {below} pairs below 0.9 ({below_first} without \
             copies), which lower its precision: {} versions of one page, which is the paper's first case, {} of them \
             slightly below (0.8 to 0.9), and {others} different pages ({others_first}), its second. Of what it finds at \
             0.9 and more {} are different pages ({})",
            below - others,
            last.same[1],
            of_others(last),
            of_others(first),
        )
    });
    format!(
        "{}. So most spurious matches are none by the definition: of all pairs at 0.9 and more {} are different pages. \
         \"Even the cosine-similarity definition of near-sameness can lead to such a mistake if the fraction of \
         template-induced formatting text is large enough\", as the paper says; the names of functions are not in the \
         lexicon of news, so a signature does not tell such pages apart either.",
        of_lexicons.collect::<Vec<_>>().join(". "),
        of_others(everything),
    )
}

/// The share of different pages among the pairs of the first band.
fn of_others(pairs: &Pairs) -> String {
    percent(pairs.different[0], pairs.different[0] + pairs.same[0])
}

/// A pair, side by side.
fn example(pages: &Pages, pair: Pair, lexicon: &Lexicon, page: &mut Page) {
    let texts = [pair.a, pair.b].map(|at| &pages.corpus.texts[at as usize]);
    let [a, b] = texts.map(|text| words(&text.text));
    let cells = [(&a, &b), (&b, &a)].map(|(one, other)| {
        let own: Vec<&String> = one.difference(other).collect();
        let mut listed: Vec<String> =
            own.iter().take(LISTED).map(|word| described(word, lexicon)).collect();
        if own.len() > LISTED {
            listed.push(format!("and {} more", own.len() - LISTED));
        }
        [one.len().to_string(), if listed.is_empty() { "none".into() } else { listed.join(", ") }]
    });
    let [[terms_a, own_a], [terms_b, own_b]] = cells;
    let names = texts.map(|text| format!("`{}`", text.id));
    let header: Vec<&str> = std::iter::once("").chain(names.iter().map(String::as_str)).collect();
    let rows = [row!["distinct terms", terms_a, terms_b], row!["words of it alone", own_a, own_b]];
    page.table(&header, rows);
    page.say(format_args!(
        "{} terms in common, cosine {:.3}.",
        pair.overlap.shared,
        cosine(pair.overlap)
    ));
}

/// The distinct terms of a text.
fn words(text: &str) -> BTreeSet<String> {
    let filter: TermFilter = "kolcz".parse().unwrap_or(TermFilter::ALL);
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let mut words = BTreeSet::new();
    filter.terms(&analyzer, text, &mut FilterScratch::default(), |term| {
        words.insert(String::from_utf8_lossy(term).into_owned());
    });
    words
}

/// A word with its nidf.
fn described(word: &str, lexicon: &Lexicon) -> String {
    let term = finalise(token(word.as_bytes()));
    match lexicon.frequency(term) {
        0 => format!("`{word}` –"),
        _ => format!("`{word}` {:.2}", lexicon.nidf(term)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn bands_are_exact() {
        let of = |shared, a, b| band(Overlap { shared, a, b });
        // 9/10 exactly, a little more, 8/10, a little less than 9/10, √(36/100) = 0.6, and nothing.
        assert_eq!([of(9, 10, 10), of(899, 1000, 997), of(8, 10, 10)], [0, 0, 1]);
        assert_eq!([of(899, 1000, 1000), of(3, 5, 5), of(0, 5, 5)], [1, 2, 3]);
    }

    #[test]
    fn pages_are_told_by_their_names() {
        let page = |text: &str, cluster, address| Text {
            text: text.into(),
            cluster,
            address: Some(address),
            ..Text::default()
        };
        let texts = vec![
            page("alpha beta gamma delta", Some(7), 1),
            page("alpha beta gamma delta 7x7", Some(7), 2),
            page("alpha beta gamma other", None, 3),
            page("none", None, 4),
        ];
        let pages = Pages::new(Corpus::new("test".into(), texts).unwrap());
        let mut examples = Examples::default();
        let counts = pages.count(pages.all(), |pair| examples.see(pair));
        // The third shares three of four terms with the first two, whose terms are equal.
        let expected = Pairs { same: [1, 0, 0, 0], different: [0, 0, 2, 3] };
        assert_eq!(counts, expected);
        assert_eq!(counts.below(), (5, 5));
        assert_eq!(counts.cells().concat(), "10000203");
        let spurious = examples.spurious.unwrap();
        assert_eq!((spurious.a, spurious.b), (0, 2));
        assert!(examples.below.is_none());
        let lexicon = corpus(&["alpha delta", "delta", "alpha", "delta beta"]).lexicon("").unwrap();
        let mut page = Page::default();
        example(&pages, spurious, &lexicon, &mut page);
        let text = page.into_text();
        assert!(text.contains("| words of it alone | `delta` 0.00 | `other` – |"), "{text}");
        assert!(text.contains("3 terms in common, cosine 0.750."), "{text}");
    }

    #[test]
    fn what_is_said_follows_from_the_counts() {
        let everything = Pairs { same: [1; 4], different: [3; 4] };
        let first = Pairs { same: [4, 1, 0, 0], different: [1, 1, 0, 2] };
        let last = Pairs { same: [4, 3, 1, 0], different: [4, 1, 1, 2] };
        let text = conclusion(&everything, &[("news", [first, first, first, last])]);
        assert!(
            text.contains("copies I-Match finds 8 pairs below 0.9 (4 without copies)"),
            "{text}"
        );
        assert!(
            text.contains(": 4 versions of one page, which is the paper's first case, 3 of them")
        );
        assert!(text.contains("and 4 different pages (3), its second."), "{text}");
        assert!(text.contains("at 0.9 and more 50.0 % are different pages (20.0 %). So"), "{text}");
        assert!(text.contains("pairs at 0.9 and more 75.0 % are different pages."), "{text}");
    }
}
