//! An English word in, its stem out: Porter, *An algorithm for suffix stripping*, Program 14(3),
//! 1980.
//!
//! The reference is the author's program: the paper with three changes (words of one or two letters
//! stay; `bli` → `ble` in place of `abli` → `able`; `logi` → `log`). Words with other characters
//! than the letters a to z are not changed. Works in place, O(letters), and does not allocate.

/// Replaces a lower-case word by its stem.
pub(super) fn stem(word: &mut Vec<u8>) {
    if word.len() <= 2 || !word.iter().all(u8::is_ascii_lowercase) {
        return;
    }
    plural(word);
    past(word);
    if word.last() == Some(&b'y') && has_vowel(&word[..word.len() - 1]) {
        replace(word, 1, b"i");
    }
    longest(word, STEP_2, 1);
    longest(word, STEP_3, 1);
    step_4(word);
    step_5(word);
}

type Rule = (&'static [u8], &'static [u8]);

/// Of several endings that fit, the longest comes first.
#[rustfmt::skip]
const STEP_2: &[Rule] = &[
    (b"ational", b"ate"), (b"tional", b"tion"), (b"enci", b"ence"), (b"anci", b"ance"),
    (b"izer", b"ize"), (b"bli", b"ble"), (b"alli", b"al"), (b"entli", b"ent"), (b"eli", b"e"),
    (b"ousli", b"ous"), (b"ization", b"ize"), (b"ation", b"ate"), (b"ator", b"ate"),
    (b"alism", b"al"), (b"iveness", b"ive"), (b"fulness", b"ful"), (b"ousness", b"ous"),
    (b"aliti", b"al"), (b"iviti", b"ive"), (b"biliti", b"ble"), (b"logi", b"log"),
];

#[rustfmt::skip]
const STEP_3: &[Rule] = &[
    (b"icate", b"ic"), (b"ative", b""), (b"alize", b"al"), (b"iciti", b"ic"), (b"ical", b"ic"),
    (b"ful", b""), (b"ness", b""),
];

#[rustfmt::skip]
const STEP_4: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"sion", b"tion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

/// Step 1a: SSES → SS, IES → I, SS → SS, S → nothing.
fn plural(word: &mut Vec<u8>) {
    if word.ends_with(b"sses") || word.ends_with(b"ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.truncate(word.len() - 1);
    }
}

/// Step 1b: EED → EE where m > 0; ED and ING are removed if a vowel precedes them, and then the
/// stem is adjusted.
fn past(word: &mut Vec<u8>) {
    if word.ends_with(b"eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            word.truncate(word.len() - 1);
        }
        return;
    }
    let ending = if word.ends_with(b"ed") { 2 } else { 3 };
    if ending == 3 && !word.ends_with(b"ing") || !has_vowel(&word[..word.len() - ending]) {
        return;
    }
    word.truncate(word.len() - ending);
    if [b"at", b"bl", b"iz"].iter().any(|end| word.ends_with(*end)) {
        word.push(b'e');
    } else if ends_double_consonant(word) {
        if !matches!(word.last(), Some(b'l' | b's' | b'z')) {
            word.truncate(word.len() - 1);
        }
    } else if measure(word) == 1 && ends_consonant_vowel_consonant(word) {
        word.push(b'e');
    }
}

/// Steps 2 and 3: the longest ending that fits is replaced, if what is before it measures enough.
fn longest(word: &mut Vec<u8>, rules: &[Rule], least: usize) {
    if let Some(&(ending, other)) = rules.iter().find(|(ending, _)| ends(word, ending))
        && measure(&word[..word.len() - ending.len()]) >= least
    {
        replace(word, ending.len(), other);
    }
}

fn step_4(word: &mut Vec<u8>) {
    let Some(ending) = STEP_4.iter().find(|ending| ends(word, ending)) else { return };
    // Of SION and TION only ION is removed.
    let length = if ending.ends_with(b"ion") { 3 } else { ending.len() };
    if measure(&word[..word.len() - length]) > 1 {
        word.truncate(word.len() - length);
    }
}

fn step_5(word: &mut Vec<u8>) {
    if word.ends_with(b"e") {
        let stem = &word[..word.len() - 1];
        let m = measure(stem);
        if m > 1 || m == 1 && !ends_consonant_vowel_consonant(stem) {
            word.truncate(word.len() - 1);
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.truncate(word.len() - 1);
    }
}

/// `ends_with` that compares the last letter first: most tested endings differ there.
#[inline]
fn ends(word: &[u8], ending: &[u8]) -> bool {
    word.last() == ending.last() && word.ends_with(ending)
}

fn replace(word: &mut Vec<u8>, length: usize, by: &[u8]) {
    word.truncate(word.len() - length);
    word.extend_from_slice(by);
}

/// Whether each letter is a consonant: not a, e, i, o, u, nor y after a consonant.
fn consonants(word: &[u8]) -> impl Iterator<Item = bool> + '_ {
    word.iter().scan(false, |previous, &letter| {
        *previous = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !*previous,
            _ => true,
        };
        Some(*previous)
    })
}

/// m of `[C](VC)^m[V]`.
fn measure(word: &[u8]) -> usize {
    let mut after_vowel = false;
    let mut m = 0;
    for consonant in consonants(word) {
        m += usize::from(consonant && after_vowel);
        after_vowel = !consonant;
    }
    m
}

fn has_vowel(word: &[u8]) -> bool {
    consonants(word).any(|consonant| !consonant)
}

fn ends_double_consonant(word: &[u8]) -> bool {
    match word {
        [.., a, b] if a == b => consonants(word).last() == Some(true),
        _ => false,
    }
}

/// `*o`: ends consonant, vowel, consonant, the last not w, x or y.
fn ends_consonant_vowel_consonant(word: &[u8]) -> bool {
    let mut last = [false; 3];
    for consonant in consonants(word) {
        last = [last[1], last[2], consonant];
    }
    word.len() >= 3
        && last == [true, false, true]
        && !matches!(word.last(), Some(b'w' | b'x' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn measures_of_the_paper() {
        for (m, words) in [
            (0, "tr ee tree y by"),
            (1, "trouble oats trees ivy"),
            (2, "troubles private oaten orrery"),
        ] {
            for word in words.split(' ') {
                assert_eq!(measure(word.as_bytes()), m, "{word}");
            }
        }
    }

    /// The examples that the paper gives with each rule, after all steps.
    #[test]
    fn words_of_the_paper() {
        for pair in include_str!("stem_examples.txt").lines() {
            let (word, expected) = pair.split_once(' ').unwrap();
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn what_is_not_an_english_word_stays() {
        for word in ["", "a", "is", "größes", "mp3s", "слова"] {
            assert_eq!(stemmed(word), word);
        }
    }

    /// Thousands of y in a row make neither deep recursion nor quadratic time.
    #[test]
    fn a_very_long_word_is_no_trouble() {
        assert_eq!(stemmed(&("y".repeat(1 << 20) + "ing")).len(), 1 << 20);
    }
}
