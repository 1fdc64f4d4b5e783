//! Cuts of whole lines, sentences and paragraphs.

use super::settings::Whole;
use std::ops::Range;

/// What ends a sentence, if white space or the next word follows.
const SENTENCE_ENDS: [char; 9] = ['.', '!', '?', '…', '。', '！', '？', '؟', '।'];

impl Whole {
    /// The runs of units without the parts of lines, sentences or paragraphs at their ends. `place` gives
    /// the bytes of each of the units of the text, `count` in number; runs are ascending and do not meet,
    /// before and after.
    ///
    /// Runs only get smaller: nothing goes that was not found twice.
    pub(super) fn within(
        self,
        text: &str,
        count: usize,
        place: &dyn Fn(usize) -> Range<usize>,
        runs: Vec<Range<usize>>,
    ) -> Vec<Range<usize>> {
        let begins = |&unit: &usize| match unit.checked_sub(1) {
            None => true,
            Some(_) if unit == count => true,
            // Units of one place, which normalisation has made of one, are not divided.
            Some(before) => {
                let (before, next) = (place(before), place(unit));
                // What ends a line may be a unit of its own.
                let ends = |c: char| c.is_whitespace() || SENTENCE_ENDS.contains(&c);
                let start = text.get(..before.end).map(|text| text.trim_end_matches(ends).len());
                let between = start.and_then(|start| text.get(start..next.start));
                before.end <= next.start && between.is_some_and(|between| self.ends_in(between))
            }
        };
        let shrink = |run: Range<usize>| {
            let start = run.clone().find(begins)?;
            let end = (start..=run.end).rev().find(begins)?;
            (start < end).then_some(start..end)
        };
        runs.into_iter().filter_map(shrink).collect()
    }

    /// Whether one of these ends in what stands between two words.
    pub(super) fn ends_in(self, between: &str) -> bool {
        match self {
            Self::Line => between.contains('\n'),
            // A line between two line ends that is blank.
            Self::Paragraph => {
                let lines: Vec<&str> = between.split('\n').collect();
                let inner = lines.get(1..lines.len() - 1).unwrap_or_default();
                inner.iter().any(|line| line.trim().is_empty())
            }
            Self::Sentence => between.contains(SENTENCE_ENDS) || Self::Paragraph.ends_in(between),
        }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::*;
    use lookalike_text::{AnalysisSettings, Analyzer};

    fn within(whole: Whole, text: &str, run: Range<usize>) -> Vec<String> {
        let mut words = Vec::new();
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        analyzer.located_tokens(text, |_, place| words.push(place));
        let runs = whole.within(text, words.len(), &|word| words[word].clone(), vec![run]);
        runs.iter().map(|run| text[words[run.start].start..words[run.end - 1].end].into()).collect()
    }

    #[test]
    fn runs_end_where_lines_sentences_and_paragraphs_do() {
        let text = "One two. Three four\nfive six! Seven\n \neight nine";
        assert_eq!(within(Whole::Line, text, 1..8), ["five six! Seven"]);
        assert_eq!(within(Whole::Sentence, text, 1..8), ["Three four\nfive six! Seven"]);
        assert_eq!(within(Whole::Paragraph, text, 0..8), ["One two. Three four\nfive six! Seven"]);
        assert_eq!(within(Whole::Paragraph, text, 0..9), [text]);
        assert_eq!(within(Whole::Paragraph, text, 1..8), [""; 0]);
        assert_eq!(within(Whole::Line, text, 7..9), ["eight nine"]);
        assert_eq!(within(Whole::Sentence, text, 0..1), [""; 0]);
    }
}
