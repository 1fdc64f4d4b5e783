//! Parses dates and times to seconds since 1970.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Reads ISO 8601 dates and times (`2024-05-01`, `2024-05-01T10:00:00Z`, `2024-05-01 10:00:00`),
/// mail dates (`Wed, 01 May 2024 10:00:00 +0200`), `2024-05`, `2024`, and epoch numbers, whose size
/// tells seconds, milliseconds, microseconds and nanoseconds apart. Times without a zone are UTC.
/// `NaN` for anything else.
#[must_use]
pub fn seconds(text: &str) -> f64 {
    let text = text.trim();
    let exact = |t: DateTime<chrono::FixedOffset>| t.timestamp_micros() as f64 / 1e6;
    if let Ok(time) =
        DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text))
    {
        return exact(time);
    }
    for form in ["%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f%#z"] {
        if let Ok(time) = DateTime::parse_from_str(text, form) {
            return exact(time);
        }
    }
    for form in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"]
    {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, form) {
            return time.and_utc().timestamp_micros() as f64 / 1e6;
        }
    }
    let day = match text.len() {
        4 if text.bytes().all(|b| b.is_ascii_digit()) => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    for form in ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d %B %Y", "%B %d, %Y"] {
        if let Ok(day) = NaiveDate::parse_from_str(&day, form) {
            return day.and_hms_opt(0, 0, 0).map_or(f64::NAN, |t| t.and_utc().timestamp() as f64);
        }
    }
    text.parse::<f64>().ok().filter(|n| n.is_finite()).map_or(f64::NAN, epoch)
}

/// The seconds of an epoch number. Seconds end in the year 5138, where milliseconds begin in March
/// 1973; and so on by factors of a thousand. No usual date is read in a wrong unit, so a collection
/// may mix them.
fn epoch(number: f64) -> f64 {
    match number.abs() {
        ..1e11 => number,
        ..1e14 => number / 1e3,
        ..1e17 => number / 1e6,
        _ => number / 1e9,
    }
}

/// A time in seconds since 1970 as `2026-11-23T21:30:17Z`; the number itself beyond the years that
/// can be written.
#[must_use]
pub fn written(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|time| DateTime::from_timestamp(time, 0));
    time.map_or_else(|| seconds.to_string(), |time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn forms_of_one_moment() {
        let noon = 1_714_564_800.0; // 2024-05-01T12:00:00Z
        for text in [
            "2024-05-01T12:00:00Z",
            "2024-05-01T14:00:00+02:00",
            "2024-05-01 12:00:00",
            "2024-05-01T12:00",
            "Wed, 01 May 2024 14:00:00 +0200",
            "1714564800",
            "1714564800000",
            "1714564800000.0",
            "1714564800000000",
            "1714564800000000000",
        ] {
            assert_eq!(seconds(text), noon, "{text}");
        }
        for text in ["2024-05-01", "20240501", "2024/05/01", "1 May 2024", "2024-05"] {
            assert_eq!(seconds(text), noon - 43_200.0, "{text}");
        }
        for text in ["1 Jun 2024", "1 June 2024", "Jun 1, 2024", "June 1, 2024"] {
            assert_eq!(seconds(text), seconds("2024-06"), "{text}");
        }
        assert_eq!(seconds("1970"), 0.0);
    }

    #[test]
    fn units_of_epoch_numbers_can_be_mixed() {
        // 1973-03-03 to 5107-03-10, and the same before 1970.
        for second in [1e8, 1e9, 1e10, 9.9e10] {
            for unit in [1.0, 1e3, 1e6, 1e9] {
                assert_eq!(seconds(&format!("{}", second * unit)), second, "{second} in {unit}");
                assert_eq!(seconds(&format!("-{}", second * unit)), -second, "{second} in {unit}");
            }
        }
        assert!(seconds("1700000000001") < seconds("2026-01-01"));
    }

    #[test]
    fn anything_else_is_missing() {
        for text in ["", "yesterday", "2024-13-01", "NaN", "inf"] {
            assert!(seconds(text).is_nan(), "{text}");
        }
    }
}
