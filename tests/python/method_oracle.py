"""What some methods of the papers say of documents, computed from the papers' definitions.

Shares no code with lookalike: XXH3 of short tokens and the finaliser are written from their public
descriptions, simhash from Seshasai 2009, chapter 3. Standard library only.
"""
import math

WORD = (1 << 64) - 1
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c")


def secret(at: int) -> int:
    return int.from_bytes(SECRET[at:at + 8], "little")


def xxh3(data: bytes) -> int:
    """XXH3-64, seed 0, of 1 to 16 bytes."""
    size = len(data)
    if not 1 <= size <= 16:
        raise ValueError(f"{size} bytes: this is for 1 to 16")
    if size <= 3:
        value = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        value ^= secret(0) & 0xFFFFFFFF ^ secret(0) >> 32
        value = (value ^ value >> 33) * 0xC2B2AE3D27D4EB4F & WORD
        value = (value ^ value >> 29) * 0x165667B19E3779F9 & WORD
        return value ^ value >> 32
    if size <= 8:
        first, last = int.from_bytes(data[:4], "little"), int.from_bytes(data[-4:], "little")
        value = (last + (first << 32)) ^ secret(8) ^ secret(16)
        turned = lambda bits: (value << bits | value >> 64 - bits) & WORD
        value ^= turned(49) ^ turned(24)
        value = value * 0x9FB21C651E98DF25 & WORD
        value ^= (value >> 35) + size
        value = value * 0x9FB21C651E98DF25 & WORD
        return value ^ value >> 28
    low = int.from_bytes(data[:8], "little") ^ secret(24) ^ secret(32)
    high = int.from_bytes(data[-8:], "little") ^ secret(40) ^ secret(48)
    product = low * high
    value = size + int.from_bytes(low.to_bytes(8, "little"), "big") + high + (product & WORD ^ product >> 64) & WORD
    value = (value ^ value >> 37) * 0x165667919E3779F9 & WORD
    return value ^ value >> 32


def finalise(value: int) -> int:
    """Stafford's variant 13 of the MurmurHash3 finaliser."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB & WORD
    return value ^ value >> 31


def token_hash(token: str) -> int:
    return xxh3(token.encode())


def shingle(hashes: list) -> int:
    """Adjacent tokens: a polynomial over their hashes, finalised. One token alone is its finalised hash."""
    value = 0
    for one in hashes:
        value = (value * 0x9E3779B97F4A7C15 + one) & WORD
    return finalise(value)


def turned(value: int) -> int:
    """The hash of a feature that is no term."""
    return finalise(value ^ WORD)


def sums_of(weights: list) -> list:
    """For each bit the weights of the (hash, weight) that have it, less those of the others."""
    return [sum(weight if key >> bit & 1 else -weight for key, weight in weights) for bit in range(64)]


def sign_of_sums(sums: list) -> int:
    return sum(1 << bit for bit in range(64) if sums[bit] > 0)


def simhash(tokens: list, frequencies: dict, documents: int) -> tuple:
    """(word, bits that rounding could turn over): signs of the sums of tf * log2(N/n).

    The tool rounds logarithms to 16 fractional bits, so a sum near 0 may have either sign. A term in
    every document weighs 1/256 (docs/methods/simhash.md).
    """
    weights: dict = {}
    for token in tokens:
        idf = max(math.log2(documents / frequencies[token]), 1 / 256) if frequencies else 1.0
        weights[token] = weights.get(token, 0) + idf
    sums = [0.0] * 64
    for token, weight in weights.items():
        term = finalise(xxh3(token.encode()))
        for bit in range(64):
            sums[bit] += weight if term >> bit & 1 else -weight
    slack = 4e-5 * len(tokens) + 1e-9
    word = sum(1 << bit for bit in range(64) if sums[bit] > 0)
    return word, sum(1 << bit for bit in range(64) if abs(sums[bit]) <= slack)
