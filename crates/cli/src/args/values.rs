//! Parsers of argument values: input names, sizes, checksums and numbers of threads.

use clap::builder::{OsStringValueParser, TypedValueParser};

/// Parses names of inputs. They are written into results, so they must be UTF-8.
pub(super) fn utf8() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|name| match name.into_string() {
        Ok(name) if name.is_empty() => Err("an empty name; is a variable not set?"),
        Ok(name) => Ok(name),
        Err(_) => {
            Err("this name is not UTF-8; rename the file, or pass its directory: files with such \
                       names are read there")
        }
    })
}

/// Parses a number of threads, at most 1024: each takes memory. 0 means all cores.
pub(super) fn threads() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(0..=1024)
}

/// Parses a checksum as `lexicon show` prints it.
pub(super) fn checksum(text: &str) -> Result<String, String> {
    let ok = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ok { Ok(text.to_ascii_lowercase()) } else { Err("use 32 hexadecimal digits".into()) }
}

/// Parses a size such as `64MiB`, `1GB` or `500000`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err("use a number with B, KiB, MiB, GiB, kB, MB or GB".into()),
    };
    let number: usize = number.parse().map_err(|_| "use a number such as 256MiB".to_owned())?;
    number.checked_mul(factor).filter(|&size| size > 0).ok_or_else(|| "out of range".into())
}

/// Parses a number from 0 to 1.
pub(super) fn ratio(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "use a number such as 0.9".to_owned())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("use a number from 0 to 1".into()) }
}

/// Parses a time such as `12h`, `90d`, `2w` or `600s`, in seconds.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err("use a number with s, m, h, d or w, as in 90d".into()),
    };
    let number: u64 = number.parse().map_err(|_| "use a number such as 90d".to_owned())?;
    number.checked_mul(factor).filter(|&time| time > 0).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!(size("256MiB"), Ok(256 << 20));
        assert_eq!(size("1GB"), Ok(1_000_000_000));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "MiB", "0", "-1", "1.5GiB", "1TB!", "99999999999999999999"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_parsed() {
        assert_eq!((seconds("90d"), seconds("1s")), (Ok(90 * 86_400), Ok(1)));
        for bad in ["", "90", "d", "0d", "-1d", "1y", "99999999999999999999d"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
