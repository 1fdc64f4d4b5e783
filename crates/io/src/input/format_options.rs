//! Options of single formats that change the texts.

use std::num::NonZeroU32;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use lookalike_text::decode_plain;
use serde::{Deserialize, Serialize};

use super::{CsvChar, CsvDialect, CsvQuote, Extractor, Format, InputError};
use crate::web::StatusFilter;

/// Options of single formats that change the texts; files of other formats are read as without them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormatOptions {
    /// How text and Markdown files are encoded that are not UTF-8 (`text_encoding`). `None`: malformed
    /// bytes are replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_encoding: Option<TextEncoding>,
    /// What separates the columns of CSV files (`csv_delimiter`). `None`: a comma, or what a first line
    /// `sep=` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csv_delimiter: Option<CsvChar>,
    /// What encloses fields of CSV and TSV files (`csv_quote`). `None`: `"` in CSV, nothing in TSV.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csv_quote: Option<CsvQuote>,
    /// What makes a quote inside of a field text, in CSV and TSV files (`csv_escape`). `None`: only
    /// doubling it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csv_escape: Option<CsvChar>,
    /// Responses of WARC files that are documents (the setting `warc_status`).
    pub warc_status: StatusFilter,
    /// Quoted text in plain text parts of mail messages (`mail_quotes`).
    pub mail_quotes: KeepOrDrop,
    /// Signatures in plain text parts of mail messages (`mail_signatures`).
    pub mail_signatures: KeepOrDrop,
    /// HTML parts of mail messages (`mail_html`).
    pub mail_html: KeepOrDrop,
    /// Attachments of mail messages (`mail_attachments`). `None`: they are compared, or treated as the
    /// index says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail_attachments: Option<MailAttachments>,
    /// Commands that extract the text of files, one for an extension (`extract`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extract: Vec<Extractor>,
    /// Seconds that such a command may take for a file (`extract_timeout`). `None`: 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract_timeout: Option<NonZeroU32>,
}

impl FormatOptions {
    /// The dialect of files of a format.
    #[must_use]
    pub fn csv_dialect(&self, format: Format) -> CsvDialect {
        let usual = if format == Format::TSV { CsvDialect::TSV } else { CsvDialect::CSV };
        let delimiter = self.csv_delimiter.filter(|_| format != Format::TSV);
        let quote = match self.csv_quote {
            None => usual.quote,
            Some(CsvQuote::None) => None,
            Some(CsvQuote::Char(CsvChar(quote))) => Some(quote),
        };
        // A quote that escapes a quote is a doubled one.
        let escape = self.csv_escape.map(|CsvChar(escape)| escape).filter(|e| quote != Some(*e));
        CsvDialect {
            delimiter: delimiter.map_or(usual.delimiter, |CsvChar(byte)| byte),
            quote,
            escape,
        }
    }

    /// Checks that the characters of both formats differ.
    fn check_csv(&self) -> Result<(), InputError> {
        // Without a setting, the characters differ.
        let twice = |format| {
            let CsvDialect { delimiter, quote, escape } = self.csv_dialect(format);
            let repeated = quote == Some(delimiter) || escape == Some(delimiter);
            repeated.then_some(delimiter)
        };
        match twice(Format::CSV).or_else(|| twice(Format::TSV)) {
            None => Ok(()),
            Some(character) => {
                Err(InputError::CsvCharacters { character: CsvChar(character).to_string() })
            }
        }
    }

