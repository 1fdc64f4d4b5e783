//! Charsets by the names that mail and pages give them.
//!
//! Most are decoded by `encoding_rs`, code pages of DOS by `oem_cp`. What browsers refuse for
//! reasons that do not concern us is decoded here, from the character sets that these have:
//! ISO-2022 (RFC 1468, 1554, 1557, 1922), HZ (RFC 1843), Johab (KS X 1001, annex 3), UTF-7
//! (RFC 2152), UTF-32.
//!
//! Names are compared by their letters and digits, so that `cp-1251`, `CP_1251`, `x-cp1251`,
//! `win-1251` and `windows1251` are one.

use std::borrow::Cow;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_13, ISO_8859_14,
    ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE,
    UTF_16LE, WINDOWS_874, WINDOWS_1252, X_MAC_CYRILLIC, X_USER_DEFINED,
};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;

/// Text, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, borrowed where the bytes were UTF-8 already. A byte order mark is no part of it.
    pub text: Cow<'a, str>,
    /// The WHATWG name of the encoding, such as `UTF-8` or `Shift_JIS`.
    pub encoding: &'static str,
    /// Were malformed bytes replaced by U+FFFD?
    pub replaced: bool,
}

/// A charset that can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// One of the WHATWG.
    Web(&'static Encoding),
    /// A code page of DOS, by its number.
    Dos(u16),
    /// UTF-16 in the byte order that a mark or the bytes say.
    Utf16,
    /// UTF-32, of a byte order that is known (`true`: big endian) or not.
    Utf32(Option<bool>),
    Utf7,
    /// All of ISO-2022, with the character set that the bytes of a shift out are of until one is
    /// designated.
    Iso2022(Set),
    Hz,
    Johab,
}

/// A character set of ISO-2022.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Ascii,
    /// The upper half of ISO 8859-1 or 8859-7.
    Latin1,
    Greek,
    /// JIS X 0201, Katakana.
    Kana,
    /// JIS X 0208 and 0213, JIS X 0212.
    Jis,
    JisSupplement,
    Korean,
    Chinese,
    /// Another one, of this many bytes a character.
    Unknown(usize),
}

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Known(Charset),
    /// A charset that cannot be decoded. Its first half is ASCII.
    Undecodable,
    /// EBCDIC, which cannot be decoded.
    Ebcdic,
    /// No name of a charset, such as `x-unknown` or `default`.
    Nonsense,
}

/// Beginnings of names of charsets, by letters and digits.
const FAMILIES: [&str; 38] = [
    "adobe",
    "armscii",
    "big5",
    "cns",
    "cp",
    "cyrillicasian",
    "dec",
    "dos",
    "ebcdic",
    "euc",
    "gb",
    "georgian",
    "hp",
    "hz",
    "ibm",
    "iscii",
    "iso",
    "jis",
    "koi",
    "kz1048",
    "mac",
    "mik",
    "ms",
    "nextstep",
    "palm",
    "pt154",
    "ptcp",
    "r8",
    "roman8",
    "rk1048",
    "ruscii",
    "shift",
    "strk1048",
    "tcvn",
    "tscii",
    "ucs",
    "vi",
    "win",
];

impl Label {
    /// What a name in any spelling says.
    pub(crate) fn of(name: &str) -> Self {
        let name = name.trim().trim_matches(['"', '\'']);
        // With hyphens and without a year, as browsers know it.
        let usual = name.replace('_', "-");
        let year =
            |year: &str| year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
        let without_year = match usual.rsplit_once('-') {
            Some((before, last)) if year(last) => before,
            _ => &usual,
        };
        if let Some(found) = [name, &usual, without_year].into_iter().find_map(web) {
            return Self::Known(found);
        }
        // A year may follow.
        let name = name.split(':').next().unwrap_or(name);
        let mut key: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        key.make_ascii_lowercase();
        let key = key.strip_suffix("charset").unwrap_or(&key);
        let without = |prefix| key.strip_prefix(prefix).filter(|rest: &&str| !rest.is_empty());
        let keys = [Some(key), without("x"), without("cs"), without("charset")];
        let known = keys.iter().flatten().find_map(|key| by_key(key));
        let is_number = |key: &str| key.len() >= 3 && key.bytes().all(|byte| byte.is_ascii_digit());
        let family =
            |key: &&str| is_number(key) || FAMILIES.iter().any(|family| key.starts_with(family));
        match known {
            Some(charset) => Self::Known(charset),
            None if keys.iter().flatten().any(|key| is_ebcdic(key)) => Self::Ebcdic,
            None if keys.iter().flatten().any(family) => Self::Undecodable,
            None => Self::Nonsense,
        }
    }
}

