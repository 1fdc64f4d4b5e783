//! Lower-cases text as `str::to_lowercase` (Unicode's full mapping with the final sigma), into a
//! reused buffer; but `İ` is `i`.
//!
//! The full mapping keeps the dot of `İ` as a combining mark, so that `İstanbul` and `istanbul`
//! would be two words. A dot above an `i` is not kept, whichever program lower-cased the text.

use crate::classes::{CASED, Classes, DOT_ABOVE, IGNORABLE, UPPER};

/// Does lower-casing change anything?
pub(crate) fn changes(text: &str, classes: &Classes) -> bool {
    text.chars().any(|c| classes.get(c) & UPPER != 0)
}

/// Appends the lower-cased text to `out`. Does not allocate once `out` is large enough.
pub(crate) fn lower_into(text: &str, classes: &Classes, out: &mut String) {
    lower_each(text, classes, out, |_| {});
}

/// The same, and tells of each character how many bytes it became.
pub(crate) fn lower_each(
    text: &str,
    classes: &Classes,
    out: &mut String,
    mut each: impl FnMut(usize),
) {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let length = out.len();
        if classes.get(c) & UPPER == 0 {
            out.push(c);
        } else {
            match c {
                'Σ' => out.push(sigma(text, at, classes)),
                'İ' => out.push('i'),
                DOT_ABOVE if has_dot(before) => {}
                _ => out.extend(c.to_lowercase()),
            }
        }
        each(out.len() - length);
        before = Some(c);
    }
}

/// Whether a letter is an `i`, whose dot another one does not change.
pub(crate) fn has_dot(letter: Option<char>) -> bool {
    matches!(letter, Some('i' | 'I'))
}

/// The lower-case form of the capital sigma at `at`: `ς` after a cased letter and before none,
/// case-ignorable characters (apostrophes, full stops, marks) not counted (Unicode 3.13, table
/// 3-17).
fn sigma(text: &str, at: usize, classes: &Classes) -> char {
    let cased_next = |mut chars: &mut dyn Iterator<Item = char>| {
        let decisive = (&mut chars).find(|&c| classes.get(c) & IGNORABLE == 0);
        decisive.is_some_and(|c| classes.get(c) & CASED != 0)
    };
    let after = &text[at + 'Σ'.len_utf8()..];
    if cased_next(&mut text[..at].chars().rev()) && !cased_next(&mut after.chars()) {
        'ς'
    } else {
        'σ'
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lower(text: &str) -> String {
        let mut out = String::new();
        lower_into(text, Classes::shared(), &mut out);
        out
    }

    fn standard(text: &str) -> String {
        text.to_lowercase().replace("i\u{307}", "i")
    }

    #[test]
    fn sigma_is_final_only_at_the_end_of_a_word() {
        assert_eq!(lower("ΟΔΥΣΣΕΥΣ Σ ΣΑΣ. ΑΣ'Α"), "οδυσσευς σ σας. ασ'α");
        assert_eq!(lower("İII\u{307}i\u{307}İ"), "iiiii");
    }

    #[test]
    fn every_code_point_is_lowered_as_the_standard_library_does() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            assert_eq!(lower(&text), standard(&text));
            assert!(changes(&text, Classes::shared()) || lower(&text) == text);
        }
    }

    proptest! {
        #[test]
        fn text_is_lowered_as_the_standard_library_does(
            text in "([ΣΑσaBiI .:'\u{301}\u{307}\u{ad}ʰİ0]|\\PC){0,12}",
        ) {
            prop_assert_eq!(lower(&text), standard(&text));
        }
    }
}
