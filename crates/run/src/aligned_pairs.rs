//! Alignment of the pairs that the report shows, several at a time.

use crate::LookalikeError;
use crate::document_comparison::{lines, located};
use lookalike_engine::Progress;
use lookalike_report::{AlignedPair, PairExhibit, SettingsSummary};
use lookalike_text::Analyzer;
use rayon::prelude::*;

/// Approximate bytes of memory per byte of text while a pair is aligned: tokens, their positions
/// and forms.
const FOR_A_BYTE: u64 = 8;

/// Aligns the pairs on the threads of the current pool: by the words of their texts, or without an
/// analyzer by lines, which are ready-made features. Pairs aligned in parallel take at most
/// about `memory` bytes together; a pair that takes more is aligned alone. Cancellation is noticed
/// within milliseconds.
pub(crate) fn align_pairs(
    pairs: &[PairExhibit],
    settings: &SettingsSummary,
    analyzer: Option<&Analyzer>,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Vec<AlignedPair>, LookalikeError> {
    let cancelled = || progress.cancelled();
    let align = |pair: &PairExhibit| match analyzer {
        Some(analyzer) => AlignedPair::new(pair, settings, &located(analyzer), &cancelled),
        None => AlignedPair::new(pair, settings, &lines, &cancelled),
    };
    let mut aligned = Vec::with_capacity(pairs.len());
    while let Some(rest @ [_, ..]) = pairs.get(aligned.len()..) {
        let side_by_side = &rest[..fitting(rest, memory)];
        let these: Result<Vec<_>, _> = side_by_side.par_iter().map(align).collect();
        aligned.extend(these?);
    }
    Ok(aligned)
}

/// How many of the first pairs, at least one, fit in `memory` bytes while they are aligned.
fn fitting(pairs: &[PairExhibit], memory: u64) -> usize {
    let bytes = |pair: &PairExhibit| (pair.a.text.len() + pair.b.text.len()) as u64 * FOR_A_BYTE;
    let sums = pairs.iter().scan(0u64, |sum, pair| {
        *sum += bytes(pair);
        Some(*sum)
    });
    sums.take_while(|&sum| sum <= memory).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_engine::Silent;
    use lookalike_report::{DocExhibit, ReportError};
    use lookalike_text::AnalysisSettings;

    struct Stopped;

    impl Progress for Stopped {
        fn cancelled(&self) -> bool {
            true
        }
    }

    fn pairs() -> Vec<PairExhibit> {
        let document = |id: &str, words: usize| DocExhibit {
            id: id.into(),
            text: "word ".repeat(words),
            ..DocExhibit::default()
        };
        let pair = |n: usize| PairExhibit {
            a: document(&format!("a{n}"), 10 * n),
            b: document(&format!("b{n}"), 10),
            ..PairExhibit::default()
        };
        (0..7).map(pair).collect()
    }

    #[test]
    fn pairs_stay_in_order_whatever_the_memory() {
        let (pairs, settings) = (pairs(), SettingsSummary::default());
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let drawn = |memory| {
            let aligned = align_pairs(&pairs, &settings, Some(&analyzer), memory, &Silent).unwrap();
            format!("{aligned:?}")
        };
        let one_by_one = drawn(0);
        for number in 0..7 {
            assert!(one_by_one.contains(&format!("a{number}")));
        }
        assert_eq!(drawn(u64::MAX), one_by_one);
        assert_eq!(drawn(3000), one_by_one);
    }

    #[test]
    fn as_many_as_fit_are_aligned_side_by_side() {
        let pairs = pairs();
        // Texts of 50, 100, 150, … bytes.
        assert_eq!(fitting(&pairs, 0), 1);
        assert_eq!(fitting(&pairs, 8 * 149), 1);
        assert_eq!(fitting(&pairs, 8 * 150), 2);
        assert_eq!(fitting(&pairs, 8 * 300), 3);
        assert_eq!(fitting(&pairs, u64::MAX), 7);
    }

    #[test]
    fn a_stop_is_an_error() {
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let settings = SettingsSummary::default();
        let stopped = align_pairs(&pairs(), &settings, Some(&analyzer), u64::MAX, &Stopped);
        assert!(matches!(stopped, Err(LookalikeError::Report(ReportError::Cancelled))));
    }
}
