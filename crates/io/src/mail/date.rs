//! Dates of messages.

use mail_parser::HeaderValue;

use super::fields::parsed;

/// The date of a `Date` field (or of a `Received` field, which ends with one) as
/// `2026-11-23T22:30:17Z`, which sorts as text; `None` if it is no date of the years 1900 to 3000.
pub(super) fn utc(value: &[u8]) -> Option<String> {
    // A time without a zone is UTC, as for other readers of mail.
    let date = local(value).or_else(|| local(&[value.trim_ascii(), b" +0000"].concat()))?;
    let utc = mail_parser::DateTime::from_timestamp(date.to_timestamp());
    let mail_parser::DateTime { year, month, day, hour, minute, second, .. } = utc;
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// The date with its zone.
fn local(value: &[u8]) -> Option<mail_parser::DateTime> {
    match parsed(value, |stream| stream.parse_date())? {
        HeaderValue::DateTime(date) => Some(date).filter(mail_parser::DateTime::is_valid),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_given_in_utc() {
        for (value, expected) in [
            ("Mon, 23 Nov 2026 22:30:17 +0100", Some("2026-11-23T21:30:17Z")),
            (" Thu, 1 Jan 1970 00:00:00 -0330\r\n", Some("1970-01-01T03:30:00Z")),
            ("29 Feb 2000 23:59:00 EST (why not)", Some("2000-03-01T04:59:00Z")),
            ("29 Feb 2000 23:59 -0500", Some("2000-03-01T04:59:00Z")),
            ("Wed, 02 Oct 02 13:00:00 GMT", Some("2002-10-02T13:00:00Z")),
            ("from a by b; Fri, 5 Apr 2002 10:00:00 +0000", Some("2002-04-05T10:00:00Z")),
            ("Fri, 23 Aug 2002 19:27:52", Some("2002-08-23T19:27:52Z")),
            ("Thu, 22 Aug 0102 12:07:35 +0800", None),
            ("yesterday", None),
            ("", None),
            ("99 Foo 2002 99:99:99", None),
            ("1 Jan 9999 00:00:00 +0000", None),
        ] {
            assert_eq!(utc(value.as_bytes()).as_deref(), expected, "{value}");
        }
    }
}