/// Whether this is a code page of EBCDIC.
fn is_ebcdic(key: &str) -> bool {
    let digits = key.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let pages = [
        37..=37,
        256..=299,
        420..=424,
        500..=500,
        833..=838,
        870..=880,
        905..=905,
        918..=918,
        924..=924,
        1025..=1047,
        1097..=1097,
        1112..=1123,
        1130..=1132,
        1137..=1166,
    ];
    let number = digits.parse::<u32>().ok();
    key.starts_with("ebcdic")
        || number.is_some_and(|number| pages.iter().any(|pages| pages.contains(&number)))
}

/// A charset by its name as browsers know it.
fn web(name: &str) -> Option<Charset> {
    match Encoding::for_label(name.as_bytes())? {
        found if found == REPLACEMENT => None,
        // In mail, strings are put together, so that escape sequences follow each other.
        found if found == ISO_2022_JP => Some(Charset::Iso2022(Set::Jis)),
        found if found == X_USER_DEFINED => Some(Charset::Web(WINDOWS_1252)),
        // These names say nothing of the byte order in mail.
        found if found == UTF_16LE && !name.to_ascii_lowercase().contains("le") => {
            Some(Charset::Utf16)
        }
        found => Some(Charset::Web(found)),
    }
}

/// A charset by the letters and digits of its name, in lower case.
fn by_key(key: &str) -> Option<Charset> {
    use Charset::{Hz, Iso2022, Johab, Utf7, Utf16, Utf32, Web};
    let latin = || web(&format!("iso-8859-{}", key.strip_prefix("iso8859")?));
    if let Some(found) = web(key).or_else(latin) {
        return Some(found);
    }
    Some(match key {
        "u8" | "utf" | "utf8sig" | "utf8bom" | "utf8mb3" | "utf8mb4" | "utf8ucs2" => Web(UTF_8),
        "646" | "iso646us" | "us" | "usascii" | "isoir6" | "ansix341968" | "ansix341986"
        | "latin" | "8859" | "88591" | "iso8859" => Web(WINDOWS_1252),
        "cpis" => Charset::Dos(861),
        "cpgr" => Charset::Dos(869),
        "macjapanese" => Web(SHIFT_JIS),
        "mackorean" => Web(EUC_KR),
        "macsimpchinese" => Web(GBK),
        "mactradchinese" => Web(BIG5),
        "asmo708" | "ecma114" => Web(encoding_rs::ISO_8859_6),
        "ecma118" | "elot928" => Web(encoding_rs::ISO_8859_7),
        "latin7" | "l7" | "isoir179" => Web(ISO_8859_13),
        "isoir199" | "isoceltic" => Web(ISO_8859_14),
        "latin9" | "latin0" | "isoir203" => Web(ISO_8859_15),
        "latin10" | "l10" | "isoir226" => Web(ISO_8859_16),
        "thai" | "tis6200" | "tis62025290" | "tis62025291" | "isoir166" | "tis620" => {
            Web(WINDOWS_874)
        }
        "shiftjis" | "shiftjis2004" | "sjis2004" | "shiftjisx0213" | "sjisx0213" | "mskanji"
        | "shiftjisms" | "sjiswin" => Web(SHIFT_JIS),
        "eucjp" | "ujis" | "eucjis2004" | "jisx0213" | "eucjisx0213" | "eucjpms" | "eucjpwin" => {
            Web(EUC_JP)
        }
        "uhc" | "ksx1001" | "euckr" | "wansung" | "ksc56011987" | "ksc56011992"
        | "unifiedhangul" => Web(EUC_KR),
        "euccn" | "eucgb2312cn" | "gb231280" | "gb23121980" | "cngb" => Web(GBK),
        "gb180302000" | "gb180302005" | "gb180302022" => Web(GB18030),
        "big5tw" | "hkscs" | "big5hkscs" | "big5hkscs2004" | "big5eten" | "chinesebig5"
        | "big5ext" | "bigfive" => Web(BIG5),
        "koi8" | "koi" => Web(KOI8_R),
        "koi8ru" => Web(KOI8_U),
        "macroman" => Web(MACINTOSH),
        "maccyrillic" | "macukrainian" | "macukraine" => Web(X_MAC_CYRILLIC),
        "hz" | "hzgb" | "hzgb2312" => Hz,
        "iso2022kr" => Iso2022(Set::Korean),
        "iso2022jp" | "iso2022jp1" | "iso2022jp2" | "iso2022jp3" | "iso2022jp2004"
        | "iso2022jpext" | "iso2022jpms" | "jis7" | "jis" => Iso2022(Set::Jis),
        "iso2022cn" | "iso2022cnext" => Iso2022(Set::Chinese),
        "johab" => Johab,
        "utf7" | "u7" | "unicode11utf7" => Utf7,
        "utf16" | "u16" | "ucs2" | "unicode" => Utf16,
        "utf16be" | "ucs2be" | "unicodebigunmarked" | "unicodebig" => Web(UTF_16BE),
        "utf16le" | "ucs2le" | "unicodelittleunmarked" | "unicodelittle" => Web(UTF_16LE),
        "utf32" | "u32" | "ucs4" | "iso10646ucs4" => Utf32(None),
        "utf32be" | "ucs4be" => Utf32(Some(true)),
        "utf32le" | "ucs4le" => Utf32(Some(false)),
        "pc8codepage437" => Charset::Dos(437),
        "pc862latinhebrew" => Charset::Dos(862),
        _ => return by_number(key),
    })
}

