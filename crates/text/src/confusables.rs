//! Letters and digits that look like ASCII ones (Unicode Technical Standard #39, confusables.txt).
//!
//! A skeleton of UTS #39 also changes ASCII (`m` to `rn`, `0` to `O`, `1` and `I` to `l`), so that
//! ordinary words would merge and every text would need the slow path. Here ASCII stays as it is,
//! and any other letter or digit whose skeleton is that of ASCII letters and digits becomes them:
//! Cyrillic `а` is `a`. Where several ASCII characters share a skeleton, it is the one of the same
//! kind: a digit becomes a digit, `Ӏ` (a capital) becomes `I` and not `l`.

use std::sync::OnceLock;
use unicode_security::skeleton;

/// Version of the confusables, stated in summaries and in the settings of an index.
pub(crate) const CONFUSABLES_VERSION: (u64, u64, u64) = unicode_security::UNICODE_VERSION;

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

/// The ASCII letters and digits that a character looks like.
fn replacement(c: char) -> Option<String> {
    let mut buffer = [0; 4];
    let prototype: String = skeleton(c.encode_utf8(&mut buffer)).collect();
    let ascii = prototype.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if prototype.is_empty() || !ascii {
        return None;
    }
    Some(match prototype.as_str() {
        "rn" => "m".into(),
        "l" if c.is_numeric() => "1".into(),
        "l" if c.is_uppercase() => "I".into(),
        "O" if c.is_numeric() => "0".into(),
        _ => prototype,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_the_ascii_letters_that_they_look_like() {
        let table = Confusables::shared();
        let expected = [
            ('а', Some("a")), // Cyrillic
            ('М', Some("M")),
            ('Ӏ', Some("I")),
            ('Ι', Some("I")), // Greek
            ('ο', Some("o")),
            ('Ο', Some("O")),
            ('ｍ', Some("m")),
            ('𝟏', Some("1")),
            ('𝟎', Some("0")),
            ('𝐅', Some("F")),
            ('ﬁ', Some("fi")),
            ('ж', None),
            ('漢', None),
            ('m', None),
            ('0', None),
        ];
        for (c, text) in expected {
            assert_eq!(table.get(c), text, "{c}");
        }
    }

    /// Every replacement looks like the character: their skeletons are equal.
    #[test]
    fn replacements_have_the_skeleton_of_their_character() {
        let table = Confusables::shared();
        assert!(table.characters.len() > 1000, "{}", table.characters.len());
        for (c, text) in table.characters.iter().zip(&table.replacements) {
            let of = |text: &str| skeleton(text).collect::<String>();
            assert_eq!(of(&c.to_string()), of(text), "{c}");
        }
    }
}
