//! A text in, an edited copy out, as Chowdhury et al. 2002, section 4.3, made them.
//!
//! "For every ith word, pick a random number from one to ten. If the number is higher than the
//! random threshold (call it alpha) then pick a number from 1 to 3. If the random number chosen is
//! a 1 then remove the word. If the number is a 2 then flip it with a word at position i + 1. If it
//! is a 3, add a word (randomly pick one from the term list)." The paper names neither i nor alpha.

use lookalike_testing::prng::Prng;

/// How a copy is edited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edits {
    /// i: every so manieth word is looked at; at least 1.
    pub(crate) every: usize,
    /// alpha: of ten numbers those above it lead to an edit.
    pub(crate) alpha: usize,
}

impl Edits {
    /// Edits a text, and says how often. Words are what white space delimits.
    pub(crate) fn apply(self, text: &str, terms: &[String], random: &mut Prng) -> (String, u32) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (mut out, mut edits, mut at) = (Vec::with_capacity(words.len() + 8), 0, 0);
        while let Some(&word) = words.get(at) {
            let looked_at = (at + 1).is_multiple_of(self.every);
            at += 1;
            if !looked_at || random.between(1, 10) <= self.alpha {
                out.push(word);
                continue;
            }
            edits += 1;
            match random.between(1, 3) {
                1 => {}
                2 => {
                    out.extend(words.get(at).copied());
                    out.push(word);
                    at += 1;
                }
                _ => {
                    out.push(word);
                    out.extend(terms.get(random.below(terms.len())).map(String::as_str));
                }
            }
        }
        (out.join(" "), edits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: usize) -> String {
        (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn alpha_10_changes_nothing_and_alpha_0_every_ith_word() {
        let (text, terms) = (words(1000), ["new".to_owned()]);
        let edit = |alpha| Edits { every: 10, alpha }.apply(&text, &terms, &mut Prng::new(1));
        assert_eq!(edit(10), (text.clone(), 0));
        let (edited, edits) = edit(0);
        // A flip passes over the word behind, which is never a tenth one.
        assert_eq!(edits, 100);
        let count = |text: &str| text.split(' ').filter(|word| *word == "new").count();
        let added = count(&edited);
        let removed = 1000 + added - edited.split(' ').count();
        assert!((20..=46).contains(&added) && (20..=46).contains(&removed), "{added} {removed}");
    }

    #[test]
    fn words_are_removed_flipped_or_added() {
        let seen: std::collections::BTreeSet<String> = (0..100)
            .map(|seed| {
                let edits = Edits { every: 2, alpha: 0 };
                edits.apply("a b c", &["x".to_owned()], &mut Prng::new(seed)).0
            })
            .collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["a b x c", "a c", "a c b"]);
    }
}
