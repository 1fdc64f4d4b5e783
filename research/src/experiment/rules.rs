//! When a signature of I-Match is reliable: the rules that the experiments hold against each other.

use anyhow::Result;
use lookalike_lexicon::Lexicon;
use lookalike_methods::imatch::Share;

/// A rule, as parameters of `imatch-random`.
pub(super) struct Rule {
    /// How the page calls it.
    pub(super) name: &'static str,
    /// `min`, `share` and `fill`.
    pub(super) parameters: &'static str,
}

/// The weakest rule that the paper allows and ours, each without and with the secondary lexicon.
///
/// The paper (2008, section 3) rejects a signature whose |S| or |S|/|U| is below a threshold that it
/// does not name, "determined empirically". Mails of fewer than five unique words are ignored
/// (section 6.3); that is a rule on documents, and on mail only.
pub(super) const RULES: [Rule; 4] = [
    Rule { name: "A", parameters: "min=1" },
    Rule { name: "A, filled", parameters: "min=1,share=0.1,fill=1" },
    Rule { name: "B", parameters: "min=5" },
    Rule { name: "B, filled", parameters: "min=5,fill=1" },
];

/// What the names stand for.
pub(super) const LEGEND: &str = "Rules, side by side. The paper rejects a signature of fewer terms \
    than a threshold that it does not name (2008, section 3); **A** is the lowest threshold there is, one term \
    (`min=1`), **B** is ours, at least five terms in *each* signature (`min=5`). That mails of fewer than five \
    unique words are ignored (section 6.3) is a rule of the paper on documents, and on mail only. *Filled* is the \
    modified I-Match of 2008, section 3: terms rarer than the lexicon are added, the most frequent first \
    (`fill=1`), with A until a tenth of the document's unique words is in the signature (`share=0.1`; the \
    paper names no share either), with B until there are five. A signature that still lacks terms is rejected.";

/// A lexicon: lower and upper nidf, and a remark.
pub(super) const WINDOWS: [(&str, &str, &str); 2] =
    [("0.2", "0.3", "the paper's for mail"), ("0.2", "0.8", "the paper's for web pages")];

/// Document frequencies of the terms of a lexicon in a window.
pub(super) fn window(lexicon: &Lexicon, low: &str, high: &str) -> Result<Vec<u32>> {
    let share =
        |text: &str| text.parse::<Share>().map_err(|()| anyhow::anyhow!("{text} is no share"));
    Ok(lexicon.window(share(low)?, share(high)?).map(|term| term.frequency).collect())
}

/// In how many documents a term of this nidf is: nidf is idf scaled to 0 … 1 between the most and
/// the least frequent term (docs/how-to/lexicon.md).
pub(super) fn frequency((least, most): (u32, u32), nidf: f64) -> f64 {
    f64::from(most).powf(1.0 - nidf) * f64::from(least).powf(nidf)
}

/// The nidf of a term in so many documents.
pub(super) fn nidf((least, most): (u32, u32), frequency: f64) -> f64 {
    let (least, most) = (f64::from(least), f64::from(most));
    (most / frequency).ln() / (most / least).ln()
}

/// By how much recall rose, in percent of what it was.
pub(super) fn increase(from: f64, to: f64) -> String {
    if from > 0.0 { format!("{:+.0} %", 100.0 * (to / from - 1.0)) } else { "–".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nidf_is_scaled_between_the_most_and_the_least_frequent() {
        let range = (1, 10_000);
        assert!((frequency(range, 0.5) - 100.0).abs() < 1e-9);
        assert!((nidf(range, 1000.0) - 0.25).abs() < 1e-9);
        assert!((frequency((10, 1000), 1.0) - 10.0).abs() < 1e-9);
        assert!((nidf((10, 1000), 100.0) - 0.5).abs() < 1e-9);
    }
}
