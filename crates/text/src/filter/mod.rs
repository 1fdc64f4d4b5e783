//! Tokens in, terms out: which tokens count, and as what.
//!
//! [`Terms`] is the filter of the exact measures (all, or Kołcz's). [`TermFilter`] is any
//! combination of the papers' rules: the five syntactic filters of Chowdhury et al. 2002, section
//! 4.2, the words of Kołcz & Chowdhury 2008, section 6.3, and the numbers and dates of Seshasai
//! 2009, section 4.2.

mod date;
mod rule;
mod set;
mod special;
mod stem;
mod stop;
mod terms;

pub use rule::TermRule;
pub use set::{FilterScratch, TermFilter, TermFilterError};
pub use terms::Terms;