/// A code page by its number, alone or after one of the usual words.
fn by_number(key: &str) -> Option<Charset> {
    const WORDS: [&str; 15] = [
        "",
        "windowscodepage",
        "windows",
        "wincp",
        "win",
        "cp",
        "codepage",
        "ibm",
        "ms",
        "dos",
        "oem",
        "pc",
        "pcp",
        "ccsid",
        "ansi",
    ];
    let digits = key.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let word = &key[..key.len() - digits.len()];
    // As in `csPC775Baltic`.
    let digits = match word {
        "pc" | "pcp" => digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()),
        _ => digits,
    };
    if digits.is_empty() || digits.len() > 8 || !WORDS.contains(&word) {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    let latin = |part: u32| Encoding::for_label(format!("iso-8859-{part}").as_bytes());
    Some(match number {
        866 => Charset::Web(IBM866),
        367 | 819 | 20127 => Charset::Web(WINDOWS_1252),
        813 => Charset::Web(latin(7)?),
        912 => Charset::Web(latin(2)?),
        913 => Charset::Web(latin(3)?),
        914 => Charset::Web(latin(4)?),
        915 => Charset::Web(latin(5)?),
        916 => Charset::Web(latin(8)?),
        919 => Charset::Web(latin(10)?),
        920 => Charset::Web(latin(9)?),
        921 => Charset::Web(latin(13)?),
        923 => Charset::Web(latin(15)?),
        1089 => Charset::Web(latin(6)?),
        874 | 1162 => Charset::Web(WINDOWS_874),
        932 | 942 | 943 => Charset::Web(SHIFT_JIS),
        936 | 1386 | 20936 | 51936 => Charset::Web(GBK),
        949 | 970 | 1363 | 51949 => Charset::Web(EUC_KR),
        950 | 951 | 1370 | 51950 => Charset::Web(BIG5),
        1361 => Charset::Johab,
        878 | 20866 => Charset::Web(KOI8_R),
        1168 | 21866 => Charset::Web(KOI8_U),
        1200 => Charset::Web(UTF_16LE),
        1201 => Charset::Web(UTF_16BE),
        1250..=1258 => Charset::Web(Encoding::for_label(format!("windows-{number}").as_bytes())?),
        10000 => Charset::Web(MACINTOSH),
        10007 | 10017 => Charset::Web(X_MAC_CYRILLIC),
        12000 => Charset::Utf32(Some(false)),
        12001 => Charset::Utf32(Some(true)),
        20932 | 51932 | 33722 => Charset::Web(EUC_JP),
        28591..=28606 => Charset::Web(latin(number - 28590)?),
        38598 => Charset::Web(latin(8)?),
        50220..=50222 => Charset::Iso2022(Set::Jis),
        50225 => Charset::Iso2022(Set::Korean),
        50227 => Charset::Iso2022(Set::Chinese),
        52936 => Charset::Hz,
        54936 => Charset::Web(GB18030),
        65000 => Charset::Utf7,
        65001 => Charset::Web(UTF_8),
        _ => {
            let number = u16::try_from(number).ok()?;
            DECODING_TABLE_CP_MAP.get(&number)?;
            Charset::Dos(number)
        }
    })
}

