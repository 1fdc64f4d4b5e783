//! Texts in, all pairs that reach a threshold out: by definition, and by counting everything.
//!
//! Shingles, resemblance and containment are Broder 1997, "Defining similarity of documents"; the
//! binary cosine of distinct terms is Kołcz & Chowdhury 2008, section 6.4. The primary function is
//! [`pairs`]. Features are the words themselves, not hashes of them; overlaps are counted through
//! an index of all features, with no filter, no bound and no order that could miss one; decisions
//! are made in integers.
//!
//! Words are those of [`crate::words`]. Only settings are types of `lookalike-text`: everything is
//! written here once more, so that a mistake in `lookalike-text`, `lookalike-core` or
//! `lookalike-engine` cannot be made here as well.

use crate::words;
use lookalike_text::{AnalysisSettings, Terms, Unit};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// Stands between the tokens of a shingle: a control character is never part of a token.
const BETWEEN: char = '\u{1f}';

/// The measure that is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// |A∩B| / |A∪B|.
    Resemblance,
    /// |A∩B| / |A|, where A is the smaller of the two sets.
    Containment,
    /// |A∩B| / sqrt(|A|·|B|).
    Cosine,
}

/// What becomes of a document with fewer tokens than a shingle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// All its tokens are its one shingle.
    Whole,
    /// It has no shingles.
    Ignore,
}

/// A threshold as a ratio of whole numbers: 0.8 is 4 / 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Above the line.
    pub numerator: u32,
    /// Below the line.
    pub denominator: u32,
}

/// Everything that decides the answer.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach.
    pub threshold: Ratio,
    /// Tokens in a shingle; `None` for distinct terms.
    pub shingle: Option<usize>,
    /// Which tokens are terms, where terms are compared.
    pub terms: Terms,
    /// What becomes of documents under one shingle.
    pub short: Short,
    /// From text to tokens.
    pub analysis: AnalysisSettings,
}

/// Two documents that reach the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Position of the first document.
    pub a: usize,
    /// Position of the second, larger than the first.
    pub b: usize,
    /// Features that both have.
    pub shared: usize,
    /// Features of the first.
    pub size_a: usize,
    /// Features of the second.
    pub size_b: usize,
}

