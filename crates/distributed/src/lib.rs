//! Runs over several machines: the steps between the shuffles of an engine, and sets and signatures
//! for a search of the caller's.

pub mod steps;
mod text_signer;

pub use text_signer::{Lists, SignedTexts, TextSigner, Wants};
