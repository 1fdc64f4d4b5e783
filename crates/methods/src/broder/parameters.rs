//! Parameters that many sketches share, and their parsers.
//!
//! Each default is stated once, in the [`Parameter`] that the help shows, and parsed from there.

use super::Shingling;
use crate::{Parameter, Params, SpecError};
use lookalike_core::{ShortDocuments, Threshold};
use std::str::FromStr;

pub(crate) const W10: Parameter =
    Parameter { name: "w", default: "10", help: "tokens in a shingle" };

pub(crate) const W5: Parameter = Parameter { name: "w", default: "5", help: "tokens in a shingle" };

pub(crate) const M: Parameter =
    Parameter { name: "m", default: "25", help: "one shingle in m is kept" };

pub(crate) const BITS: Parameter = Parameter {
    name: "bits",
    default: "64",
    help: "bits of a fingerprint: 64, or 40 as in the paper",
};

pub(crate) const T_HALF: Parameter =
    Parameter { name: "t", default: "0.5", help: "threshold, above 0 and at most 1" };

pub(crate) const T_80: Parameter =
    Parameter { name: "t", default: "0.8", help: "threshold, above 0 and at most 1" };

pub(crate) const POLICY: Parameter = Parameter {
    name: "policy",
    default: "resemblance",
    help: "measure that has to reach t: resemblance, or containment (of either document in the other)",
};

pub(crate) const SHORT: Parameter = Parameter {
    name: "short",
    default: "ignore",
    help: "documents too short for the method: ignore them as in the paper, or sign the whole text as one value",
};

/// The validated value of a parameter, or its documented default.
pub(crate) fn read<T: FromStr>(
    params: &Params<'_>,
    parameter: &Parameter,
    expected: &str,
    fits: impl Fn(&T) -> bool,
) -> Result<T, SpecError> {
    let text = params.text(parameter.name).unwrap_or(parameter.default);
    let value = text.parse().ok().filter(fits);
    value.ok_or_else(|| params.bad(parameter.name, expected))
}

/// A whole number of at least 1 and at most `most`.
pub(crate) fn count(
    params: &Params<'_>,
    parameter: &Parameter,
    most: u32,
) -> Result<u32, SpecError> {
    let expected = format!("a whole number from 1 to {most}");
    read(params, parameter, &expected, |&value: &u32| (1..=most).contains(&value))
}

/// A threshold in (0, 1].
pub(crate) fn threshold(
    params: &Params<'_>,
    parameter: &Parameter,
) -> Result<Threshold, SpecError> {
    read(params, parameter, "a decimal above 0 and at most 1, such as 0.8", |_| true)
}

/// `short=ignore` or `short=whole`.
pub(crate) fn short(params: &Params<'_>) -> Result<ShortDocuments, SpecError> {
    match params.text(SHORT.name).unwrap_or(SHORT.default) {
        "ignore" => Ok(ShortDocuments::Ignore),
        "whole" => Ok(ShortDocuments::Whole),
        _ => Err(params.bad(SHORT.name, "ignore or whole")),
    }
}

/// `w` and `short`.
pub(crate) fn shingling(params: &Params<'_>, w: &Parameter) -> Result<Shingling, SpecError> {
    Ok(Shingling { w: count(params, w, 1000)?, short: short(params)? })
}
