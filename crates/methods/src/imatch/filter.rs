//! I-Match term filters, by name.
//!
//! Chowdhury et al. 2002, section 4.1 and Tables IX and X. A level is the share that is *filtered*:
//! with Doc-L-90 "only the 10% most infrequent terms are used", with IDF-L-10 "only the terms with
//! normalized idf values of 0.1 or greater" (section 4.3). If text and tables differ, the tables
//! are followed, because they were measured: Doc-l and Doc-h filter the same 143 documents at every
//! level, so the number of dropped terms is rounded down and one term always remains, although
//! section 4.1 says that very small documents are filtered; and DocR-I filters as many at f1f9 as
//! at f2f8, and more after that, which rounding both ends inward reproduces.

use super::nidf::{Frequencies, Share, above, at_least};
use super::ranks::Ranks;
use std::fmt;
use std::str::FromStr;

/// A filter of Tables IX and X. The tables' f1 to f9 are the percentages 10 to 90; any percentage
/// is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// `baseline`: every term. In the paper after stemming and without special characters.
    Baseline,
    /// `doc-l-90`: of the document's terms all but the 90 % of lowest idf.
    DocL(u32),
    /// `doc-h-90`: all but the 90 % of highest idf.
    DocH(u32),
    /// `docr-i-10-90`: the terms whose rank by idf is inside the two percentages.
    DocRI(u32, u32),
    /// `docr-o-10-90`: the terms whose rank is outside.
    DocRO(u32, u32),
    /// `idf-l-10`: terms of nidf 0.1 or more.
    IdfL(u32),
    /// `idf-h-10`: terms of nidf under 0.1.
    IdfH(u32),
    /// `idfr-i-10-90`: terms of nidf 0.1 to 0.9.
    IdfRI(u32, u32),
    /// `idfr-o-10-90`: terms of nidf under 0.1 or over 0.9.
    IdfRO(u32, u32),
}

/// The terms that a filter selects, given a collection's frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// Every term.
    All,
    /// By rank among the document's own terms.
    Ranks(Ranks),
    /// By document frequency, in one of two ranges.
    Frequencies([Frequencies; 2]),
}

impl Filter {
    /// Every experiment of Table IX, in its order.
    pub fn table_ix() -> impl Iterator<Item = Self> {
        let levels = || (1..10).map(|level| level * 10);
        let pairs = || (1..5).map(|level| (level * 10, 100 - level * 10));
        std::iter::once(Self::Baseline)
            .chain(levels().map(Self::DocH))
            .chain(levels().map(Self::DocL))
            .chain(levels().map(Self::IdfH))
            .chain(levels().map(Self::IdfL))
            .chain(pairs().map(|(a, b)| Self::DocRO(a, b)))
            .chain(pairs().map(|(a, b)| Self::DocRI(a, b)))
            .chain(pairs().map(|(a, b)| Self::IdfRO(a, b)))
            .chain(pairs().map(|(a, b)| Self::IdfRI(a, b)))
    }

    /// The selection of the filter if document frequencies are in `range`. A term that is not in
    /// the collection has frequency 1 here, as `idf = log(N/n)` is not defined for n = 0.
    pub(super) fn selection(self, range: (u32, u32)) -> Selection {
        let share = Share::percent;
        let only = |least, most| {
            Selection::Frequencies([Frequencies { least, most }, Frequencies { least: 1, most: 0 }])
        };
        let greatest = u32::MAX;
        match self {
            Self::Baseline => Selection::All,
            Self::DocL(level) => Selection::Ranks(Ranks::AllButFirst(share(level))),
            Self::DocH(level) => Selection::Ranks(Ranks::AllButLast(share(level))),
            Self::DocRI(from, to) => Selection::Ranks(Ranks::Inside(share(from), share(to))),
            Self::DocRO(from, to) => Selection::Ranks(Ranks::Outside(share(from), share(to))),
            Self::IdfL(level) => only(1, at_least(share(level), range)),
            Self::IdfH(level) => only(at_least(share(level), range).saturating_add(1), greatest),
            Self::IdfRI(from, to) => {
                only(above(share(to), range) + 1, at_least(share(from), range))
            }
            Self::IdfRO(from, to) => Selection::Frequencies([
                Frequencies { least: 1, most: above(share(to), range) },
                Frequencies {
                    least: at_least(share(from), range).saturating_add(1),
                    most: greatest,
                },
            ]),
        }
    }
}

impl FromStr for Filter {
    type Err = ();