/// Digits (`Numeric_Type` is `Decimal` or `Digit`) as of Unicode 14.0: what `str.isdigit` of Python 3.11
/// takes for digits.
const DIGITS: [RangeInclusive<char>; 81] = [
    '\u{30}'..='\u{39}',
    '\u{B2}'..='\u{B3}',
    '\u{B9}'..='\u{B9}',
    '\u{660}'..='\u{669}',
    '\u{6F0}'..='\u{6F9}',
    '\u{7C0}'..='\u{7C9}',
    '\u{966}'..='\u{96F}',
    '\u{9E6}'..='\u{9EF}',
    '\u{A66}'..='\u{A6F}',
    '\u{AE6}'..='\u{AEF}',
    '\u{B66}'..='\u{B6F}',
    '\u{BE6}'..='\u{BEF}',
    '\u{C66}'..='\u{C6F}',
    '\u{CE6}'..='\u{CEF}',
    '\u{D66}'..='\u{D6F}',
    '\u{DE6}'..='\u{DEF}',
    '\u{E50}'..='\u{E59}',
    '\u{ED0}'..='\u{ED9}',
    '\u{F20}'..='\u{F29}',
    '\u{1040}'..='\u{1049}',
    '\u{1090}'..='\u{1099}',
    '\u{1369}'..='\u{1371}',
    '\u{17E0}'..='\u{17E9}',
    '\u{1810}'..='\u{1819}',
    '\u{1946}'..='\u{194F}',
    '\u{19D0}'..='\u{19DA}',
    '\u{1A80}'..='\u{1A89}',
    '\u{1A90}'..='\u{1A99}',
    '\u{1B50}'..='\u{1B59}',
    '\u{1BB0}'..='\u{1BB9}',
    '\u{1C40}'..='\u{1C49}',
    '\u{1C50}'..='\u{1C59}',
    '\u{2070}'..='\u{2070}',
    '\u{2074}'..='\u{2079}',
    '\u{2080}'..='\u{2089}',
    '\u{2460}'..='\u{2468}',
    '\u{2474}'..='\u{247C}',
    '\u{2488}'..='\u{2490}',
    '\u{24EA}'..='\u{24EA}',
    '\u{24F5}'..='\u{24FD}',
    '\u{24FF}'..='\u{24FF}',
    '\u{2776}'..='\u{277E}',
    '\u{2780}'..='\u{2788}',
    '\u{278A}'..='\u{2792}',
    '\u{A620}'..='\u{A629}',
    '\u{A8D0}'..='\u{A8D9}',
    '\u{A900}'..='\u{A909}',
    '\u{A9D0}'..='\u{A9D9}',
    '\u{A9F0}'..='\u{A9F9}',
    '\u{AA50}'..='\u{AA59}',
    '\u{ABF0}'..='\u{ABF9}',
    '\u{FF10}'..='\u{FF19}',
    '\u{104A0}'..='\u{104A9}',
    '\u{10A40}'..='\u{10A43}',
    '\u{10D30}'..='\u{10D39}',
    '\u{10E60}'..='\u{10E68}',
    '\u{11052}'..='\u{1105A}',
    '\u{11066}'..='\u{1106F}',
    '\u{110F0}'..='\u{110F9}',
    '\u{11136}'..='\u{1113F}',
    '\u{111D0}'..='\u{111D9}',
    '\u{112F0}'..='\u{112F9}',
    '\u{11450}'..='\u{11459}',
    '\u{114D0}'..='\u{114D9}',
    '\u{11650}'..='\u{11659}',
    '\u{116C0}'..='\u{116C9}',
    '\u{11730}'..='\u{11739}',
    '\u{118E0}'..='\u{118E9}',
    '\u{11950}'..='\u{11959}',
    '\u{11C50}'..='\u{11C59}',
    '\u{11D50}'..='\u{11D59}',
    '\u{11DA0}'..='\u{11DA9}',
    '\u{16A60}'..='\u{16A69}',
    '\u{16AC0}'..='\u{16AC9}',
    '\u{16B50}'..='\u{16B59}',
    '\u{1D7CE}'..='\u{1D7FF}',
    '\u{1E140}'..='\u{1E149}',
    '\u{1E2F0}'..='\u{1E2F9}',
    '\u{1E950}'..='\u{1E959}',
    '\u{1F100}'..='\u{1F10A}',
    '\u{1FBF0}'..='\u{1FBF9}',
];

/// The tokens of a text: its words.
///
/// # Panics
/// If the unit is not the word, or letters that look alike are to be one.
#[must_use]
pub fn tokens(text: &str, settings: &Settings) -> Vec<String> {
    assert_eq!(settings.analysis.unit, Unit::Word, "only words are written here");
    words::words(text, settings.analysis.normalize)
}

/// Whether a word counts as a term.
fn keeps(terms: Terms, word: &str) -> bool {
    let digits = word.chars().filter(|&c| DIGITS.iter().any(|range| range.contains(&c)));
    terms == Terms::All || word.chars().count() >= 4 && digits.count() <= 1
}

/// The set of features of a text.
#[must_use]
pub fn features(text: &str, settings: &Settings) -> HashSet<String> {
    let tokens = tokens(text, settings);
    match settings.shingle {
        None => tokens.into_iter().filter(|term| keeps(settings.terms, term)).collect(),
        Some(size) => shingles(&tokens, size, settings.short),
    }
}

/// `S(D, w)`: the distinct contiguous runs of `size` tokens.
fn shingles(tokens: &[String], size: usize, short: Short) -> HashSet<String> {
    let join = |run: &[String]| run.join(BETWEEN.encode_utf8(&mut [0; 4]));
    if tokens.is_empty() || size == 0 {
        return HashSet::new();
    }
    if tokens.len() < size {
        return match short {
            Short::Whole => HashSet::from([join(tokens)]),
            Short::Ignore => HashSet::new(),
        };
    }
    (0..=tokens.len() - size).map(|at| join(&tokens[at..at + size])).collect()
}