impl Charset {
    /// The WHATWG name, or the usual one of another charset.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Web(encoding) => encoding.name(),
            Self::Dos(_) => "DOS",
            Self::Utf16 => "UTF-16",
            Self::Utf32(_) => "UTF-32",
            Self::Utf7 => "UTF-7",
            Self::Iso2022(Set::Korean) => "ISO-2022-KR",
            Self::Iso2022(Set::Chinese) => "ISO-2022-CN",
            Self::Iso2022(_) => "ISO-2022-JP",
            Self::Hz => "HZ",
            Self::Johab => "Johab",
        }
    }

    /// Whether ASCII characters take several bytes.
    pub(crate) fn is_wide(self) -> bool {
        match self {
            Self::Web(encoding) => encoding == UTF_16LE || encoding == UTF_16BE,
            other => matches!(other, Self::Utf16 | Self::Utf32(_)),
        }
    }

    /// Decodes bytes. What is malformed becomes U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> Decoded<'_> {
        let text = match self {
            Self::Web(encoding) => {
                let (text, replaced) = encoding.decode_without_bom_handling(bytes);
                return Decoded { text, encoding: encoding.name(), replaced };
            }
            Self::Dos(page) => match DECODING_TABLE_CP_MAP.get(&page) {
                Some(table) => table.decode_string_lossy(bytes),
                None => String::new(),
            },
            Self::Utf16 => return utf_16(bytes),
            Self::Utf32(big) => utf_32(bytes, big),
            Self::Utf7 => utf_7(bytes),
            Self::Iso2022(initial) => iso_2022(bytes, initial),
            Self::Hz => hz(bytes),
            Self::Johab => johab(bytes),
        };
        let replaced = text.contains(char::REPLACEMENT_CHARACTER);
        Decoded { text: Cow::Owned(text), encoding: self.name(), replaced }
    }
}

/// Decodes text that came with the name of its charset, as in mail. The name may be wrong:
///
/// * without a charset, as US-ASCII, and with a name that is none, text is UTF-8 if it can be, and
///   otherwise windows-1252;
/// * text in ISO 8859-1 or windows-1252 that is valid UTF-8 is that;
/// * text that is malformed in its charset is UTF-8 if it can be;
/// * text in UTF-8 of which more is malformed than not is windows-1252.
///
/// `None`: the name is that of a charset that cannot be decoded, and the text is no UTF-8.
///
/// ```
/// use lookalike_text::decode_labelled;
///
/// assert_eq!(decode_labelled(b"caf\x82", Some("cp437")).unwrap().text, "café");
/// assert_eq!(decode_labelled(b"caf\xe9", None).unwrap().text, "café");
/// assert!(decode_labelled(b"caf\xe9", Some("mac-greek")).is_none());
/// ```
#[must_use]
pub fn decode_labelled<'a>(bytes: &'a [u8], label: Option<&str>) -> Option<Decoded<'a>> {
    let unicode = || {
        let text = std::str::from_utf8(without_mark(bytes)).ok()?;
        Some(Decoded { text: text.into(), encoding: UTF_8.name(), replaced: false })
    };
    let western = || Charset::Web(WINDOWS_1252).decode(bytes);
    let label = label.map(str::trim).filter(|label| !label.is_empty());
    let charset = match label.map_or(Label::Nonsense, Label::of) {
        Label::Known(charset) => charset,
        Label::Undecodable => return unicode(),
        Label::Ebcdic => return None,
        Label::Nonsense => return Some(unicode().unwrap_or_else(western)),
    };
    if let Charset::Web(encoding) = charset {
        if encoding == WINDOWS_1252 {
            return Some(unicode().unwrap_or_else(western));
        }
        if encoding == UTF_8 {
            return Some(unicode().unwrap_or_else(|| damaged_utf_8(bytes)));
        }
    }
    // Text without control characters that could be UTF-8 was converted on the way.
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if charset.is_wide()
        && !bytes.iter().any(is_control)
        && let Some(found) = unicode()
    {
        return Some(found);
    }
    let found = charset.decode(bytes);
    if found.replaced && label.is_some_and(is_partial) {
        return if bytes.is_ascii() { None } else { unicode() };
    }
    match found.replaced && !bytes.is_ascii() {
        true => Some(unicode().unwrap_or(found)),
        false => Some(found),
    }
}

/// Whether only the characters of JIS X 0208 are decoded of a charset that has more.
fn is_partial(label: &str) -> bool {
    let name = label.to_ascii_lowercase();
    name.contains("jis") && (name.contains("2004") || name.contains("0213"))
        || ["2022", "jp"].iter().all(|part| name.contains(part))
            && ["3", "2004"].iter().any(|last| name.ends_with(last))
}

/// Decodes bytes that should be UTF-8 and are not.
fn damaged_utf_8(bytes: &[u8]) -> Decoded<'_> {
    let found = Charset::Web(UTF_8).decode(without_mark(bytes));
    let (mut damaged, mut whole) = (0, 0);
    for char in found.text.chars().filter(|char| !char.is_ascii()) {
        if char == char::REPLACEMENT_CHARACTER { damaged += 1 } else { whole += 1 }
    }
    if damaged > whole { Charset::Web(WINDOWS_1252).decode(bytes) } else { found }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Decodes UTF-16: by its byte order mark, or with the byte order in which more characters are
