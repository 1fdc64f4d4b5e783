//! In how many documents of a site a shingle is boilerplate.

use crate::LookalikeError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Parts of a whole in a [`BoilerplateLimit::Share`]: a percentage has up to four decimals.
const WHOLE: u32 = 1_000_000;

/// A share of fewer documents than this is no evidence: two versions of a page share nearly all of
/// their shingles.
const LEAST: u32 = 10;

/// The share of [`BoilerplateLimit::Auto`], in parts of a million (measured in
/// docs/design/boilerplate.md).
const AUTO: u32 = 50_000;

/// In more than how many distinct documents of a site a shingle is boilerplate.
///
/// ```
/// use lookalike::settings::BoilerplateLimit;
///
/// let limit: BoilerplateLimit = "12.5%".parse()?;
/// assert_eq!((limit.most(1000), limit.most(16)), (125, 10));
/// assert_eq!(limit.to_string(), "12.5%");
/// assert_eq!("100".parse::<BoilerplateLimit>()?.most(7), 100);
/// # Ok::<(), lookalike::LookalikeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BoilerplateLimit {
    /// So many documents.
    Documents(u32),
    /// A share of the documents of a site, in parts of a million, and at least ten documents.
    Share(u32),
    /// The share that separated templates from content in the collections measured: 5 %.
    Auto,
}

impl BoilerplateLimit {
    /// The largest number of distinct documents whose common shingles are not boilerplate, of a
    /// site with so many.
    #[must_use]
    pub fn most(self, documents: u32) -> u32 {
        let share = |parts: u32| {
            let most = u64::from(documents) * u64::from(parts) / u64::from(WHOLE);
            (most as u32).max(LEAST)
        };
        match self {
            Self::Documents(most) => most,
            Self::Share(parts) => share(parts),
            Self::Auto => share(AUTO),
        }
    }
}

impl FromStr for BoilerplateLimit {
    type Err = LookalikeError;

    fn from_str(written: &str) -> Result<Self, LookalikeError> {
        let wrong = || {
            LookalikeError::Settings(format!(
                "the setting boilerplate={written} is neither a number of documents (100), nor a share \
                 of the documents of a site (5%, at most 100 %), nor auto"
            ))
        };
        if written == "auto" {
            return Ok(Self::Auto);
        }
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        match written.strip_suffix('%') {
            None if is_number(written) => match written.parse() {
                Ok(most) if most > 0 => Ok(Self::Documents(most)),
                _ => Err(wrong()),
            },
            None => Err(wrong()),
            Some(share) => {
                let (whole, decimals) = share.split_once('.').unwrap_or((share, "0"));
                let written_well = !whole.is_empty()
                    && (1..=4).contains(&decimals.len())
                    && is_number(whole)
                    && is_number(decimals);
                let parts = format!("{whole}{decimals:0<4}").parse();
                match parts {
                    Ok(parts) if written_well && (1..=WHOLE).contains(&parts) => {
                        Ok(Self::Share(parts))
                    }
                    _ => Err(wrong()),
                }
            }
        }
    }
}

impl fmt::Display for BoilerplateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Documents(most) => most.fmt(f),
            Self::Share(parts) => {
                let percent = WHOLE / 100;
                let decimals = format!("{:04}", parts % percent);
                match decimals.trim_end_matches('0') {
                    "" => write!(f, "{}%", parts / percent),
                    decimals => write!(f, "{}.{decimals}%", parts / percent),
                }
            }
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl TryFrom<String> for BoilerplateLimit {
    type Error = LookalikeError;

    fn try_from(written: String) -> Result<Self, LookalikeError> {
        written.parse()
    }
}

impl From<BoilerplateLimit> for String {
    fn from(limit: BoilerplateLimit) -> Self {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_written() {
        for (written, most_of_1000) in
            [("1", 1), ("4000000000", 4_000_000_000), ("5%", 50), ("0.5%", 10), ("100%", 1000)]
        {
            let limit: BoilerplateLimit = written.parse().unwrap();
            assert_eq!((limit.to_string().as_str(), limit.most(1000)), (written, most_of_1000));
        }
        assert_eq!("2.50%".parse::<BoilerplateLimit>().unwrap().to_string(), "2.5%");
        let all = BoilerplateLimit::Share(WHOLE);
        assert_eq!(all.most(u32::MAX), u32::MAX);
        for wrong in [
            "",
            "0",
            "-1",
            "+5",
            "5 %",
            "%",
            ".5%",
            "5.%",
            "101%",
            "0%",
            "0.00001%",
            "x",
            "5000000000",
            "Auto",
        ] {
            let error = wrong.parse::<BoilerplateLimit>().unwrap_err().to_string();
            assert!(error.contains("boilerplate="), "{wrong}: {error}");
        }
    }
}
