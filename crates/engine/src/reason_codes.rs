//! Why a document is not compared, as a number in persisted files.

use lookalike_methods::Unsigned;
use std::io;

/// Reasons by number; 0 means none.
const REASONS: [Option<Unsigned>; 6] = [
    None,
    Some(Unsigned::Empty),
    Some(Unsigned::TooShort),
    Some(Unsigned::NothingSelected),
    Some(Unsigned::OnlyCommon),
    Some(Unsigned::FewFeatures),
];

/// The number of a reason.
#[must_use]
pub fn code(reason: Option<Unsigned>) -> u8 {
    match reason {
        None => 0,
        Some(Unsigned::Empty) => 1,
        Some(Unsigned::TooShort) => 2,
        Some(Unsigned::NothingSelected) => 3,
        Some(Unsigned::OnlyCommon) => 4,
        Some(Unsigned::FewFeatures) => 5,
    }
}

/// The reason with this number.
///
/// # Errors
/// There is none.
pub fn reason(code: u32) -> io::Result<Option<Unsigned>> {
    let unknown = || io::Error::other(format!("reason {code} does not exist"));
    REASONS.get(code as usize).copied().ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_come_back_and_unknown_ones_are_errors() {
        for (number, expected) in (0..).zip(REASONS) {
            assert_eq!(u32::from(code(expected)), number);
            assert_eq!(reason(number).unwrap(), expected);
        }
        assert!(reason(REASONS.len() as u32).is_err());
    }
}