/// Whether a pair with these counts reaches the threshold. Exact; no pair without a shared feature
/// does.
#[must_use]
pub fn reaches(settings: &Settings, shared: usize, size_a: usize, size_b: usize) -> bool {
    let Ratio { numerator, denominator } = settings.threshold;
    let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
    let (both, a, b) = (shared as u128, size_a as u128, size_b as u128);
    shared > 0
        && match settings.measure {
            Measure::Resemblance => both * denominator >= numerator * (a + b - both),
            Measure::Containment => both * denominator >= numerator * a.min(b),
            Measure::Cosine => (both * denominator).pow(2) >= numerator.pow(2) * a * b,
        }
}

/// The value of a measure, for people and for comparison with what others computed.
#[must_use]
pub fn value(measure: Measure, pair: &Pair) -> f64 {
    let (both, a, b) = (pair.shared as f64, pair.size_a as f64, pair.size_b as f64);
    match measure {
        Measure::Resemblance => both / (a + b - both),
        Measure::Containment => both / a.min(b),
        Measure::Cosine => both / (a * b).sqrt(),
    }
}

/// All pairs of the documents that reach the threshold, in order of `(a, b)`.
///
/// Time grows with the sum over features of the square of how many documents have them: some
/// thousand documents of ordinary text take seconds.
#[must_use]
pub fn pairs<T: AsRef<str> + Sync>(texts: &[T], settings: &Settings) -> Vec<Pair> {
    let sets: Vec<HashSet<String>> =
        texts.par_iter().map(|text| features(text.as_ref(), settings)).collect();
    let (numbered, documents_with) = index(&sets);
    let of_one = |b: usize| {
        let mut shared = vec![0usize; b];
        for &feature in &numbered[b] {
            for &a in documents_with[feature].iter().take_while(|&&a| a < b) {
                shared[a] += 1;
            }
        }
        let (numbered, size_b) = (&numbered, numbered[b].len());
        (0..b).filter_map(move |a| {
            let (shared, size_a) = (shared[a], numbered[a].len());
            reaches(settings, shared, size_a, size_b).then_some(Pair {
                a,
                b,
                shared,
                size_a,
                size_b,
            })
        })
    };
    let mut pairs: Vec<Pair> = (0..sets.len()).into_par_iter().flat_map_iter(of_one).collect();
    pairs.sort_unstable();
    pairs
}

