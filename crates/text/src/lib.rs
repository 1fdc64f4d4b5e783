//! A document's bytes in, tokens out.
//!
//! The primary type is [`Analyzer`]. It *pushes* tokens into a closure instead of handing out an
//! iterator: the hot path then needs no allocation per token, and whoever consumes the tokens
//! (hashing them, showing them, counting them) decides what to keep.

mod settings;

pub use settings::{AnalysisSettings, Normalize, Unit};
