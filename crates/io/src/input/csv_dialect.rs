//! How the rows of CSV and TSV files are written: the characters that separate, quote and escape.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A character with a meaning in CSV files: one ASCII character that is no line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CsvChar(pub(super) u8);

/// The character around fields that contain other characters with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum CsvQuote {
    /// Fields are not quoted: every such character is text.
    None,
    /// This one.
    Char(CsvChar),
}

impl FromStr for CsvChar {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written.as_bytes() {
            b"tab" | b"\\t" => Ok(Self(b'\t')),
            [byte] if byte.is_ascii() && !matches!(byte, b'\r' | b'\n' | 0) => Ok(Self(*byte)),
            _ => Err("write one ASCII character, or `tab`".to_owned()),
        }
    }
}

impl fmt::Display for CsvChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => f.write_str("tab"),
            byte => write!(f, "{}", char::from(byte)),
        }
    }
}

impl FromStr for CsvQuote {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written {
            "none" => Ok(Self::None),
            written => {
                written.parse().map(Self::Char).map_err(|words| format!("{words} or `none`"))
            }
        }
    }
}

impl fmt::Display for CsvQuote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Char(quote) => quote.fmt(f),
        }
    }
}

/// Settings are stored as they are written.
macro_rules! as_text {
    ($kind:ty) => {
        impl TryFrom<String> for $kind {
            type Error = String;

            fn try_from(written: String) -> Result<Self, String> {
                written.parse()
            }
        }

        impl From<$kind> for String {
            fn from(value: $kind) -> Self {
                value.to_string()
            }
        }
    };
}

as_text!(CsvChar);
as_text!(CsvQuote);

/// How the rows of one file are written. The characters are ASCII and differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvDialect {
    /// Separates fields.
    pub delimiter: u8,
    /// Encloses fields; doubled inside of one it is itself. `None`: fields are not quoted.
    pub quote: Option<u8>,
    /// Inside of quotes: makes a quote, or itself, text. Without quotes: makes a delimiter, a line
    /// end, or itself, text. Before any other character it is text itself.
    pub escape: Option<u8>,
}

impl CsvDialect {
    /// The dialect of RFC 4180.
    pub const CSV: Self = Self { delimiter: b',', quote: Some(b'"'), escape: None };
    /// The dialect of `text/tab-separated-values` (IANA), without quotes.
    pub const TSV: Self = Self { delimiter: b'\t', quote: None, escape: None };

    /// Where the text of a row ends whose line ends stand at its end.
    pub(crate) fn end_of_row(self, raw: &[u8]) -> usize {
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let end = raw.len() - raw.iter().rev().take_while(is_end).count();
        // Where there are no quotes, the first of them may be escaped. Escapes before it pair up.
        let is_escape = |byte: &&u8| self.quote.is_none() && self.escape == Some(**byte);
        let escapes = raw[..end].iter().rev().take_while(is_escape).count();
        end + usize::from(escapes % 2 == 1 && end < raw.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, FormatOptions};

    fn options(delimiter: &str, quote: &str, escape: &str) -> FormatOptions {
        let some = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        FormatOptions {
            csv_delimiter: some(delimiter),
            csv_quote: (!quote.is_empty()).then(|| quote.parse().unwrap()),
            csv_escape: some(escape),
            ..FormatOptions::default()
        }
    }

    #[test]
    fn each_format_has_its_dialect_and_settings_change_it() {
        let of = |options: &FormatOptions| {
            [Format::CSV, Format::TSV].map(|format| options.csv_dialect(format))
        };
        assert_eq!(of(&options("", "", "")), [CsvDialect::CSV, CsvDialect::TSV]);
        let [csv, tsv] = of(&options(";", "'", "\\"));
        assert_eq!(csv, CsvDialect { delimiter: b';', quote: Some(b'\''), escape: Some(b'\\') });
        assert_eq!(tsv, CsvDialect { delimiter: b'\t', ..csv });
        let [csv, tsv] = of(&options("tab", "none", ""));
        assert_eq!((csv, tsv), (CsvDialect::TSV, CsvDialect::TSV));
        assert_eq!(of(&options("", "", "\""))[0], CsvDialect::CSV);
    }

    #[test]
    fn the_characters_differ() {
        assert!(options(";", "none", "\\").check().is_ok());
        for bad in [
            options("\"", "", ""),
            options(";", ";", ""),
            options("|", "", "|"),
            options("", "", "tab"),
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_setting_is_one_character() {
        for bad in ["", ";;", "\u{e9}", "\n", "none", "\0"] {
            assert!(bad.parse::<CsvChar>().is_err(), "{bad:?}");
        }
        for good in [";", "|", "tab", "\\", "'"] {
            assert_eq!(good.parse::<CsvChar>().unwrap().to_string(), good);
            assert_eq!(good.parse::<CsvQuote>().unwrap().to_string(), good);
        }
        assert_eq!("\\t".parse::<CsvChar>(), "\t".parse());
        assert_eq!("none".parse(), Ok(CsvQuote::None));
        let options = options("tab", "none", "\\");
        let json = serde_json::to_string(&options).unwrap();
        assert!(json.contains(r#""csv_delimiter":"tab","csv_quote":"none","csv_escape":"\\""#));
        assert_eq!(serde_json::from_str::<FormatOptions>(&json).unwrap(), options);
    }
}
