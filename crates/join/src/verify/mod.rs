//! Verification: what decides whether a candidate pair matches.
//!
//! The searches ([`crate::survivors`]) use a [`Verifier`] and do not know which. [`ExactVerifier`]
//! intersects whole sets and estimates nothing; [`KeyVerifier`] accepts every candidate. [`verify`]
//! is the step for engines that shuffle data by themselves.

mod accepted;
mod by_key;
mod contained;
mod exact;
mod may_match;
mod pair;
mod set_counts;
mod summaries;
mod verifier;

pub(crate) use accepted::AcceptedVerifier;
pub use by_key::KeyVerifier;
pub use contained::is_contained;
pub use exact::ExactVerifier;
pub(crate) use may_match::MayMatchVerifier;
pub use pair::verify;
pub use set_counts::COUNTS_SHARE;
pub use verifier::Verifier;
