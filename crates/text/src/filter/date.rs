//! A token in, whether it is part of a date or time out.
//!
//! Seshasai 2009, sections 4.2 and 6.4.2, drops "any feature that represented a date or time" and
//! does not list them. A token is judged by itself here: English names of months and days with
//! their usual abbreviations, time zones, `am` and `pm`, years 1900 to 2099, ordinal days (`1st` …
//! `31st`), clock times (`10am`, and `02t14` as ISO 8601 leaves it), and compact dates
//! (`20091231`). Names that are common words of another meaning (may, march, mar, sat, sun) are
//! kept: without its neighbours the word says nothing. Other numbers are the business of the rule
//! for numbers.

#[rustfmt::skip]
const NAMES: [&[u8]; 47] = [
    b"am", b"apr", b"april", b"aug", b"august", b"bst", b"cest", b"cet", b"dec", b"december",
    b"edt", b"est", b"feb", b"february", b"fri", b"friday", b"gmt", b"jan", b"january", b"jul",
    b"july", b"jun", b"june", b"mon", b"monday", b"nov", b"november", b"oct", b"october", b"pdt",
    b"pm", b"pst", b"saturday", b"sep", b"sept", b"september", b"sunday", b"thu", b"thur",
    b"thurs", b"thursday", b"tue", b"tues", b"tuesday", b"utc", b"wed", b"wednesday",
];

/// Is this lower-case token a date, a time, or a name in one?
pub(super) fn is_date(token: &[u8]) -> bool {
    match token.first() {
        Some(b'0'..=b'9') => is_numeric_date(token),
        Some(b'a'..=b'z') if token.len() <= 9 => NAMES.binary_search(&token).is_ok(),
        _ => false,
    }
}

fn is_numeric_date(token: &[u8]) -> bool {
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 8 {
        return false;
    }
    let (number, rest) = token.split_at(digits);
    let value = decimal(number);
    match (digits, rest) {
        (4, b"") => is_year(value),
        (8, b"") => is_year(value / 10_000) && is_month_and_day(value % 10_000),
        (1 | 2, b"st" | b"nd" | b"rd" | b"th") => ordinal(value) == Some(rest),
        (1 | 2, b"am" | b"pm") => (1..=12).contains(&value),
        (2, [b't', hour @ ..]) => {
            hour.len() == 2
                && hour.iter().all(u8::is_ascii_digit)
                && (1..=31).contains(&value)
                && decimal(hour) < 24
        }
        _ => false,
    }
}

fn is_year(value: u32) -> bool {
    (1900..2100).contains(&value)
}

fn is_month_and_day(value: u32) -> bool {
    (1..=12).contains(&(value / 100)) && (1..=31).contains(&(value % 100))
}

/// The ending of an ordinal, for the days of a month.
fn ordinal(day: u32) -> Option<&'static [u8]> {
    match day {
        1 | 21 | 31 => Some(b"st"),
        2 | 22 => Some(b"nd"),
        3 | 23 => Some(b"rd"),
        4..=30 => Some(b"th"),
        _ => None,
    }
}

fn decimal(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, &digit| value * 10 + u32::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn dates_and_times_are_found() {
        for date in [
            "monday", "tue", "sept", "december", "pm", "gmt", "1999", "2024", "1st", "22nd", "3rd",
            "11th", "31st", "10am", "12pm", "02t14", "20240131",
        ] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
    }

    #[test]
    fn other_words_and_numbers_are_kept() {
        for kept in [
            "",
            "may",
            "march",
            "sun",
            "monde",
            "1776",
            "2100",
            "42",
            "1nd",
            "32nd",
            "11st",
            "13am",
            "0am",
            "32t14",
            "02t24",
            "20241301",
            "20240132",
            "123456789012345678901234567890",
            "2024x",
            "größe",
            "99999999999",
        ] {
            assert!(!is_date(kept.as_bytes()), "{kept}");
        }
    }
}
