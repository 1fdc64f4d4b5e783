"""rensa's fastest way, which says *that* a document has a near-duplicate and not which: rho sketches and one-shot flags.

128 slots and 8 bands, as in its own benchmark, over word 5-grams hashed in a process for each core, by Python: handing over
the numbers costs less than the lists that rensa's own hashing returns. Writes `id<TAB>0 or 1` to OUTPUT.flags, no clusters.
"""
from itertools import chain
from pathlib import Path

import numpy as np
from common import on_all_cores, parsed, parser, shingles
from rensa import RMinHash, RMinHashLSH

SLOTS, BANDS, SEED, THRESHOLD = 128, 8, 42, 0.8


def hashed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    sets = list(map(shingles, texts))
    sizes = list(map(len, sets))
    return ids, np.fromiter(map(hash, chain.from_iterable(sets)), np.int64, sum(sizes)).view(np.uint64), sizes


def flags(hashes, sizes: list):
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    matrix = RMinHash.digest_matrix_from_flat_token_hashes_rho(hashes, offsets, num_perm=SLOTS, seed=SEED)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=SLOTS, num_bands=BANDS)
    return index.query_duplicate_flags_matrix_one_shot(matrix)


def main() -> None:
    options = parser(__doc__).parse_args()
    ids, hashes, sizes = [], [], []
    for names, values, lengths in on_all_cores(hashed, options.input):
        ids += names
        hashes.append(values)
        sizes += lengths
    with Path(f"{options.output}.flags").open("w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{int(flag)}\n" for name, flag in zip(ids, flags(np.concatenate(hashes), sizes)))


if __name__ == "__main__":
    main()
