//! Letters and digits that look alike (Unicode Technical Standard #39, confusables.txt).
//!
//! *ASCII.* Skeletons of UTS #39 make `1` and `I` an `l` and `0` an `O`; as words are compared without
//! case, `i`, `l` and `1` are one letter here, and so are `o` and `0`. Beyond the standard, `$` beside
//! a letter is `s`. Each is one byte for another, so that ASCII text keeps the fast path; `m`, whose
//! skeleton is `rn`, stays.
//!
//! *Others.* A letter whose skeleton is that of ASCII letters becomes these: Cyrillic `а` is `a`. So
//! do digits become digits. The replacement is that of the small letter, so that it does not depend
//! on case; only where the small letter looks like no ASCII letter, it is that of the capital:
//! Cyrillic `В` looks like `B` and `в` like nothing, and both become `b`.

use std::sync::OnceLock;
use unicode_security::skeleton;

/// Replaces an ASCII character by the representative of those that look like it.
#[inline]
pub(crate) const fn fold(byte: u8) -> u8 {
    match byte {
        b'1' | b'i' | b'I' | b'L' => b'l',
        b'0' | b'O' => b'o',
        _ => byte,
    }
}

/// Whether `$` stands for `s`, by the characters beside it.
pub(crate) fn is_letter_s(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(char::is_alphabetic) || after.is_some_and(char::is_alphabetic)
}

/// Replaces the characters of ASCII text, in place. Bytes of other characters stay.
pub(crate) fn fold_ascii(text: &mut [u8]) {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'$', &text[from..]) {
        let at = from + found;
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        // An `s` that was a `$` is no letter beside the next one.
        if (found > 0 || from == 0) && is_letter(before) || is_letter(text.get(at + 1)) {
            text[at] = b's';
        }
        from = at + 1;
    }
    text.iter_mut().for_each(|byte| *byte = fold(*byte));
}

/// The characters that are replaced, ascending, with what replaces them.
#[derive(Debug)]
pub(crate) struct Confusables {
    characters: Vec<char>,
    replacements: Vec<Box<str>>,
}

impl Confusables {
    /// The table of all threads; made on first use, in some tens of milliseconds.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Confusables> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let words = ('\u{80}'..=char::MAX).filter(|c| c.is_alphanumeric());
        let folded = |text: String| text.bytes().map(|byte| fold(byte) as char).collect();
        let replaced = words.filter_map(|c| replacement(c).map(|text| (c, folded(text))));
        let (characters, replacements) = replaced.unzip();
        Self { characters, replacements }
    }

    /// What replaces a character; `None` if it stays. O(log n) of some thousand characters.
    pub(crate) fn get(&self, c: char) -> Option<&str> {
        if c.is_ascii() {
            return None;
        }
        let at = self.characters.binary_search(&c).ok()?;
        Some(&self.replacements[at])
    }
}

/// The small ASCII letters, or the digits, that a character looks like.
fn replacement(c: char) -> Option<String> {
    // Roman numerals are both, and look like letters.
    if c.is_numeric() && !c.is_alphabetic() {
        let digits = prototype(c)?.replace('l', "1").replace('O', "0");
        return digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits);
    }
    let small = single(c.to_lowercase()).unwrap_or(c);
    let letters = |c| prototype(c).filter(|text| text.bytes().all(|b| b.is_ascii_alphabetic()));
    let found = letters(small).or_else(|| letters(single(small.to_uppercase())?))?;
    // The skeleton of `m` is `rn`.
    Some(if found == "rn" { "m".into() } else { found.to_ascii_lowercase() })
}

/// The skeleton of a character, if it consists of ASCII letters and digits.
fn prototype(c: char) -> Option<String> {
    let prototype: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
    let ascii = prototype.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (ascii && !prototype.is_empty()).then_some(prototype)
}

/// The only character of a mapping.
fn single(mut mapping: impl Iterator<Item = char>) -> Option<char> {
    mapping.next().filter(|_| mapping.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the analysis states the version of the table: with another table, checkpoints,
    /// lexicons and indexes are of another analysis.
    #[test]
    fn the_table_is_of_the_version_of_the_classes() {
        let (major, minor, _) = unicode_security::UNICODE_VERSION;
        assert!(crate::ANALYSIS_NAME.contains(&format!("Unicode {major}.{minor} classes")));
    }

    #[test]
    fn letters_become_the_ascii_letters_that_they_look_like() {
        let table = Confusables::shared();
        let expected = [
            ('а', Some("a")), // Cyrillic
            ('В', Some("b")),
            ('в', Some("b")),
            ('М', Some("m")),
            ('ο', Some("o")), // Greek
            ('Ι', Some("l")),
            ('ｍ', Some("m")),
            ('𝟏', Some("l")),
            ('𝟎', Some("o")),
            ('𝐅', Some("f")),
            ('ﬁ', Some("fl")),
            ('Ⅷ', Some("vlll")),
            ('б', None), // looks like a digit
            ('ж', None),
            ('漢', None),
            ('m', None),
            ('0', None),
        ];
        for (c, text) in expected {
            assert_eq!(table.get(c), text, "{c}");
        }
    }

    /// Every replacement has the folded skeleton of the character, or of its other case.
    #[test]
    fn replacements_have_the_skeleton_of_their_character() {
        let table = Confusables::shared();
        assert!(table.characters.len() > 1000, "{}", table.characters.len());
        let of = |text: &str| -> String {
            let small = skeleton(text).collect::<String>().to_lowercase().replace("rn", "m");
            small.bytes().map(|byte| fold(byte) as char).collect()
        };
        for (c, text) in table.characters.iter().zip(&table.replacements) {
            let upper: String = c.to_lowercase().flat_map(char::to_uppercase).collect();
            let forms = [c.to_string(), c.to_lowercase().to_string(), upper];
            assert!(forms.iter().any(|form| of(form) == **text), "{c} {text}");
        }
    }

    #[test]
    fn ascii_characters_that_look_alike_are_one() {
        let folded = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            fold_ascii(&mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(
            folded("In$tituti0na1 $tocks, $5 US$ $$a$$ m"),
            "lnstltutlonal stocks, $5 USs $sas$ m"
        );
        for byte in 0..=u8::MAX {
            assert_eq!(fold(byte.to_ascii_lowercase()), fold(byte).to_ascii_lowercase());
            assert_eq!(byte.is_ascii_alphanumeric(), fold(byte).is_ascii_alphanumeric());
            assert_eq!(fold(fold(byte)), fold(byte));
        }
    }

    #[test]
    fn replacements_do_not_depend_on_case() {
        let table = Confusables::shared();
        for &c in &table.characters {
            if let Some(small) = single(c.to_lowercase()).filter(|small| !small.is_ascii()) {
                assert_eq!(table.get(c), table.get(small), "{c}");
            }
        }
    }
}
