//! A document's bytes in, tokens out.
//!
//! The primary type is [`Analyzer`]. It *pushes* tokens into a closure instead of returning an
//! iterator, so the hot path has no allocation per token, and the consumer (hashing, display,
//! counting) decides what to keep.
//!
//! Before it, [`decode_html`] and [`decode_text`] convert bytes to text, and [`extract`] removes
//! markup. [`Terms`] selects the tokens that a measure counts, [`TermFilter`] the terms of a
//! method.
//!
//! Decoding needs the feature `encodings`, markup the feature `html`; both are on by default.
//!
//! ```
//! # #[cfg(feature = "html")] {
//! use lookalike_text::{AnalysisSettings, Analyzer, Scratch, Terms, decode_html, extract};
//!
//! let page = decode_html("<h1>Crêpes</h1><p>2 œufs &amp; 1 l de LAIT".as_bytes());
//! let text = extract(&page.text).text;
//! assert_eq!(text, "Crêpes\n2 œufs & 1 l de LAIT");
//!
//! let analyzer = Analyzer::new(&AnalysisSettings::default());
//! let mut scratch = Scratch::default(); // one for each thread, used again for every document
//! let mut terms = Vec::new();
//! analyzer.tokens(&text, &mut scratch, |token| {
//!     if Terms::Kolcz.keeps(token) {
//!         terms.push(String::from_utf8_lossy(token).into_owned());
//!     }
//! });
//! assert_eq!(terms, ["crêpes", "œufs", "lait"]);
//!
//! // The same tokens, each with its place in the text.
//! analyzer.located_tokens(&text, |token, place| {
//!     assert_eq!(text[place].to_lowercase(), token);
//! });
//! # }
//! ```

mod analyzer;
mod casing;
#[cfg(feature = "encodings")]
mod charset;
mod classes;
mod confusables;
mod cut;
#[cfg(feature = "encodings")]
mod decode;
#[cfg(feature = "html")]
mod elements;
mod filter;
#[cfg(feature = "html")]
mod html;
mod located;
mod masks;
mod normal;
mod operators;
mod page;
#[cfg(feature = "html")]
mod page_builder;
mod parts;
#[cfg(feature = "encodings")]
mod prescan;
#[cfg(feature = "html")]
mod quotes;
#[cfg(feature = "html")]
mod reference;
mod rules;
mod scan;
mod settings;
#[cfg(feature = "html")]
mod tag;
mod window;

pub use analyzer::{ANALYSIS_NAME, Analyzer, Batch, Scratch};
#[cfg(feature = "encodings")]
pub use charset::{Decoded, decode_labelled};
pub use cut::{NotCut, TextEdit, cut_bytes, cut_edits, cut_words, divisible, edited};
#[cfg(feature = "encodings")]
pub use decode::{decode_html, decode_page, decode_plain, decode_text};
pub use filter::{FilterScratch, TermFilter, TermFilterError, TermRule, Terms};
#[cfg(feature = "html")]
pub use html::extract;
pub use normal::{Replaced, composed};
pub use operators::{OperatorScratch, Operators};
pub use page::{Mark, MarkKind, Page};
pub use parts::{PartReader, PartScratch, TITLE_WORDS, TextPart};
#[cfg(feature = "html")]
pub use quotes::replace_quotes;
pub use settings::{AnalysisSettings, Case, Normalize, Tokens, Unit};
