//! A token in, whether it is a stop word out.
//!
//! The list is `english.stop` of the SMART system (Salton and Buckley, Cornell), which Chowdhury et
//! al. 2002, section 4.2, used, as Lewis et al. printed it with RCV1 (*Journal of Machine Learning
//! Research* 5, 2004, appendix 11): 571 lines, of which `would` fills two. Tokens here end at an
//! apostrophe, so `don't` is looked for as its pieces `don` and `t`, and so on.

use std::sync::LazyLock;

const WORDS: &str = include_str!("smart_stop_words.txt");

/// Slots of the table, for 565 or so words: one probe, as a rule.
const SLOTS: usize = 2048;

/// Words of up to 15 bytes, each one number; 0 is no word.
static TABLE: LazyLock<Box<[u128; SLOTS]>> = LazyLock::new(|| {
    let mut table = Box::new([0; SLOTS]);
    for piece in WORDS.split([' ', '\n', '\'']).filter(|piece| !piece.is_empty()) {
        let word = packed(piece.as_bytes());
        let slot = find(&table, word);
        table[slot] = word;
    }
    table
});

/// Is this lower-case token a stop word?
pub(super) fn is_stop_word(token: &[u8]) -> bool {
    token.len() < 16 && {
        let word = packed(token);
        TABLE[find(&TABLE, word)] == word
    }
}

/// The bytes, and one more than the length in the last, which keeps words of different lengths
/// apart.
#[inline]
fn packed(word: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..word.len()].copy_from_slice(word);
    bytes[15] = word.len() as u8 + 1;
    u128::from_le_bytes(bytes)
}

/// The slot of the word, or the empty slot in which it would be inserted.
fn find(table: &[u128; SLOTS], word: u128) -> usize {
    let mixed = ((word >> 64) as u64 ^ word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut slot = (mixed >> 53) as usize;
    while table[slot] != 0 && table[slot] != word {
        slot = (slot + 1) % SLOTS;
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole() {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        assert_eq!(words.len(), 570, "571 lines, one of them twice");
        let distinct: std::collections::BTreeSet<_> = words.iter().collect();
        assert_eq!(distinct.len(), 570);
        assert!(words.iter().all(|word| word.len() < 16));
    }

    #[test]
    fn words_of_the_list_and_no_others() {
        let pieces: std::collections::BTreeSet<&str> = WORDS
            .split(|c: char| c.is_whitespace() || c == '\'')
            .filter(|w| !w.is_empty())
            .collect();
        assert!(pieces.iter().all(|word| is_stop_word(word.as_bytes())));
        assert_eq!(TABLE.iter().filter(|&&word| word != 0).count(), pieces.len());
        for other in
            ["", "duplicate", "thee", "nevertheles", "aa", "b2", "\0a", "abcdefghijklmnopq"]
        {
            assert!(!is_stop_word(other.as_bytes()), "{other}");
        }
    }
}
