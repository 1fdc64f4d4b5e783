//! Letters and digits that look like ASCII ones (Unicode Technical Standard #39, confusables.txt).
//!
//! A skeleton of UTS #39 also changes ASCII (`m` to `rn`, `0` to `O`, `1` and `I` to `l`), so that
//! ordinary words would merge and every text would need the slow path. Here ASCII stays as it is,
//! and another letter whose skeleton is that of ASCII letters becomes these: Cyrillic `а` is `a`. So
//! do digits become digits.
//!
//! The replacement is that of the small letter, so that it does not depend on case; only where the
//! small letter looks like no ASCII letter, it is that of the capital: Cyrillic `В` looks like `B`
//! and `в` like nothing, and both become `b`.

use std::sync::OnceLock;
use unicode_security::skeleton;

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
        let replaced = words.filter_map(|c| replacement(c).map(|text| (c, text.into_boxed_str())));
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
            ('Ι', Some("i")),
            ('ｍ', Some("m")),
            ('𝟏', Some("1")),
            ('𝟎', Some("0")),
            ('𝐅', Some("f")),
            ('ﬁ', Some("fi")),
            ('Ⅷ', Some("viii")),
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

    /// Every replacement looks like the character, or like it in another case.
    #[test]
    fn replacements_have_the_skeleton_of_their_character() {
        let table = Confusables::shared();
        assert!(table.characters.len() > 1000, "{}", table.characters.len());
        let of = |text: &str| skeleton(text).collect::<String>();
        for (c, text) in table.characters.iter().zip(&table.replacements) {
            let looks_like = |text: &str| {
                let forms = [c.to_string(), c.to_lowercase().to_string()];
                let upper = c.to_lowercase().flat_map(char::to_uppercase).collect();
                forms.into_iter().chain([upper]).any(|form| of(&form).to_lowercase() == of(text).to_lowercase())
            };
            assert!(looks_like(text) || looks_like(&text.to_uppercase()), "{c} {text}");
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
