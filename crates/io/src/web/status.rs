//! Which HTTP responses are documents.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Which HTTP responses are documents, by status: `all`, or statuses (`200`), classes (`2xx`) and
/// ranges (`200-299`), separated by commas.
///
/// ```
/// use lookalike_io::web::StatusFilter;
///
/// let filter: StatusFilter = "200,404,50x".parse().unwrap_or_default();
/// assert_eq!(filter, StatusFilter::default());
/// let filter: StatusFilter = "200,404,5xx".parse()?;
/// assert!(filter.takes(404) && filter.takes(503) && !filter.takes(204));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StatusFilter {
    /// As written.
    written: String,
    /// `None`: all.
    ranges: Option<Vec<RangeInclusive<u16>>>,
}

impl StatusFilter {
    /// Whether a response of this status is a document.
    #[must_use]
    pub fn takes(&self, status: u16) -> bool {
        self.ranges.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.contains(&status)))
    }
}

impl Default for StatusFilter {
    /// Successful responses: `2xx`.
    fn default() -> Self {
        Self { written: "2xx".to_owned(), ranges: Some(vec![200..=299]) }
    }
}

impl FromStr for StatusFilter {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        if written == "all" {
            return Ok(Self { written: written.to_owned(), ranges: None });
        }
        let status = |digits: &str| match digits.parse() {
            Ok(status @ 100..=999) if digits.len() == 3 => Some(status),
            _ => None,
        };
        let range = |part: &str| match (part.strip_suffix("xx"), part.split_once('-')) {
            (Some(class), _) => status(&format!("{class}00")).map(|first| first..=first + 99),
            (None, Some((first, last))) => {
                status(first).zip(status(last)).filter(|(a, b)| a <= b).map(|(a, b)| a..=b)
            }
            (None, None) => status(part).map(|status| status..=status),
        };
        let ranges = written.split(',').map(range).collect::<Option<_>>().ok_or_else(|| {
            format!(
                "`{}` names no HTTP statuses; write `all`, or statuses as 200, 2xx or 200-299, separated \
                 by commas",
                written.escape_debug()
            )
        })?;
        Ok(Self { written: written.to_owned(), ranges: Some(ranges) })
    }
}

impl fmt::Display for StatusFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl TryFrom<String> for StatusFilter {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<StatusFilter> for String {
    fn from(filter: StatusFilter) -> Self {
        filter.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_chosen() {
        let takes = |written: &str| {
            let filter: StatusFilter = written.parse().unwrap();
            [199, 200, 204, 299, 300, 404].map(|status| filter.takes(status))
        };
        assert_eq!(takes("2xx"), [false, true, true, true, false, false]);
        assert_eq!(takes("200"), [false, true, false, false, false, false]);
        assert_eq!(takes("204-300,404"), [false, false, true, true, true, true]);
        assert_eq!(takes("all"), [true; 6]);
        for wrong in ["", "20", "2x", "xx", "0xx", "300-200", "200;404", "+20", "200,", "1000"] {
            assert!(wrong.parse::<StatusFilter>().is_err(), "{wrong}");
        }
    }
}
