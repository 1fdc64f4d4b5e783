//! ASCII text in, lower-cased words out: the fast path.
//!
//! 64 bytes at a time are turned into a mask with one bit for each letter or digit; words begin and
//! end where a bit differs from the one before. The loops are written so that the compiler turns
//! them into vector code; the plain path, kept in [`crate::scan`], is the twin that tests compare.

/// Bytes that one mask covers.
const LANES: usize = 64;

/// Emits the lower-cased words of ASCII text. `buffer` is working space.
#[inline]
pub(crate) fn words(text: &[u8], buffer: &mut Vec<u8>, emit: &mut impl FnMut(&[u8])) {
    buffer.clear();
    buffer.extend_from_slice(text);
    buffer.make_ascii_lowercase();
    // At least one byte that belongs to no word, so that the last word ends inside the last mask.
    buffer.resize((text.len() / LANES + 1) * LANES, 0);
    let (chunks, _) = buffer.as_chunks::<LANES>();
    let mut open = None;
    for (number, chunk) in chunks.iter().enumerate() {
        let base = number * LANES;
        let mask = mask(chunk);
        let mut edges = mask ^ (mask << 1 | u64::from(open.is_some()));
        if let Some(start) = open {
            if edges == 0 {
                continue;
            }
            emit(&buffer[start..base + edges.trailing_zeros() as usize]);
            edges &= edges - 1;
            open = None;
        }
        while edges != 0 {
            let start = base + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            if edges == 0 {
                open = Some(start);
                break;
            }
            emit(&buffer[start..base + edges.trailing_zeros() as usize]);
            edges &= edges - 1;
        }
    }
}

/// One bit for each byte that is a lower-case letter or a digit.
#[inline]
fn mask(chunk: &[u8; LANES]) -> u64 {
    let mut flags = [0u8; LANES];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(byte.wrapping_sub(b'a') < 26) | u8::from(byte.wrapping_sub(b'0') < 10);
    }
    let (words, _) = flags.as_chunks::<8>();
    let mut mask = 0;
    for (number, word) in words.iter().enumerate() {
        // Gathers the lowest bits of eight bytes in the topmost byte.
        let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * number);
    }
    mask
}

/// Length of the longest prefix that is ASCII.
#[inline]
pub(crate) fn prefix(bytes: &[u8]) -> usize {
    let mut length = 0;
    for chunk in bytes.chunks(LANES) {
        if !chunk.is_ascii() {
            return length + chunk.iter().position(|byte| !byte.is_ascii()).unwrap_or(chunk.len());
        }
        length += chunk.len();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fast(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text.as_bytes(), &mut Vec::new(), &mut |word| {
            found.push(String::from_utf8_lossy(word).into_owned());
        });
        found
    }

    fn plain(text: &str) -> Vec<String> {
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect()
    }

    #[test]
    fn words_end_at_masks_as_anywhere_else() {
        for length in 0..200 {
            let giant = "X".repeat(length);
            assert_eq!(fast(&giant), plain(&giant));
            let even = "a ".repeat(length);
            assert_eq!(fast(&even), plain(&even));
            let odd = format!("{} b", "-".repeat(length));
            assert_eq!(fast(&odd), ["b"]);
        }
        assert_eq!(fast("It's_2nd-BEST"), ["it", "s", "2nd", "best"]);
    }

    #[test]
    fn every_ascii_byte_is_classed_right() {
        let all: String = (0..128u8).map(char::from).collect();
        assert_eq!(fast(&all), plain(&all));
    }

    proptest! {
        #[test]
        fn masks_agree_with_splitting(text in "([a-zA-Z0-9]{1,90}|[\u{0}-\u{7f}]){0,60}") {
            prop_assert_eq!(fast(&text), plain(&text));
            prop_assert_eq!(prefix(text.as_bytes()), text.len());
            let mixed = format!("{text}é{text}");
            prop_assert_eq!(prefix(mixed.as_bytes()), text.len());
        }
    }
}
