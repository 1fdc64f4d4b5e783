//! Options of single formats that change the texts.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::web::StatusFilter;

/// Options of single formats that change the texts; files of other formats are read as without them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormatOptions {
    /// Responses of WARC files that are documents (the setting `warc_status`).
    pub warc_status: StatusFilter,
    /// Quoted text in plain text parts of mail messages (`mail_quotes`).
    pub mail_quotes: KeepOrDrop,
    /// Signatures in plain text parts of mail messages (`mail_signatures`).
    pub mail_signatures: KeepOrDrop,
    /// HTML parts of mail messages (`mail_html`).
    pub mail_html: KeepOrDrop,
}

impl FormatOptions {
    /// Whether all of them are the defaults.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
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

impl FromStr for KeepOrDrop {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written {
            "keep" => Ok(Self::Keep),
            "drop" => Ok(Self::Drop),
            _ => Err("write `keep` or `drop`".to_owned()),
        }
    }
}
