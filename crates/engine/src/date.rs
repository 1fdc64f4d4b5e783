//! Parses dates and times to seconds since 1970.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime};

/// Years of dates. A year before or after is a number that was taken for a date, or a mistake.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

/// Reads a date and time, in the years 1900 to 2200; `NaN` for anything else. Without a zone it is
/// UTC, without a time the beginning of the day, month or year.
///
/// * ISO 8601: `2024-05-01`, `2024-05-01T10:00:00Z`, `2024-05-01 10:00:00 +0200`,
///   `20240501T100000Z`, `2024-05`, `2024`, `2024/05/01`, `2024-122`, `2024-W18-3`.
/// * With the name of the month, in any usual order (RFC 5322, RFC 850, asctime, JavaScript, Java,
///   common log format): `Wed, 01 May 2024 10:00:00 +0200`, `Wed May  1 10:00:00 2024`.
/// * Digits: 14 are a timestamp of CDX indexes (`20240501100000`), 17 the same with milliseconds, 12
///   the same without seconds, 8 a day; as far as they are a date.
/// * Other numbers count from 1970; their size tells seconds, milliseconds, microseconds and
///   nanoseconds apart.
#[must_use]
pub fn seconds(text: &str) -> f64 {
    let text = text.trim();
    let read = match text.parse::<f64>() {
        Ok(number) if number.is_finite() => of_number(text, number),
        Ok(_) => None,
        Err(_) => of_words(text),
    };
    read.filter(|seconds| is_usual(*seconds)).unwrap_or(f64::NAN)
}

/// Whether a time is in the usual years.
fn is_usual(seconds: f64) -> bool {
    let date = DateTime::from_timestamp(seconds.floor() as i64, 0);
    date.is_some_and(|date| YEARS.contains(&date.year()))
}

/// A number: a date in digits, or one that counts from 1970. A number with the fraction 0, as columns
/// of floats have, is that without it.
fn of_number(text: &str, number: f64) -> Option<f64> {
    /// Integers up to here are exact.
    const EXACT: f64 = 9e15;
    let integer = number.fract() == 0.0 && (0.0..EXACT).contains(&number);
    let digits = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.to_owned(),
        false if integer => format!("{number:.0}"),
        false => String::new(),
    };
    let date = match digits.len() {
        4 => NaiveDate::parse_from_str(&format!("{digits}-01-01"), "%Y-%m-%d").ok().map(midnight),
        8 => NaiveDate::parse_from_str(&digits, "%Y%m%d").ok().map(midnight),
        12 => NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M").ok(),
        14 => NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M%S").ok(),
        17 => NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M%S%3f").ok(),
        _ => None,
    };
    let date = date.filter(|date| YEARS.contains(&date.year()));
    match (date, digits.len()) {
        (Some(date), _) => Some(exact(date)),
        (None, 4) => None,
        (None, _) => Some(epoch(number)),
    }
}

/// The seconds of an epoch number: below 10^11 they are seconds (in the year 5138 they would not
/// be), below 10^14 milliseconds (from March 1973 on), and so on by factors of a thousand. A
/// collection may mix them.
fn epoch(number: f64) -> f64 {
    match number.abs() {
        ..1e11 => number,
        ..1e14 => number / 1e3,
        ..1e17 => number / 1e6,
        _ => number / 1e9,
    }
}

fn exact(time: NaiveDateTime) -> f64 {
    time.and_utc().timestamp_micros() as f64 / 1e6
}

fn midnight(day: NaiveDate) -> NaiveDateTime {
    day.and_time(NaiveTime::MIN)
}

/// A date that is no number.
fn of_words(text: &str) -> Option<f64> {
    // JavaScript and mails write the name of the zone behind its offset.
    let text = match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((before, _)) => before,
        None => text,
    };
    let mut parts = Parts::default();
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        parts.add(word)?;
    }
    parts.seconds()
}

/// The parts of a date, as far as they were read.
#[derive(Debug, Default)]
struct Parts {
    date: Option<NaiveDate>,
    day: Option<u32>,
    month: Option<u32>,
    year: Option<i32>,
    time: Option<NaiveTime>,
    /// Seconds east of Greenwich.
    zone: Option<i32>,
    afternoon: Option<bool>,
}

