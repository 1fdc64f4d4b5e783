//! The header field in which a mail server reads the verdict on a message.

use super::verdict::{Verdict, VerdictKind};
use std::fmt::Write;

/// Name of the field, where no other is chosen.
pub const MAIL_FIELD: &str = "X-Lookalike";

/// Longest name of a prototype in the field: lines of mail have at most 998 bytes.
const LONGEST: usize = 200;

impl Verdict {
    /// The value of the field: the verdict, then what explains it, in printable ASCII. Without white
    /// space in the name of the prototype, so that no name can look like another part of the field.
    ///
    /// ```
    /// use lookalike::filter::MessageFilter;
    ///
    /// let verdict = MessageFilter::unreadable("m1", "no mail message".to_owned());
    /// assert_eq!(verdict.field_value(), "error; reason=unreadable");
    /// ```
    #[must_use]
    pub fn field_value(&self) -> String {
        let mut value = self.verdict.name().to_owned();
        if self.verdict == VerdictKind::Error {
            value.push_str("; reason=unreadable");
            return value;
        }
        if let (Some(prototype), Some(reports)) = (&self.prototype, &self.reports) {
            // Writing to a string never fails.
            let _ = write!(
                value,
                "; score={:.4}; spam-reports={}; ham-reports={}; match=",
                self.score, reports.spam, reports.ham
            );
            let plain = |c: char| if c.is_ascii_graphic() && c != ';' { c } else { '?' };
            value.extend(prototype.id.chars().take(LONGEST).map(plain));
        }
        value
    }
}

/// Why there is no verdict on a message that a mail server delivers all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotJudged {
    /// It is longer than messages may be.
    TooLong,
    /// The time for an answer was over.
    Deadline,
    /// More messages arrive than can be held.
    Busy,
    /// The prototypes cannot be read.
    Failed,
}

impl NotJudged {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too-long",
            Self::Deadline => "deadline",
            Self::Busy => "busy",
            Self::Failed => "failed",
        }
    }

    /// The value of the field.
    ///
    /// ```
    /// use lookalike::filter::NotJudged;
    ///
    /// assert_eq!(NotJudged::TooLong.field_value(), "error; reason=too-long");
    /// ```
    #[must_use]
    pub fn field_value(self) -> String {
        format!("{}; reason={}", VerdictKind::Error.name(), self.name())
    }
}

/// Whether a header field has this name, in any case. A field of the name that a message has when it
/// arrives was written by somebody else.
///
/// ```
/// assert!(lookalike::filter::is_mail_field(b"x-lookalike ", "X-Lookalike"));
/// ```
#[must_use]
pub fn is_mail_field(given: &[u8], name: &str) -> bool {
    given.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes())
}

/// Whether a header field can have this name (RFC 5322, section 3.6.8).
///
/// ```
/// use lookalike::filter::can_be_mail_field;
///
/// assert!(can_be_mail_field("X-Verdict"));
/// assert!(!can_be_mail_field("X Verdict") && !can_be_mail_field("X:") && !can_be_mail_field(""));
/// ```
#[must_use]
pub fn can_be_mail_field(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':')
}