/// Gives every feature a number; says which features a document has, and which documents have a
/// feature (in ascending order).
fn index(sets: &[HashSet<String>]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut documents_with: Vec<Vec<usize>> = Vec::new();
    let mut numbered = Vec::with_capacity(sets.len());
    for (document, set) in sets.iter().enumerate() {
        let mut of_document = Vec::with_capacity(set.len());
        for feature in set {
            let next = documents_with.len();
            let number = *numbers.entry(feature).or_insert(next);
            if number == next {
                documents_with.push(Vec::new());
            }
            documents_with[number].push(document);
            of_document.push(number);
        }
        numbered.push(of_document);
    }
    (numbered, documents_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(measure: Measure, numerator: u32, denominator: u32) -> Settings {
        Settings {
            measure,
            threshold: Ratio { numerator, denominator },
            shingle: (measure != Measure::Cosine).then_some(2),
            terms: Terms::All,
            short: Short::Whole,
            analysis: AnalysisSettings::default(),
        }
    }

    #[test]
    fn a_rose_is_a_rose_is_a_rose() {
        let mut settings = settings(Measure::Resemblance, 1, 2);
        settings.shingle = Some(4);
        let set = features("A rose is a rose, is a ROSE!", &settings);
        let expected = ["a rose is a", "rose is a rose", "is a rose is"];
        assert_eq!(set, expected.iter().map(|run| run.replace(' ', "\u{1f}")).collect());
    }

    #[test]
    fn documents_under_one_shingle_are_whole_or_nothing() {
        let mut settings = settings(Measure::Resemblance, 1, 2);
        settings.shingle = Some(4);
        assert_eq!(features("a rose is", &settings).len(), 1);
        assert!(features("", &settings).is_empty());
        settings.short = Short::Ignore;
        assert!(features("a rose is", &settings).is_empty());
        assert_eq!(features("a rose is a", &settings).len(), 1);
    }

    /// {ab, bc, cd} and {ab, bc, cx, xy, yz}: 2 shared of 3 and 5, so 2/6, 2/3.
    const FIVE: [&str; 2] = ["a b c d", "a b c x y z"];

    #[test]
    fn resemblance_by_hand() {
        let found = pairs(&FIVE, &settings(Measure::Resemblance, 1, 3));
        assert_eq!(found, [Pair { a: 0, b: 1, shared: 2, size_a: 3, size_b: 5 }]);
        assert!((value(Measure::Resemblance, &found[0]) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(pairs(&FIVE, &settings(Measure::Resemblance, 334, 1000)), []);
    }

    #[test]
    fn containment_is_that_of_the_smaller_set() {
        for texts in [FIVE, [FIVE[1], FIVE[0]]] {
            assert_eq!(pairs(&texts, &settings(Measure::Containment, 2, 3)).len(), 1);
            assert_eq!(pairs(&texts, &settings(Measure::Containment, 667, 1000)), []);
        }
    }

    /// 9 shared terms of 9 and 12: 9/sqrt(108) = 0.8660254…; of 10 and 10: 9/10 exactly.
    #[test]
    fn cosine_by_hand() {
        let nine = "b c d e f g h i j";
        let texts = [nine.to_string(), format!("{nine} k l m")];
        assert_eq!(pairs(&texts, &settings(Measure::Cosine, 86_602, 100_000)).len(), 1);
        assert_eq!(pairs(&texts, &settings(Measure::Cosine, 86_603, 100_000)), []);
        let texts = [format!("{nine} x"), format!("{nine} y {nine}")];
        assert_eq!(pairs(&texts, &settings(Measure::Cosine, 9, 10)).len(), 1);
        assert_eq!(pairs(&texts, &settings(Measure::Cosine, 901, 1000)), []);
    }

    #[test]
    fn kolcz_terms_have_four_characters_and_one_digit() {
        let mut settings = settings(Measure::Cosine, 9, 10);
        settings.terms = Terms::Kolcz;
        let set = features("The great cat 2000 web2 great", &settings);
        assert_eq!(set, ["great", "web2"].map(String::from).into());
        let set = features("cm²³ cup½½ a٣٤b x①ab", &settings);
        assert_eq!(set, ["cup½½", "x①ab"].map(String::from).into());
    }

    #[test]
    fn default_ignorable_characters_are_no_part_of_words() {
        let settings = settings(Measure::Cosine, 9, 10);
        let set = features("so\u{ad}ft \u{200b} fr\u{2060}ee\u{fe0f}", &settings);
        assert_eq!(set, ["soft", "free"].map(String::from).into());
    }

    #[test]
    fn empty_documents_resemble_nothing() {
        let texts = ["", "", "a b", "...", "b c"];
        assert_eq!(pairs(&texts, &settings(Measure::Resemblance, 1, 100)), []);
        assert_eq!(pairs(&texts, &settings(Measure::Cosine, 1, 2)).len(), 1);
    }

    #[test]
    fn the_index_counts_what_intersection_counts() {
        let words = ["a", "b", "c", "d"];
        let text =
            |n: usize| (0..9).map(|i| words[(n * 7 + i * i * (n + 3)) % 4]).collect::<Vec<_>>();
        let texts: Vec<String> = (0..40).map(|n| text(n).join(" ")).collect();
        let settings = settings(Measure::Resemblance, 1, 2);
        let sets: Vec<_> = texts.iter().map(|text| features(text, &settings)).collect();
        let mut expected = Vec::new();
        for b in 0..sets.len() {
            for a in 0..b {
                let shared = sets[a].intersection(&sets[b]).count();
                let (size_a, size_b) = (sets[a].len(), sets[b].len());
                if 2 * shared >= size_a + size_b - shared {
                    expected.push(Pair { a, b, shared, size_a, size_b });
                }
            }
        }
        expected.sort();
        assert!(expected.len() > 10);
        assert_eq!(pairs(&texts, &settings), expected);
    }
}
