//! From candidates and a verifier to the sets that are kept, and the matches that prove it.
//!
//! `pairs` lists all matches; `leaders` (leader clustering) and `components` (connected components)
//! decide without listing them. [`LeaderPass`] is leader clustering for engines that have the match
//! graph already.

pub(crate) mod components;
mod leader_pass;
pub(crate) mod leaders;
pub(crate) mod pairs;
mod witness;

pub use leader_pass::{Decision, EdgeOrderError, LeaderPass, MatchEdge};
pub use witness::{WitnessRule, WitnessSearch};