impl Parts {
    /// Reads one more word. `None` if it is no part of a date, or one that was read before.
    fn add(&mut self, word: &str) -> Option<()> {
        if let Some((date, time)) = date_and_time(word) {
            self.set_date(date)?;
            return time.map_or(Some(()), |time| self.set_time(time));
        }
        if word.contains(':') && word.starts_with(|first: char| first.is_ascii_digit()) {
            return self.set_time(word);
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.set_number(word);
        }
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "am" | "pm" => return set(&mut self.afternoon, lower == "pm"),
            "at" => return Some(()),
            name if is_name(name, &WEEKDAYS).is_some() => return Some(()),
            name => {
                if let Some(month) = is_name(name, &MONTHS) {
                    return set(&mut self.month, month);
                }
            }
        }
        set(&mut self.zone, zone(&lower)?)
    }

    fn set_date(&mut self, date: &str) -> Option<()> {
        const FORMS: [&str; 5] = ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y-%j", "%G-W%V-%u"];
        if let Some(name) = date.find(|c: char| c.is_ascii_alphabetic() && c != 'W') {
            // 01-Sep-2005, 01/Sep/2005
            let separator = date[..name].chars().last()?;
            let mut parts = date.split(separator);
            set(&mut self.day, parts.next()?.parse().ok()?)?;
            set(&mut self.month, is_name(&parts.next()?.to_ascii_lowercase(), &MONTHS)?)?;
            self.set_number(parts.next()?)?;
            return parts.next().is_none().then_some(());
        }
        let month = (date.len() == 7 && date.as_bytes()[4] == b'-').then(|| format!("{date}-01"));
        let date = month.as_deref().unwrap_or(date);
        let read = FORMS.iter().find_map(|form| NaiveDate::parse_from_str(date, form).ok());
        set(&mut self.date, read?)
    }

    /// A time, with a zone directly after it or not.
    fn set_time(&mut self, written: &str) -> Option<()> {
        const FORMS: [&str; 3] = ["%H:%M:%S%.f", "%H:%M", "%H%M%S"];
        let is_time = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',');
        let end = written.find(|c| !is_time(c)).unwrap_or(written.len());
        let (time, rest) = written.split_at(end);
        let read = FORMS.iter().find_map(|form| NaiveTime::parse_from_str(time, form).ok());
        set(&mut self.time, read?)?;
        let rest = rest.to_ascii_lowercase();
        match rest.as_str() {
            "" => Some(()),
            "am" | "pm" => set(&mut self.afternoon, rest == "pm"),
            rest => set(&mut self.zone, zone(rest)?),
        }
    }

    /// A day, or a year, of two digits after the day.
    fn set_number(&mut self, digits: &str) -> Option<()> {
        match (digits.len(), digits.parse::<u16>().ok()?) {
            (1 | 2, day) if self.day.is_none() => set(&mut self.day, day.into()),
            (2, year) => {
                // As RFC 5322 reads them.
                let century = if year < 50 { 2000 } else { 1900 };
                set(&mut self.year, i32::from(year) + century)
            }
            (4, year) => set(&mut self.year, year.into()),
            _ => None,
        }
    }

    fn seconds(self) -> Option<f64> {
        let date = match (self.date, self.year, self.month, self.day) {
            (Some(date), None, None, None) => date,
            (None, Some(year), Some(month), Some(day)) => {
                NaiveDate::from_ymd_opt(year, month, day)?
            }
            _ => return None,
        };
        if self.time.is_none() && (self.zone.is_some() || self.afternoon.is_some()) {
            return None;
        }
        let hours = match (self.afternoon, self.time.unwrap_or_default()) {
            (None, _) => 0,
            (Some(afternoon), time) => {
                let hour = chrono::Timelike::hour(&time);
                match (hour, afternoon) {
                    (12, false) => -12,
                    (1..12, true) => 12,
                    (1..12, false) | (12, true) => 0,
                    _ => return None,
                }
            }
        };
        let time = date.and_time(self.time.unwrap_or_default());
        Some(exact(time) + f64::from(hours * 3600 - self.zone.unwrap_or(0)))
    }
}

fn set<T>(part: &mut Option<T>, value: T) -> Option<()> {
    part.replace(value).is_none().then_some(())
}

/// A word that begins with a date: the date, and the time after it if there is one.
fn date_and_time(word: &str) -> Option<(&str, Option<&str>)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let separator = word.as_bytes().get(digits).copied();
    match (digits, separator) {
        // 2024-05-01T10:00, 20240501T100000
        (4, Some(b'-' | b'/')) | (8, Some(b'T' | b't')) => match word.split_once(['T', 't']) {
            Some((date, time)) => Some((date, Some(time))),
            None => Some((word, None)),
        },
        (8, None) => Some((word, None)),
        // 01/May/2024:10:00:00, 01-May-24
        (1 | 2, Some(b'-' | b'/')) if word[digits + 1..].starts_with(char::is_alphabetic) => {
            match word.split_once(':') {
                Some((date, time)) => Some((date, Some(time))),
                None => Some((word, None)),
            }
        }
        _ => None,
    }
}