    /// `doc-l-90`, or as in the tables `Doc-l-f9`, `DocR-I-f1f9`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.to_ascii_lowercase();
        if text == "baseline" {
            return Ok(Self::Baseline);
        }
        let (family, rest) = text.split_once('-').ok_or(())?;
        let (side, levels) = rest.split_once('-').ok_or(())?;
        let levels = levels_of(levels).ok_or(())?;
        match (family, side, levels[..].as_ref()) {
            ("doc", "l", &[level]) => Ok(Self::DocL(level)),
            ("doc", "h", &[level]) => Ok(Self::DocH(level)),
            ("idf", "l", &[level]) => Ok(Self::IdfL(level)),
            ("idf", "h", &[level]) => Ok(Self::IdfH(level)),
            ("docr", "i", &[from, to]) if from <= to => Ok(Self::DocRI(from, to)),
            ("docr", "o", &[from, to]) if from <= to => Ok(Self::DocRO(from, to)),
            ("idfr", "i", &[from, to]) if from <= to => Ok(Self::IdfRI(from, to)),
            ("idfr", "o", &[from, to]) if from <= to => Ok(Self::IdfRO(from, to)),
            _ => Err(()),
        }
    }
}

/// `90`, `10-90`, `f9` or `f1f9` as percentages.
fn levels_of(text: &str) -> Option<Vec<u32>> {
    let (parts, unit) = match text.strip_prefix('f') {
        Some(rest) => (rest.split('f'), 10),
        None => {
            let levels = text.split('-').map(|part| level_of(part, 1));
            return levels.collect();
        }
    };
    parts.map(|part| level_of(part, unit)).collect()
}

fn level_of(text: &str, unit: u32) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let level = text.parse::<u32>().ok().filter(|_| digits)?.checked_mul(unit)?;
    (level <= 100).then_some(level)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline => f.write_str("baseline"),
            Self::DocL(level) => write!(f, "doc-l-{level}"),
            Self::DocH(level) => write!(f, "doc-h-{level}"),
            Self::DocRI(from, to) => write!(f, "docr-i-{from}-{to}"),
            Self::DocRO(from, to) => write!(f, "docr-o-{from}-{to}"),
            Self::IdfL(level) => write!(f, "idf-l-{level}"),
            Self::IdfH(level) => write!(f, "idf-h-{level}"),
            Self::IdfRI(from, to) => write!(f, "idfr-i-{from}-{to}"),
            Self::IdfRO(from, to) => write!(f, "idfr-o-{from}-{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_ix_has_a_baseline_and_52_experiments() {
        let all: Vec<Filter> = Filter::table_ix().collect();
        let distinct: std::collections::HashSet<String> =
            all.iter().map(Filter::to_string).collect();
        assert_eq!((all.len(), distinct.len()), (53, 53));
        assert!(all.iter().all(|filter| filter.to_string().parse() == Ok(*filter)));
    }

    #[test]
    fn names_of_the_tables_are_understood() {
        assert_eq!("Doc-L-90".parse(), Ok(Filter::DocL(90)));
        assert_eq!("IDF-h-f1".parse(), Ok(Filter::IdfH(10)));
        assert_eq!("DocR-I-f1f9".parse(), Ok(Filter::DocRI(10, 90)));
        assert_eq!("IDFR-O-f4f6".parse(), Ok(Filter::IdfRO(40, 60)));
        for bad in [
            "",
            "doc",
            "doc-l",
            "doc-l-",
            "doc-l-101",
            "doc-x-10",
            "docr-i-10",
            "docr-i-90-10",
            "doc-l-f11",
            "doc-l-1-2",
            "idf-l-+1",
            "doc-l-f",
        ] {
            assert!(bad.parse::<Filter>().is_err(), "{bad}");
        }
    }

    /// Frequencies 8, 4, 2, 1 (nidf 0, 1/3, 2/3, 1), and the terms that each filter keeps.
    #[test]
    fn idf_filters_by_hand() {
        for (filter, kept) in [
            ("idf-l-10", &[4, 2, 1][..]),
            ("idf-l-0", &[8, 4, 2, 1]),
            ("idf-h-10", &[8]),
            ("idf-h-50", &[8, 4]),
            ("idf-h-0", &[]),
            ("idfr-i-10-90", &[4, 2]),
            ("idfr-o-10-90", &[8, 1]),
            ("idfr-i-0-100", &[8, 4, 2, 1]),
            ("idfr-o-0-100", &[]),
        ] {
            let Selection::Frequencies(ranges) =
                filter.parse::<Filter>().unwrap().selection((1, 8))
            else {
                panic!("{filter} is by frequency")
            };
            let left: Vec<u32> = [8, 4, 2, 1]
                .into_iter()
                .filter(|&n| ranges.iter().any(|range| range.contains(n)))
                .collect();
            assert_eq!(left, kept, "{filter}");
        }
    }

    /// L and H of one level are disjoint and together complete; so are I and O.
    #[test]
    fn low_and_high_are_complements() {
        let keeps = |filter: Filter, n| match filter.selection((3, 5000)) {
            Selection::Frequencies(ranges) => ranges.iter().any(|range| range.contains(n)),
            _ => panic!("by frequency"),
        };
        for n in [1, 3, 4, 60, 122, 123, 999, 4999, 5000, 6000] {
            for level in 0..=100 {
                assert_ne!(keeps(Filter::IdfL(level), n), keeps(Filter::IdfH(level), n));
            }
            assert_ne!(keeps(Filter::IdfRI(20, 80), n), keeps(Filter::IdfRO(20, 80), n));
        }
    }
}
