//! A number in, that page of an endless web out, with nothing kept in between.
//!
//! The primary type is [`Pages`]. Page n is a function of the sources, the seed and n alone, so any
//! thread can make any page, and thirty million of them need neither a disk nor each other. That
//! leaves no room for the edits of [`super::Generator`], which keeps recent documents and touches
//! every word: here a page is made of *scraps*, three to five words as they follow each other in
//! the sources, each a copy of a few dozen bytes. A run of ten words, Broder's shingle, then holds
//! parts of three scraps (of two in one case of many), so that pages share shingles because they
//! were made to and not by chance.
//!
//! **Near-duplicates** are planted as Broder et al. 1997 found them ("Status"): of 30 million pages
//! 12.3 million lie in 3.6 million clusters, so 29 in 100 are a version of another; 2.1 million of
//! the clusters hold identical pages only. An original is therefore *mirrored* (copied as it is),
//! *revised* (some scraps replaced in each version) or alone, and a version is one of any page
//! before it.

use super::generator::LENGTHS;
use super::{SourceError, Sources};
use lookalike_testing::prng::{MILLION, Prng};

/// Pages in a million that are versions of others: (12.3 − 3.6) / 30.
const VERSIONS: usize = 290_000;
/// Originals that are mirrored, of a million pages: 2.1 / 30.
const MIRRORED: usize = 70_000;
/// Originals that are revised: 1.5 / 30.
const REVISED: usize = 50_000;

/// Shares of scraps that a version replaces, in millionths. At the last a page and its version
/// share about 0.6 of their 10-word shingles; two versions of that kind are below a half.
const REPLACED: [u32; 5] = [5_000, 10_000, 20_000, 40_000, 80_000];

/// Words of a scrap.
const SCRAP: (usize, usize) = (3, 5);

/// Where a page comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is an original.
    Own,
    /// It is a copy of this page.
    Copy(u64),
    /// It is a revised version of this page.
    Revision(u64),
}

/// What a page is to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Version,
    Mirrored,
    Revised,
    Alone,
}

/// Makes pages.
pub struct Pages {
    seed: u64,
    words: usize,
    /// The distinct sentences, each word with a space behind it.
    text: Vec<u8>,
    /// Where each word starts, and the end of the last.
    starts: Vec<u32>,
}