    /// Checks that no two commands are for one extension, and that no two characters of CSV files are
    /// the same.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        self.check_csv()?;
        let repeated = |(at, one): &(usize, &Extractor)| {
            self.extract[..*at].iter().any(|earlier| earlier.is_for_those_of(one))
        };
        match self.extract.iter().enumerate().find(repeated) {
            None => Ok(()),
            Some((_, second)) => {
                Err(InputError::TwoCommands { extension: second.extension().to_owned() })
            }
        }
    }

    /// As results record them: URLs in commands are without what may be secret.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self { extract: self.extract.iter().map(Extractor::recorded).collect(), ..self.clone() }
    }

    /// The command for a file of this name, if there is one.
    pub(crate) fn extractor(&self, name: &Path) -> Option<&Extractor> {
        self.extract.iter().find(|extractor| extractor.is_for(name))
    }

    /// How long a command may take.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.extract_timeout.map_or(60, |seconds| seconds.get().into()))
    }

    /// Whether all of them are the defaults.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An encoding of text in which ASCII bytes are ASCII, other than UTF-8, by a name that mails and pages
/// use: `windows-1251`, `gb18030`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextEncoding(String);

impl TextEncoding {
    /// The text of a file in this encoding; `None` if it is UTF-8.
    pub(crate) fn text(&self, file: &[u8]) -> Option<String> {
        let is_utf8 = simdutf8::basic::from_utf8(file).is_ok();
        (!is_utf8).then(|| decode_plain(file, Some(&self.0)).text.into_owned())
    }
}

impl FromStr for TextEncoding {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let shifts = *b"+ACE-~{VPND~}";
        let ascii: Vec<u8> = (0..128).chain(shifts).collect();
        let read = decode_plain(&ascii, Some(name));
        // Without a known name it would be UTF-8.
        match read.encoding != "UTF-8" && read.text.as_bytes() == ascii {
            true => Ok(Self(name.to_owned())),
            false => Err(format!(
                "unknown encoding `{name}`; name one in which ASCII is ASCII and that is not UTF-8, such as \
                 windows-1251, shift_jis or gb18030"
            )),
        }
    }
}

impl TryFrom<String> for TextEncoding {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<TextEncoding> for String {
    fn from(encoding: TextEncoding) -> Self {
        encoding.0
    }
}

/// Whether a part of a text is kept or dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepOrDrop {
    /// It is part of the text.
    #[default]
    Keep,
    /// It is left out.
    Drop,
}

/// What attachments of mail messages are for a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailAttachments {
    /// Messages with different attachments do not match.
    #[default]
    Compare,
    /// They are not read.
    Ignore,
    /// The text of those that can be read is part of the text; others are compared.
    Text,
}

impl MailAttachments {
    /// The value as written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Ignore => "ignore",
            Self::Text => "text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_has_one_command() {
        let with = |commands: &[&str]| FormatOptions {
            extract: commands.iter().map(|command| command.parse().unwrap()).collect(),
            ..FormatOptions::default()
        };
        assert!(with(&["pdf=a {}", "ps=a {}"]).check().is_ok());
        let error = with(&["pdf=a {}", "ps=a {}", ".PDF=b {}"]).check().unwrap_err();
        assert!(error.to_string().contains("`PDF`"), "{error}");
    }

    #[test]
    fn an_encoding_has_ascii_and_a_name() {
        let read = |name: &str| TextEncoding::try_from(name.to_owned());
        let cyrillic = read("windows-1251").unwrap();
        assert_eq!(cyrillic.text(b"\xef\xf0\xe8\xe2\xe5\xf2 a").as_deref(), Some("привет a"));
        assert_eq!(cyrillic.text("привет".as_bytes()), None);
        assert_eq!(cyrillic.text(b"\xff\xfea\0").as_deref(), Some("a"));
        assert_eq!(read("CP1251").unwrap().text(b"\xef").as_deref(), Some("п"));
        for name in ["", "utf-8", "windwos-1251", "utf-16le", "iso-2022-jp", "utf-7", "hz"] {
            assert!(read(name).unwrap_err().contains("unknown encoding"), "{name}");
        }
    }

    #[test]
    fn a_command_has_some_time() {
        let read = |text| serde_json::from_str::<FormatOptions>(text);
        let one = read(r#"{"extract_timeout": 1}"#).unwrap();
        assert_eq!(one.timeout(), Duration::from_secs(1));
        assert!(read(r#"{"extract_timeout": 0}"#).is_err());
    }
}
