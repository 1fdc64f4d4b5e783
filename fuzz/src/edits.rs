//! Damage in a few bytes: what a fuzzer changes stays meaningful when a format changes.

/// Bytes of an edit: what, and three places or amounts.
const EDIT: usize = 7;

/// Applies the edits that `script` describes. `pieces` are the bounds of what the file consists of, for
/// edits that move whole pieces.
pub(crate) fn apply(script: &[u8], bytes: &mut Vec<u8>, pieces: &[usize]) {
    for edit in script.chunks_exact(EDIT).take(8) {
        let number = |at: usize| usize::from(edit[at]) << 8 | usize::from(edit[at + 1]);
        let place = |at: usize, length: usize| number(at) * (length + 1) / 65536;
        let (from, to) = (place(1, bytes.len()), place(3, bytes.len()));
        let end = bytes.len().min(from + number(5) % 512);
        match edit[0] % 8 {
            0 if from < bytes.len() => bytes[from] ^= 1 << (edit[6] % 8),
            1 => bytes.truncate(from),
            2 => bytes[from..end].fill(edit[3]),
            3 => {
                let part = bytes[from..end].to_vec();
                let end = bytes.len().min(to + part.len());
                bytes[to..end].copy_from_slice(&part[..end - to]);
            }
            4 => {
                let part = bytes[from..end].to_vec();
                bytes.splice(to..to, part);
            }
            5 => drop(bytes.drain(from..end)),
            6 => {
                let number = [0, 1, u64::MAX, 1 << 31, 1 << 32, 1 << 63][usize::from(edit[5]) % 6];
                let end = bytes.len().min(from + 8);
                bytes[from..end].copy_from_slice(&number.to_le_bytes()[..end - from]);
            }
            // A whole piece is dropped, or put elsewhere once more.
            _ if pieces.len() > 1 && pieces.last() == Some(&bytes.len()) => {
                let piece = place(1, pieces.len() - 2);
                let part = bytes[pieces[piece]..pieces[piece + 1]].to_vec();
                match edit[6] % 2 {
                    0 => drop(bytes.drain(pieces[piece]..pieces[piece + 1])),
                    _ => {
                        let to = pieces[place(3, pieces.len() - 1)];
                        bytes.splice(to..to, part);
                    }
                }
            }
            _ => {}
        }
    }
}