impl Pages {
    /// Pages of about this many words in the median.
    ///
    /// # Errors
    /// Less text than makes sense.
    pub fn new(sources: &Sources, seed: u64, words: usize) -> Result<Self, SourceError> {
        let (mut text, mut starts) = (Vec::new(), vec![0]);
        // An address or a list without spaces is a shingle by itself, the same on every page that
        // it is on.
        let plain = |&word: &u32| {
            let word = std::str::from_utf8(sources.word(word)).unwrap_or_default();
            word.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).count() == 1
        };
        for word in sources.sentence_words().filter(plain) {
            text.extend_from_slice(sources.word(word));
            text.push(b' ');
            starts.push(text.len() as u32);
        }
        match starts.len() - 1 {
            few @ 0..100 => Err(SourceError::TooShort(few)),
            _ => Ok(Self { seed, words, text, starts }),
        }
    }

    /// Appends a page to `out`, as a line of JSON with a field `text`.
    pub fn write(&self, number: u64, out: &mut Vec<u8>) {
        let (original, mut revision) = match self.origin(number) {
            Origin::Own => (number, None),
            Origin::Copy(original) => (original, None),
            Origin::Revision(original) => (original, Some(self.stream(number))),
        };
        let mut content = self.stream(original);
        // What the page is was drawn first.
        content.bits();
        let quantile = content.below(LENGTHS.len() - 1);
        let thousandths = content.between(LENGTHS[quantile], LENGTHS[quantile + 1] - 1);
        let mut missing = (self.words * thousandths / 1000).max(super::FEWEST_WORDS);
        let rate = revision.as_mut().map_or(0, |prng| {
            prng.bits();
            REPLACED[prng.below(REPLACED.len())]
        });
        // One scrap is replaced in any case.
        let mut sure = revision.as_mut().map_or(usize::MAX, |prng| prng.below(missing / SCRAP.1));
        out.extend_from_slice(b"{\"text\":\"");
        while missing > 0 {
            let (mut scrap, length) = self.scrap(&mut content);
            if let Some(prng) = &mut revision
                && (sure == 0 || prng.happens(rate))
            {
                scrap = self.scrap(prng).0;
            }
            sure = sure.wrapping_sub(1);
            out.extend_from_slice(scrap);
            missing = missing.saturating_sub(length);
        }
        out.pop();
        out.extend_from_slice(b"\"}\n");
    }

    /// Where a page comes from: what was planted.
    #[must_use]
    pub fn origin(&self, number: u64) -> Origin {
        if self.part(number) != Part::Version {
            return Origin::Own;
        }
        let mut prng = self.stream(!number);
        // The nearest original with versions at or below a place that was drawn; none at the very
        // beginning.
        let mut at = prng.below(number as usize) as u64;
        loop {
            match self.part(at) {
                Part::Mirrored => return Origin::Copy(at),
                Part::Revised => return Origin::Revision(at),
                Part::Version | Part::Alone if at > 0 => at -= 1,
                Part::Version | Part::Alone => return Origin::Own,
            }
        }
    }

    fn part(&self, number: u64) -> Part {
        let draw = self.stream(number).below(MILLION as usize);
        match draw {
            _ if draw < VERSIONS => Part::Version,
            _ if draw < VERSIONS + MIRRORED => Part::Mirrored,
            _ if draw < VERSIONS + MIRRORED + REVISED => Part::Revised,
            _ => Part::Alone,
        }
    }

    /// The numbers that belong to a page. Mixed twice: the streams of neighbouring seeds are each
    /// other's continuation.
    #[inline]
    fn stream(&self, number: u64) -> Prng {
        Prng::new(Prng::new(self.seed ^ number.rotate_left(32)).bits() ^ number)
    }

    /// Some words and how many.
    #[inline]
    fn scrap(&self, prng: &mut Prng) -> (&[u8], usize) {
        let length = prng.between(SCRAP.0, SCRAP.1);
        let first = prng.below(self.starts.len() - 1 - length);
        (&self.text[self.starts[first] as usize..self.starts[first + length] as usize], length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_testing::oracle::{self, Measure, Ratio, Short};
    use lookalike_text::{AnalysisSettings, Terms};

    fn pages(seed: u64) -> Pages {
        let words: Vec<String> = (0..3000).map(|n| format!("w{}é\"", n * n % 2003)).collect();
        Pages::new(&Sources::from_text("a", &words.join(" ")).unwrap(), seed, 150).unwrap()
    }

    fn text(pages: &Pages, number: u64) -> String {
        let mut line = Vec::new();
        pages.write(number, &mut line);
        assert_eq!(line.pop(), Some(b'\n'));
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        value["text"].as_str().unwrap().to_owned()
    }

    /// Nothing is kept: a page is the same whatever was made before it.
    #[test]
    fn a_page_depends_on_its_number_and_seed_alone() {
        let all: Vec<String> = (0..50).map(|number| text(&pages(1), number)).collect();
        let again = pages(1);
        let backwards: Vec<String> = (0..50).rev().map(|number| text(&again, number)).collect();
        assert!(all.iter().eq(backwards.iter().rev()));
        assert!((0..50).all(|number| text(&pages(2), number) != all[number as usize]));
    }

    #[test]
    fn the_planted_are_versions_of_earlier_originals() {
        let pages = pages(1);
        let (mut copies, mut revisions) = (0, 0);
        for number in 0..4000 {
            let (original, own) = match pages.origin(number) {
                Origin::Own => continue,
                Origin::Copy(original) => (original, true),
                Origin::Revision(original) => (original, false),
            };
            assert!(original < number);
            assert_eq!(pages.origin(original), Origin::Own);
            assert_eq!(text(&pages, number) == text(&pages, original), own);
            *(if own { &mut copies } else { &mut revisions }) += 1;
        }
        let planted = copies + revisions;
        assert!((1050..1270).contains(&planted), "{planted} of 4000, asked for 1160");
        assert!(copies > revisions, "{copies} copies, {revisions} revisions");
    }

    /// By the oracle, on 10-word shingles: versions reach a half with their original, and nothing
    /// else comes near it, though the sources are as small as can be.
    #[test]
    fn only_versions_of_one_page_resemble_each_other() {
        let pages = pages(3);
        let texts: Vec<String> = (0..1500).map(|number| text(&pages, number)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let pairs = |numerator, denominator| {
            let settings = oracle::Settings {
                measure: Measure::Resemblance,
                threshold: Ratio { numerator, denominator },
                shingle: Some(10),
                terms: Terms::All,
                short: Short::Whole,
                analysis: AnalysisSettings::default(),
            };
            oracle::pairs(&texts, &settings)
        };
        let family = |number: u32| match pages.origin(number.into()) {
            Origin::Own => number.into(),
            Origin::Copy(original) | Origin::Revision(original) => original,
        };
        assert!(pairs(1, 10).iter().all(|pair| family(pair.a as u32) == family(pair.b as u32)));
        let found: std::collections::BTreeSet<(u64, u64)> =
            pairs(1, 2).iter().map(|pair| (pair.a as u64, pair.b as u64)).collect();
        let planted: Vec<(u64, u64)> = (0..1500)
            .filter(|&number| pages.origin(number) != Origin::Own)
            .map(|number| (family(number as u32), number))
            .collect();
        let near = planted.iter().filter(|pair| found.contains(pair)).count();
        assert!(near * 20 > planted.len() * 19, "{near} of {}", planted.len());
    }

    #[test]
    fn pages_have_the_length_asked_for() {
        let pages = pages(1);
        let mut sizes: Vec<usize> =
            (0..1000).map(|number| text(&pages, number).split(' ').count()).collect();
        sizes.sort_unstable();
        assert!((140..160).contains(&sizes[500]), "{}", sizes[500]);
    }
}