/// below U+0100.
fn utf_16(bytes: &[u8]) -> Decoded<'_> {
    let (bytes, encoding) = match bytes {
        [0xfe, 0xff, rest @ ..] => (rest, UTF_16BE),
        [0xff, 0xfe, rest @ ..] => (rest, UTF_16LE),
        _ => {
            let zeros = |first: usize| {
                bytes.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count()
            };
            (bytes, if zeros(0) > zeros(1) { UTF_16BE } else { UTF_16LE })
        }
    };
    Charset::Web(encoding).decode(bytes)
}

fn utf_32(bytes: &[u8], big: Option<bool>) -> String {
    let (bytes, big) = match bytes {
        [0, 0, 0xfe, 0xff, rest @ ..] if big != Some(false) => (rest, true),
        [0xff, 0xfe, 0, 0, rest @ ..] if big != Some(true) => (rest, false),
        // Of a character below U+1000000 the first byte is zero, and all are.
        _ => (bytes, big.unwrap_or_else(|| bytes.first() == Some(&0))),
    };
    let (whole, rest) = bytes.as_chunks::<4>();
    let chars = whole.iter().map(|four| {
        let value = if big { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) };
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    chars.chain((!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER)).collect()
}

/// Decodes UTF-7: `+` begins UTF-16 in base64, which ends before the first byte that is none; `-`
/// there belongs to it.
fn utf_7(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'+' {
            out.push(if byte.is_ascii() { byte.into() } else { char::REPLACEMENT_CHARACTER });
            continue;
        }
        let (mut bits, mut count, mut units) = (0u32, 0, Vec::new());
        let is_empty = rest.first().is_none_or(|byte| sextet(*byte).is_none());
        while let Some(value) = rest.first().and_then(|byte| sextet(*byte)) {
            rest = &rest[1..];
            (bits, count) = (bits << 6 | value, count + 6);
            if count >= 16 {
                count -= 16;
                units.push((bits >> count) as u16);
                bits &= (1 << count) - 1;
            }
        }
        if is_empty {
            out.push('+');
        }
        let decoded = char::decode_utf16(units);
        out.extend(decoded.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
        if let [b'-', after @ ..] = rest {
            rest = after;
        }
    }
    out
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Decodes ISO-2022: escape sequences designate character sets, shift out and in change between
/// two of them. Eight-bit characters are those of the EUC of the initial set.
fn iso_2022(bytes: &[u8], initial: Set) -> String {
    let mut out = String::with_capacity(bytes.len());
    // The sets G0 to G2; Japanese text has no shift out.
    let mut sets = [Set::Ascii, initial, Set::Latin1];
    let mut shifted = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            0x1b => match escape(after) {
                Some((slot, set, length)) => {
                    sets[slot] = set;
                    rest = &after[length..];
                }
                // A single shift: one character of G2 in seven bits.
                None if after.first() == Some(&b'N') && after.len() > 1 => {
                    push_of(sets[2], &after[1..2], &mut out);
                    rest = &after[2..];
                }
                None => rest = after,
            },
            0x0e => (shifted, rest) = (true, after),
            0x0f => (shifted, rest) = (false, after),
            b'\n' => {
                // A line begins in ASCII, whatever was forgotten before.
                (shifted, sets[0]) = (false, Set::Ascii);
                out.push('\n');
                rest = after;
            }
            0..=0x20 | 0x7f => {
                out.push(byte.into());
                rest = after;
            }
            0x80.. => {
                let high = rest.iter().position(|byte| *byte < 0x80).unwrap_or(rest.len());
                let encoding = match initial {
                    Set::Korean => EUC_KR,
                    Set::Chinese => GBK,
                    _ => EUC_JP,
                };
                out.push_str(&encoding.decode_without_bom_handling(&rest[..high]).0);
                rest = &rest[high..];
            }
            _ => {
                let set = sets[usize::from(shifted)];
                let length = set.bytes().min(rest.len());
                push_of(set, &rest[..length], &mut out);
                rest = &rest[length..];
            }
        }
    }
    out
}

