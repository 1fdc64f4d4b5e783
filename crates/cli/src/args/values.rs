//! Parsers of argument values: input names, sizes, checksums and numbers of threads.

use clap::builder::{
    OsStringValueParser, RangedI64ValueParser, RangedU64ValueParser, TypedValueParser,
};

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
pub(super) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

/// Parses a checksum as `lexicon show` prints it.
pub(super) fn checksum(text: &str) -> Result<String, String> {
    let ok = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ok { Ok(text.to_ascii_lowercase()) } else { Err("use 32 hexadecimal digits".into()) }
}

/// Rules of one value of `--keep`: several are separated by commas, which values in quotes and
/// parentheses may contain.
pub(super) type KeepList = Vec<String>;

/// Parses a list of rules.
pub(super) fn keep_list(text: &str) -> Result<KeepList, String> {
    let rules = lookalike::settings::keep_rules(text).map_err(|error| error.to_string())?;
    Ok(rules.iter().map(ToString::to_string).collect())
}

/// Parses a count of 32 bits, at least 1.
pub(super) fn count() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}

/// Parses a count of 64 bits, at least 1.
pub(super) fn long_count() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

/// Parses a size such as `8GiB`, `1.5GB`, `500M` or `1000000`, in bytes.
///
/// `KiB`, `MiB`, `GiB`, `TiB` and the single letters `K`, `M`, `G`, `T` are powers of 1024; `kB`,
/// `MB`, `GB`, `TB` are powers of 1000. Case does not matter. A fraction of a byte is dropped.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let forms = "use a size such as 8GiB, 1.5GB, 500M or 1000000: KiB, MiB, GiB, TiB (or K, M, G, T) are \
                 powers of 1024, and kB, MB, GB, TB powers of 1000";
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u128 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(forms.into()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    // Eighteen digits of a fraction are more than any factor has.
    let exact = (1..=18).contains(&fraction.len()) && whole.len() <= 20;
    let (Ok(whole), Ok(part), true) = (whole.parse::<u128>(), fraction.parse::<u128>(), exact)
    else {
        return Err(forms.into());
    };
    let bytes = whole * factor + part * factor / 10u128.pow(fraction.len() as u32);
    let size = usize::try_from(bytes).ok().filter(|&size| size > 0);
    size.ok_or_else(|| "out of range".into())
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

/// Parses a separator with its escapes.
pub(super) fn separator(typed: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = typed.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            out.push(next);
            continue;
        }
        out.push(match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('\\') => '\\',
            _ => return Err("an escape other than \\n, \\t and \\\\".to_owned()),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!(size("256MiB"), Ok(256 << 20));
        assert_eq!(size("1GB"), Ok(1_000_000_000));
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("1.5GB"), Ok(1_500_000_000));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(
            (size("8GiB"), size("8g"), size("8 gib")),
            (Ok(8 << 30), Ok(8 << 30), Ok(8 << 30))
        );
        assert_eq!((size("500M"), size("500MB")), (Ok(500 << 20), Ok(500_000_000)));
        assert_eq!((size("1T"), size("1TB")), (Ok(1 << 40), Ok(1_000_000_000_000)));
        assert_eq!((size("0.1kB"), size("2.0"), size("1.9")), (Ok(100), Ok(2), Ok(1)));
        assert_eq!(size("0.1MiB"), Ok(104_857));
        for bad in
            ["", "MiB", "1TB!", "1.", ".5GB", "1.2.3GB", "1,5GB", "1e9", "+1", "-1", "1PB", "1 000"]
        {
            let said = size(bad).unwrap_err();
            assert!(said.contains("8GiB") && said.contains("1.5GB"), "{bad}: {said}");
        }
        for bad in ["0", "0.0GB", "0.4", "99999999999999999999", "99999999999999999999TB"] {
            assert_eq!(size(bad), Err("out of range".into()), "{bad}");
        }
    }

    #[test]
    fn times_are_parsed() {
        assert_eq!((seconds("90d"), seconds("1s")), (Ok(90 * 86_400), Ok(1)));
        for bad in ["", "90", "d", "0d", "-1d", "1y", "99999999999999999999d"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_separator_has_escapes() {
        assert_eq!(separator(r"a\n\t\\").as_deref(), Ok("a\n\t\\"));
        assert_eq!(separator("").as_deref(), Ok(""));
        assert!(separator(r"\x").is_err() && separator("\\").is_err());
    }
}
