//! Mutations of inputs: what libFuzzer does without looking at coverage.

use lookalike_testing::prng::Prng;

/// Numbers at which things change.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    i64::MAX as u64,
    u64::MAX,
];

/// Bytes that mean something to one of the formats.
const BYTES: &[u8] = b"\"\\\n\r\t,{}[]<>&;='/\0\xff\xc3\x80:-.0eE";

/// Most bytes of an input.
const LARGEST: usize = 1 << 16;

/// One of the seeds, changed in one to four ways.
pub(crate) fn mutated(seeds: &[Vec<u8>], prng: &mut Prng) -> Vec<u8> {
    let mut input = seeds[prng.below(seeds.len())].clone();
    for _ in 0..prng.between(1, 4) {
        mutate(&mut input, seeds, prng);
    }
    input.truncate(LARGEST);
    input
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], prng: &mut Prng) {
    let at = prng.below(input.len() + 1);
    let end = input.len().min(at + prng.between(1, 64));
    match prng.below(9) {
        0 if at < input.len() => input[at] ^= 1 << prng.below(8),
        1 if at < input.len() => input[at] = BYTES[prng.below(BYTES.len())],
        2 => input.insert(at, BYTES[prng.below(BYTES.len())]),
        3 => input.truncate(at),
        4 => drop(input.drain(at..end)),
        5 => {
            // A part of this or another seed, put in.
            let other = &seeds[prng.below(seeds.len())];
            let from = prng.below(other.len() + 1);
            let part = other[from..other.len().min(from + prng.between(1, 200))].to_vec();
            input.splice(at..at, part);
        }
        6 => {
            // A part repeated.
            let part = input[at..end].repeat(prng.between(1, 100));
            input.splice(at..at, part);
        }
        7 => {
            let number = NUMBERS[prng.below(NUMBERS.len())];
            let width = [1, 2, 4, 8][prng.below(4)];
            let end = input.len().min(at + width);
            input[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
        }
        _ => {
            let number = NUMBERS[prng.below(NUMBERS.len())].to_string();
            input.splice(at..end, number.into_bytes());
        }
    }
}