/// What an escape sequence designates: the number of the set, the set, and the length after ESC.
fn escape(after: &[u8]) -> Option<(usize, Set, usize)> {
    let single = |last: u8| match last {
        b'B' | b'J' | b'H' => Set::Ascii,
        b'I' => Set::Kana,
        b'A' => Set::Latin1,
        b'F' => Set::Greek,
        _ => Set::Unknown(1),
    };
    let double = |last: u8| match last {
        b'@' | b'B' | b'O' | b'Q' => Set::Jis,
        b'D' => Set::JisSupplement,
        b'A' => Set::Chinese,
        b'C' => Set::Korean,
        _ => Set::Unknown(2),
    };
    Some(match *after {
        // The update of JIS X 0208 of 1990, before its designation.
        [b'&', b'@', ..] => (2, Set::Latin1, 2),
        [b'$', b'(', last, ..] => (0, double(last), 3),
        [b'$', b')', last, ..] => (1, double(last), 3),
        [b'$', b'*' | b'+', last, ..] => (2, double(last), 3),
        [b'$', last @ (b'@' | b'A' | b'B'), ..] => (0, double(last), 2),
        [b'(', last, ..] => (0, single(last), 2),
        [b')', last, ..] => (1, single(last), 2),
        [b'.', last, ..] => (2, single(last), 2),
        _ => return None,
    })
}

impl Set {
    /// Bytes of a character.
    fn bytes(self) -> usize {
        match self {
            Self::Ascii | Self::Latin1 | Self::Greek | Self::Kana => 1,
            Self::Jis | Self::JisSupplement | Self::Korean | Self::Chinese => 2,
            Self::Unknown(bytes) => bytes,
        }
    }
}

/// Appends one character of a set, given in seven bits.
fn push_of(set: Set, bytes: &[u8], out: &mut String) {
    let mut eight: Vec<u8> = bytes.iter().map(|byte| byte | 0x80).collect();
    let encoding = match set {
        Set::Ascii => return out.extend(bytes.iter().map(|byte| char::from(*byte))),
        Set::Unknown(_) => return out.push(char::REPLACEMENT_CHARACTER),
        Set::Latin1 => WINDOWS_1252,
        Set::Greek => encoding_rs::ISO_8859_7,
        Set::Kana | Set::JisSupplement => {
            eight.insert(0, if set == Set::Kana { 0x8e } else { 0x8f });
            EUC_JP
        }
        Set::Jis => EUC_JP,
        Set::Korean => EUC_KR,
        Set::Chinese => GBK,
    };
    out.push_str(&encoding.decode_without_bom_handling(&eight).0);
}

/// Decodes HZ: `~{` and `~}` around GB 2312 in seven bits, `~~` for a tilde, `~` at the end of a
/// line joins it with the next.
fn hz(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let (mut rest, mut chinese) = (bytes, false);
    loop {
        rest = match rest {
            [] => return out,
            [b'~', b'{', after @ ..] => {
                chinese = true;
                after
            }
            [b'~', b'}', after @ ..] => {
                chinese = false;
                after
            }
            [b'~', b'~', after @ ..] if !chinese => {
                out.push('~');
                after
            }
            [b'~', b'\r', b'\n', after @ ..] | [b'~', b'\n', after @ ..] => after,
            [b'\n', after @ ..] => {
                chinese = false;
                out.push('\n');
                after
            }
            [0x80..=0xff, ..] => {
                let high = rest.iter().position(|byte| *byte < 0x80).unwrap_or(rest.len());
                out.push_str(&GBK.decode_without_bom_handling(&rest[..high]).0);
                &rest[high..]
            }
            [first @ 0x21..=0x7e, second @ 0x21..=0x7e, after @ ..] if chinese => {
                push_of(Set::Chinese, &[*first, *second], &mut out);
                after
            }
            [byte, after @ ..] => {
                out.push(char::from(*byte));
                after
            }
        };
    }
}

