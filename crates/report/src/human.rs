//! Numbers formatted for reading: `1,234,567`, `12.3 MB`, `1 min 4 s`.

/// `1234567` → `1,234,567`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 document`, `2,000 documents`: the plural is the singular and an `s`.
#[must_use]
pub fn counted(number: u64, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", count(number))
}

/// Bytes in decimal units: `999 B`, `12.3 MB`, `123 MB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = 0;
    // 999.5 would be written as 1000 of the smaller unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// Megabytes per second: `12.3 MB/s`.
#[must_use]
pub fn rate(megabytes_per_second: f64) -> String {
    format!("{} MB/s", three_digits(megabytes_per_second))
}

/// Seconds: `8 ms`, `4.2 s`, `1 min 4 s`, `2 h 5 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".into();
    }
    if seconds < 0.0995 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        return format!("{} min {} s", whole / 60, whole % 60);
    }
    let minutes = whole.div_ceil(60);
    format!("{} h {} min", minutes / 60, minutes % 60)
}

/// A share of a whole as `12.3 %`. Never `0 %` unless it is 0, and never `100 %` unless it is the
/// whole.
#[must_use]
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".into();
    }
    if part == 0 {
        return "0 %".into();
    }
    if part == whole {
        return "100 %".into();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    if percent < 0.1 {
        "< 0.1 %".into()
    } else if percent > 99.9 && part < whole {
        "> 99.9 %".into()
    } else {
        format!("{percent:.1} %")
    }
}

/// A measure between 0 and 1 with four decimals, cut rather than rounded: a resemblance just under
/// the threshold never reads as if it reached it.
#[must_use]
pub fn ratio(value: f64) -> String {
    if value == 0.0 || value == 1.0 { format!("{value:.0}") } else { ratio_in_column(value) }
}

/// As [`ratio`], with four decimals for 0 and 1 too, so that numbers of a column are aligned.
#[must_use]
pub fn ratio_in_column(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    // 0.57 is 0.56999… in binary, so a tolerance of a billionth is added.
    let cut = (value * 1e4 + 1e-5).floor() / 1e4;
    format!("{cut:.4}")
}

fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "document"), "1 document");
        assert_eq!(counted(2000, "document"), "2,000 documents");
    }

    #[test]
    fn bytes_keep_three_digits_and_never_show_a_thousand() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1000), "1.00 kB");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(bytes(999_499), "999 kB");
        assert_eq!(bytes(999_500), "1.00 MB");
        assert_eq!(bytes(u64::MAX), "18.4 EB");
        assert_eq!(rate(102.4), "102 MB/s");
    }

    #[test]
    fn durations_read_as_spoken() {
        assert_eq!(duration(0.008), "8 ms");
        assert_eq!(duration(0.0999), "0.1 s");
        assert_eq!(duration(4.23), "4.2 s");
        assert_eq!(duration(59.96), "1 min 0 s");
        assert_eq!(duration(64.0), "1 min 4 s");
        assert_eq!(duration(7471.0), "2 h 5 min");
        assert_eq!(duration(f64::NAN), "–");
    }

    #[test]
    fn shares_are_honest_at_both_ends() {
        assert_eq!(share(0, 10), "0 %");
        assert_eq!(share(10, 10), "100 %");
        assert_eq!(share(1, 1_000_000), "< 0.1 %");
        assert_eq!(share(999_999, 1_000_000), "> 99.9 %");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "–");
    }

    #[test]
    fn a_value_below_the_threshold_is_not_rounded_up_to_it() {
        assert_eq!(ratio(0.79999), "0.7999");
        assert_eq!(ratio(0.8), "0.8000");
        assert_eq!(ratio(0.57), "0.5700");
        assert_eq!(ratio(0.99999), "0.9999");
        assert_eq!(ratio(1.0), "1");
        assert_eq!(ratio(0.0), "0");
        assert_eq!(ratio(0.000_03), "0.0000", "little is not nothing");
    }
}