const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The number of a name, from 1, that is written in full or as its first three letters.
fn is_name(word: &str, names: &[&str]) -> Option<u32> {
    let word = word.strip_suffix('.').unwrap_or(word);
    let at = names.iter().position(|name| *name == word || name.get(..3) == Some(word))?;
    u32::try_from(at + 1).ok()
}

/// Seconds east of Greenwich of a zone in lower case: `z`, `+0200`, `+02:00`, `+02`, `gmt+0200`, `est`.
fn zone(word: &str) -> Option<i32> {
    /// Names that mean one zone everywhere, most of them those of RFC 5322, in hours.
    const NAMES: [(&str, i32); 18] = [
        ("z", 0),
        ("utc", 0),
        ("gmt", 0),
        ("ut", 0),
        ("est", -5),
        ("edt", -4),
        ("cst", -6),
        ("cdt", -5),
        ("mst", -7),
        ("mdt", -6),
        ("pst", -8),
        ("pdt", -7),
        ("wet", 0),
        ("cet", 1),
        ("cest", 2),
        ("eet", 2),
        ("eest", 3),
        ("jst", 9),
    ];
    if let Some((_, hours)) = NAMES.iter().find(|(name, _)| *name == word) {
        return Some(hours * 3600);
    }
    let offset = word.strip_prefix("gmt").or_else(|| word.strip_prefix("utc")).unwrap_or(word);
    let sign = match offset.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = &offset[1..];
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours, minutes),
        Some(_) => return None,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let number = |digits: &str, most: i32| {
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse::<i32>().ok()).flatten().filter(|number| *number <= most)
    };
    Some(sign * (number(hours, 23)? * 3600 + number(minutes, 59)? * 60))
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
    use proptest::prelude::*;

    #[test]
    fn forms_of_one_moment() {
        let noon = 1_714_564_800.0; // 2024-05-01T12:00:00Z
        for text in [
            "2024-05-01T12:00:00Z",
            "2024-05-01t12:00:00z",
            "2024-05-01T14:00:00+02:00",
            "2024-05-01T12:00:00.000000",
            "2024-05-01 12:00:00",
            "2024-05-01 12:00:00 UTC",
            "2024-05-01 12:00:00 Z",
            "2024-05-01 12:00:00Z",
            "2024-05-01 12:00:00.000 GMT",
            "2024-05-01 14:00:00 +0200",
            "2024-05-01 14:00:00 +02:00",
            "2024-05-01 14:00:00+02",
            "2024-05-01 06:30:00 -0530",
            "2024-05-01T12:00",
            "2024/05/01 12:00",
            "20240501T120000Z",
            "20240501T120000",
            "20240501120000",
            "202405011200",
            "20240501120000000",
            "20240501120000.0",
            "2.0240501120000e13",
            "2024-122T12:00:00Z",
            "2024-W18-3T12:00",
            "Wed, 01 May 2024 14:00:00 +0200",
            "Wed, 1 May 2024 07:00:00 EST",
            "Wed, 01 May 2024 14:00:00 +0200 (CEST)",
            "01 May 24 12:00 UT",
            "Wednesday, 01-May-24 12:00:00 GMT",
            "Wed, 01-May-2024 12:00:00 GMT",
            "Wed May  1 12:00:00 2024",
            "Wed May 01 2024 14:00:00 GMT+0200 (CEST)",
            "Wed May 01 2024 14:00:00 GMT+0200 (Mitteleuropäische Sommerzeit)",
            "Wed May 01 14:00:00 CEST 2024",
            "Wed May 01 12:00:00 +0000 2024",
            "01/May/2024:14:00:00 +0200",
            "May 1, 2024, 12:00 PM",
            "1 May 2024 at 12:00pm",
            "1714564800",
            "1714564800.0",
            "1.7145648e9",
            "1714564800000",
            "1714564800000.0",
            "1714564800000000",
            "1714564800000000000",
        ] {
            assert_eq!(seconds(text), noon, "{text}");
        }
        for text in [
            "2024-05-01",
            "20240501",
            "20240501.0",
            "2024/05/01",
            "1 May 2024",
            "1-May-2024",
            "Wednesday, May 1, 2024",
            "2024-05",
            "2024-122",
            "May 1, 2024 12:00 AM",
        ] {
            assert_eq!(seconds(text), noon - 43_200.0, "{text}");
        }
        for text in ["1 Jun 2024", "1 June 2024", "Jun 1, 2024", "June 1, 2024", "Jun. 1, 2024"] {
            assert_eq!(seconds(text), seconds("2024-06"), "{text}");
        }
        assert_eq!(seconds("1970"), 0.0);
        assert_eq!(seconds("2005.0"), seconds("2005-01-01"));
        assert_eq!(seconds("2024-05-01T12:00:00.25Z"), noon + 0.25);
        assert_eq!(seconds("20240501120000250"), noon + 0.25);
    }

    #[test]
    fn units_of_epoch_numbers_can_be_mixed() {
        // 1973-03-03 to 2191-10-28, and 1901 to 1966.
        for second in [1e8, 1e9, 7e9, -1e8, -2.1e9] {
            for unit in [1.0, 1e3, 1e6, 1e9] {
                assert_eq!(seconds(&format!("{}", second * unit)), second, "{second} in {unit}");
            }
        }
        assert!(seconds("1700000000001") < seconds("2026-01-01"));
        // Eight digits that are no day count seconds.
        assert_eq!(seconds("99999999"), 99_999_999.0);
    }

    #[test]
    fn anything_else_is_missing() {
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "NaN",
            "inf",
            "2024-05-01 25:00",
            "2024-05-01 12:00:00 Foo",
            "2024-05-01 +0200",
            "12:00",
            "May",
            "1 May",
            "1 May 2024 2024",
            "1 May 1 June 2024",
            "01-05-2024",
            "01/05/2024",
            "1 May 2024 13:00 PM",
            "1 May 2024 0:30 AM",
            "20051301123456",
            "2024-05-01T12:00:00+2:0",
            "é",
            "1-é",
            "(",
            "2024-",
            "2024é05",
        ] {
            assert!(seconds(text).is_nan(), "{text}: {}", seconds(text));
        }
    }

    #[test]
    fn years_are_those_that_documents_have() {
        for text in ["1900-01-01", "1900", "2200-12-31T23:59:59Z", "7289654399", "22001231235959"] {
            assert!(!seconds(text).is_nan(), "{text}");
        }
        for text in [
            "1899-12-31T23:59:59Z",
            "0000",
            "0001-01-01T00:00:00Z",
            "2201-01-01",
            "7289654400",
            "9999-12-31",
            "99999999999999",
            "20050901123456789012",
            "1e300",
            "-9e18",
            "262143-01-01",
        ] {
            assert!(seconds(text).is_nan(), "{text}: {}", seconds(text));
        }
    }

    proptest! {
        /// A moment reads the same in every form, which `chrono` writes.
        #[test]
        fn every_form_of_a_moment_is_that_moment(second in -2_208_988_800i64..7_289_654_400, zone in -14i32..15) {
            let zone = chrono::FixedOffset::east_opt(zone * 3600 + 1800 * (zone & 1)).unwrap();
            let utc = chrono::DateTime::from_timestamp(second, 0).unwrap();
            let local = utc.with_timezone(&zone);
            for form in [
                "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%d %H:%M:%S %z", "%a %b %d %Y %H:%M:%S GMT%z (XYZ)",
                "%a, %d %b %Y %H:%M:%S %z", "%a %b %e %H:%M:%S %z %Y", "%d/%b/%Y:%H:%M:%S %z",
                "%B %-d, %Y %-I:%M:%S %p %:z", "%G-W%V-%uT%H:%M:%S%:z", "%Y-%jT%H:%M:%S%z",
            ] {
                let text = local.format(form).to_string();
                prop_assert_eq!(seconds(&text), second as f64, "{}", text);
            }
            for form in [
                "%Y-%m-%d %H:%M:%S UTC", "%a %b %e %H:%M:%S %Y", "%Y%m%d%H%M%S", "%Y%m%dT%H%M%SZ", "%s000",
            ] {
                let text = utc.format(form).to_string();
                // Milliseconds near 1970 are seconds, or twelve digits that may be a date.
                if form != "%s000" || second.abs() >= 1_000_000_000 {
                    prop_assert_eq!(seconds(&text), second as f64, "{}", text);
                }
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}|[0-9TWZ:+./ -]{0,24}|[A-Za-z0-9 ,:()+-]{0,30}") {
            let read = seconds(&text);
            prop_assert!(read.is_nan() || super::is_usual(read));
        }
    }
}