/// Decodes Johab: syllables by three fields of five bits, Hanja and symbols by the rows of KS X 1001.
fn johab(bytes: &[u8]) -> String {
    /// Number of the medial vowel, and of the final consonant, by their fields.
    const MEDIAL: [u8; 32] = [
        0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 6, 7, 8, 9, 10, 11, 0, 0, 12, 13, 14, 15, 16, 17, 0, 0, 18,
        19, 20, 21, 0, 0,
    ];
    /// Letters of the first consonants and vowels of which a syllable has nothing else.
    const INITIALS: &[u8; 19] = &[
        0x31, 0x32, 0x34, 0x37, 0x38, 0x39, 0x41, 0x42, 0x43, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a,
        0x4b, 0x4c, 0x4d, 0x4e,
    ];
    let mut out = String::with_capacity(bytes.len() * 2);
    let mut rest = bytes;
    while let Some((&high, after)) = rest.split_first() {
        rest = after;
        if high < 0x80 {
            // The backslash is a won sign there.
            out.push(if high == 0x5c { '\u{20a9}' } else { high.into() });
            continue;
        }
        let Some((&low, after)) = after.split_first() else {
            out.push(char::REPLACEMENT_CHARACTER);
            break;
        };
        rest = after;
        let syllable = (0x84..=0xd3).contains(&high);
        let found = if syllable {
            let code = u32::from(high) << 8 | u32::from(low);
            let initial = code >> 10 & 31;
            let medial = u32::from(MEDIAL[(code >> 5 & 31) as usize]);
            let last = code & 31;
            let last = match last {
                1..=17 => Some(last - 1),
                19..=29 => Some(last - 2),
                _ => None,
            };
            match (initial, medial, last) {
                (2..=20, 1.., Some(last)) => {
                    char::from_u32(0xac00 + ((initial - 2) * 21 + medial - 1) * 28 + last)
                }
                (2..=20, 0, Some(0)) => {
                    char::from_u32(0x3100 + u32::from(INITIALS[initial as usize - 2]))
                }
                (1, 1.., Some(0)) => char::from_u32(0x314f + medial - 1),
                (1, 0, Some(0)) => Some('\u{3000}'),
                (1, 0, Some(last)) => final_letter(last),
                _ => None,
            }
        } else {
            None
        };
        let symbol = || {
            let rows = (0xd9..=0xde).contains(&high) || (0xe0..=0xf9).contains(&high);
            let cell = match low {
                0x31..=0x7e => low - 0x31,
                0x91..=0xfe => low - 0x43,
                _ => return None,
            };
            let row = match high {
                _ if !rows => return None,
                ..0xe0 => 2 * (high - 0xd9),
                _ => 2 * (high - 0xe0) + 0x29,
            };
            let (row, cell) = (row + cell / 94 + 0x21, cell % 94 + 0x21);
            let bytes = [row | 0x80, cell | 0x80];
            EUC_KR.decode_without_bom_handling(&bytes).0.chars().next()
        };
        out.push(found.or_else(symbol).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    out
}

/// The letter of a final consonant that stands alone, by its number from 1.
fn final_letter(number: u32) -> Option<char> {
    const LETTERS: [u8; 27] = [
        0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40,
        0x41, 0x42, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e,
    ];
    let letter = LETTERS.get((number as usize).checked_sub(1)?)?;
    char::from_u32(0x3100 + u32::from(*letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts in every charset of Python, encoded by it, with the text that it decodes. A line is
    /// `NAME<TAB>HEX<TAB>TEXT`; the head of the file says how it was made.
    const TABLE: &str = include_str!("../tests/data/charsets.tsv");

    #[test]
    fn charsets_are_decoded_as_by_python_or_named() {
        let (mut decoded, mut undecodable, mut wrong) = (0, Vec::new(), Vec::new());
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let [name, hex, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("three columns: {line}");
            };
            let pairs = hex.as_bytes().chunks(2);
            let bytes: Vec<u8> = pairs
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect();
            match decode_labelled(&bytes, Some(name)) {
                Some(found) if found.text == text => {}
                Some(found) => {
                    wrong.push(format!("{name}: {}, not {text}", found.text));
                    continue;
                }
                None => {
                    undecodable.push(name);
                    continue;
                }
            }
            decoded += 1;
            // In a page as well, unless its ASCII would not be read.
            if let Label::Known(charset) = Label::of(name)
                && !charset.is_wide()
                && charset != Charset::Utf7
            {
                let page = [b"<meta charset=\"", name.as_bytes(), b"\">", &*bytes].concat();
                let page = crate::decode_html(&page).text.into_owned();
                assert!(page.ends_with(text), "{name}: {page}");
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(decoded > 250, "{decoded}");
        let known = [
            "cp037",
            "cp1006",
            "cp1026",
            "cp1125",
            "cp1140",
            "cp273",
            "cp424",
            "cp500",
            "cp856",
            "cp875",
            "hp_roman8",
            "koi8_t",
            "kz1048",
            "mac_arabic",
            "mac_croatian",
            "mac_farsi",
            "mac_greek",
            "mac_iceland",
            "mac_latin2",
            "mac_romanian",
            "mac_turkish",
            "palmos",
            "ptcp154",
            // Text with characters that only JIS X 0213 has.
            "euc_jis_2004",
            "euc_jisx0213",
            "iso2022_jp_2004",
            "iso2022_jp_3",
            "shift_jis_2004",
            "shift_jisx0213",
        ];
        let aliases = [
            "037",
            "csibm037",
            "ebcdic_cp_ca",
            "ebcdic_cp_nl",
            "ebcdic_cp_us",
            "ebcdic_cp_wt",
            "ibm037",
            "ibm039",
            "1026",
            "csibm1026",
            "ibm1026",
            "1125",
            "cp866u",
            "ibm1125",
            "ruscii",
            "1140",
            "ibm1140",
            "273",
            "csibm273",
            "ibm273",
            "424",
            "csibm424",
            "ebcdic_cp_he",
            "ibm424",
            "500",
            "csibm500",
            "ebcdic_cp_be",
            "ebcdic_cp_ch",
            "ibm500",
            "cp1051",
            "hp-roman8",
            "ibm1051",
            "r8",
            "roman8",
            "koi8-t",
            "kz_1048",
            "rk1048",
            "strk1048_2002",
            "mac-arabic",
            "mac-croatian",
            "mac-farsi",
            "mac-greek",
            "macgreek",
            "mac-iceland",
            "maciceland",
            "mac-latin2",
            "mac_centeuro",
            "maccentraleurope",
            "maclatin2",
            "mac-romanian",
            "mac-turkish",
            "macturkish",
            "cp154",
            "csptcp154",
            "cyrillic_asian",
            "pt154",
        ];
        undecodable.retain(|name| !known.contains(name) && !aliases.contains(name));
        assert_eq!(undecodable, [""; 0]);
    }

    #[test]
    fn names_are_compared_by_letters_and_digits() {
        for (names, bytes, text) in [
            (
                &[
                    "cp-1251",
                    "CP_1251",
                    "x-cp1251",
                    "win-1251",
                    "windows1251",
                    "\"Windows-1251\"",
                    "ansi-1251",
                    "ms-cp1251charset",
                ][..7],
                &b"\xcf\xf0\xe8"[..],
                "При",
            ),
            (&["ibm00858", "CP00858", "858", "pc858"], b"\xd5", "€"),
            (&["latin-9", "ISO_8859-15:1998", "iso8859-15", "l9"], b"\xa4", "€"),
            (&["ks_c_5601-1987", "x-windows-949", "MS949", "uhc"], b"\xb0\xa1", "가"),
            (&["UTF-8-SIG", "utf8mb4", "cp65001"], b"\xef\xbb\xbf\xc3\xa9", "é"),
            (&["gb2312_charset", "x-gbk", "cn-gb"], b"\xd6\xd0", "中"),
            (&["unicode", "utf-16", "ucs-2"], b"\0a\0b", "ab"),
        ] {
            for name in names {
                let found = decode_labelled(bytes, Some(name));
                assert_eq!(found.map(|found| found.text).as_deref(), Some(text), "{name}");
            }
        }
        for name in ["default", "x-unknown", "unknown-8bit", "none", "", "%charset%"] {
            assert_eq!(Label::of(name), Label::Nonsense, "{name}");
        }
        for name in ["viscii", "x-mac-ce", "iso-8859-12", "TCVN", "euc-tw"] {
            assert_eq!(Label::of(name), Label::Undecodable, "{name}");
        }
        for name in ["EBCDIC-US", "cp1047", "ibm-037", "csIBM1026", "500"] {
            assert_eq!(Label::of(name), Label::Ebcdic, "{name}");
        }
    }

    #[test]
    fn wrong_names_do_not_make_text_unreadable() {
        for (bytes, label, text) in [
            (&b"caf\xc3\xa9"[..], Some("iso-8859-1"), "café"),
            (b"caf\xe9", Some("utf-8"), "café"),
            (b"\xc3\xa9\xc3\xa9\xe9", Some("utf-8"), "éé\u{fffd}"),
            (b"plain", Some("utf-16"), "plain"),
            (b"caf\xe9", Some("us-ascii"), "café"),
            ("한국어".as_bytes(), Some("iso-2022-kr"), "한국어"),
            (b"\xc7\xd1", Some("iso-2022-kr"), "한"),
            ("中文".as_bytes(), Some("viscii"), "中文"),
        ] {
            assert_eq!(decode_labelled(bytes, label).unwrap().text, text, "{label:?}");
        }
        assert_eq!(decode_labelled(b"\xe9", Some("viscii")), None);
    }

    #[test]
    fn escapes_and_ends_are_no_panic() {
        let names = ["iso-2022-kr", "iso-2022-jp-2", "hz", "johab", "utf-7", "utf-32", "utf-16"];
        let parts: [&[u8]; 9] =
            [b"\x1b", b"$", b"(", b"C", b"\x0e", b"~", b"{", b"+A", b"\xd9\x80"];
        for name in names {
            for number in 0..9usize.pow(4) {
                let digits = (0..4).map(|place| number / 9usize.pow(place) % 9);
                let bytes: Vec<u8> = digits.flat_map(|at| parts[at].to_vec()).collect();
                assert!(decode_labelled(&bytes, Some(name)).is_some());
            }
        }
    }
}
