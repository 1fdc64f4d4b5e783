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

/// The paper's rule and ours, each without and with the secondary lexicon.
///
/// The paper (2008, sections 3 and 6.3) ignores *documents* of fewer than five unique words, and
/// gives no threshold for |S| or |S|/|U|, "determined empirically".
pub(super) const RULES: [Rule; 4] = [
    Rule { name: "A", parameters: "min=1" },
    Rule { name: "A, filled", parameters: "min=1,share=0.1,fill=1" },
    Rule { name: "B", parameters: "min=5" },
    Rule { name: "B, filled", parameters: "min=5,fill=1" },
];

/// What the names stand for.
pub(super) const LEGEND: &str = "Rules, side by side: **A** is the paper's own for documents too short, on \
    a document's unique words alone (fewer than five: ignored), so that one term of the lexicon makes a \
    signature (`min=1`); **B** is ours, at least five terms in *each* signature (`min=5`). *Filled* is the \
    modified I-Match of 2008, section 3: terms rarer than the lexicon are added, the most frequent first \
    (`fill=1`), with A until a tenth of the document's unique words is in the signature (`share=0.1`; the \
    paper gives no threshold), with B until there are five. A signature that still lacks terms is rejected.";

/// A lexicon: lower and upper nidf, and a remark.
pub(super) const WINDOWS: [(&str, &str, &str); 2] =
    [("0.2", "0.3", "the paper's for mail"), ("0.2", "0.8", "the paper's for web pages")];

/// Number of terms of a lexicon in a window.
pub(super) fn window_len(lexicon: &Lexicon, low: &str, high: &str) -> Result<usize> {
    let share =
        |text: &str| text.parse::<Share>().map_err(|()| anyhow::anyhow!("{text} is no share"));
    Ok(lexicon.window_len(share(low)?, share(high)?))
}

/// By how much recall rose, in percent of what it was.
pub(super) fn increase(from: f64, to: f64) -> String {
    if from > 0.0 { format!("{:+.0} %", 100.0 * (to / from - 1.0)) } else { "–".into() }
}
