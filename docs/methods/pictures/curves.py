"""The probabilities of the pages on methods: that a method finds a pair, by its similarity or by the number of edits. Standard library only."""
from math import acos, comb, exp, lgamma, log, log1p, pi


def bands(s: float, count: int, rows: int) -> float:
    """That one of `count` bands of `rows` minima agrees at resemblance s (minhash.md)."""
    return 1 - (1 - s**rows) ** count


def two_of_six(s: float) -> float:
    """That two or more of six super shingles of 14 minima agree (megashingles.md)."""
    p = s**14
    return 1 - (1 - p) ** 6 - 6 * p * (1 - p) ** 5


def binomial(n: int, k: int, p: float) -> float:
    """That k of n independent events of probability p happen."""
    if p in (0, 1):
        return float(k == (n if p else 0))
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p))


def at_most(n: int, most: int, p: float) -> float:
    """That no more than `most` of n independent events of probability p happen."""
    return min(1.0, sum(binomial(n, k, p) for k in range(most + 1)))


def modulus_sample(r: float, union: int, m: int = 25, t: float = 0.5) -> float:
    """That the resemblance estimated from the shingles that are 0 mod m reaches t, for documents with `union` shingles together (dsc.md)."""
    shared = round(r * union)
    most = union // m * 4 + 20
    both = [binomial(shared, k, 1 / m) for k in range(min(shared, most) + 1)]
    other = [binomial(union - shared, k, 1 / m) for k in range(min(union - shared, most) + 1)]
    up_to, total = [], 0.0
    for probability in other:
        total += probability
        up_to.append(total)
    # k of both reach t beside no more than k·(1 − t)/t others.
    return sum(p * up_to[min(int(k * (1 - t) / t + 1e-9), len(up_to) - 1)] for k, p in enumerate(both) if k)


def run_in_row(u: int, n: int, r: float) -> float:
    """That n values in a row of a sorted union of u values are in both documents (super-shingles.md)."""
    if u < n:
        return 0.0
    none = [1.0] * u + [1 - r**n] if u == n else [1.0] * n + [1 - r**n]
    for j in range(n + 1, u + 1):
        none.append(none[j - 1] - none[j - n - 1] * (1 - r) * r**n)
    return 1 - none[u]


def super_shingle(r: float, n: int, union: int, m: int = 25) -> float:
    """The same for the values that one shingle in m leaves of `union` shingles: binomial, union/m in the mean."""
    return sum(binomial(union, u, 1 / m) * run_in_row(u, n, r) for u in range(min(union, union // m * 4 + 20) + 1))


def first_words(s: float, k: int = 16, orders: int = 125) -> float:
    """That the first k words are the same in one of `orders` random orders, of long documents (word-lsh.md)."""
    return 1 - (1 - s**k) ** orders


def untouched(removed: int, selected: int, terms: int) -> float:
    """That `removed` terms, drawn at random from `terms`, are none of the `selected` ones (syntactic.md, imatch.md)."""
    return comb(terms - selected, removed) / comb(terms, removed)


def lexicon_copy(n: int, copies: int, p: float = 0.33) -> float:
    """That one of `copies` random copies of the lexicon lacks n changed terms (imatch-random.md)."""
    return 1 - (1 - p**n) ** copies


def bits_within(cosine: float, d: int) -> float:
    """That no more than d of 64 bits differ at this cosine, each with the probability angle/π (simhash.md)."""
    return at_most(64, d, acos(min(1.0, cosine)) / pi)


def chance_pairs(words: int, d: int) -> float:
    """The number of pairs within d bits to expect among so many random 64-bit words (hamming.md)."""
    return words * (words - 1) / 2 * sum(comb(64, k) for k in range(d + 1)) / 2**64
