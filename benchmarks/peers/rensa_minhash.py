"""rensa: RMinHash of word 5-grams, 128 slots; RMinHashLSH; candidates whose estimate reaches the threshold are linked.

Shingles are made in Python, as rensa asks for, in a process for each core; each signs its batches in one call.
"""
import os

os.environ.setdefault("RAYON_NUM_THREADS", "1")  # There is a process for each core already.

from common import on_all_cores, parsed, parser, shingles, write  # noqa: E402
from rensa import RMinHash, RMinHashLSH  # noqa: E402

SLOTS, SEED = 128, 42


def signed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    return ids, RMinHash.from_token_sets(map(shingles, texts), num_perm=SLOTS, seed=SEED)


def links(sketches: list, bands: int, threshold: float):
    index = RMinHashLSH(threshold=threshold, num_perm=SLOTS, num_bands=bands)
    index.insert_many(sketches)
    for one, candidates in enumerate(index.query_all(sketches)):
        for other in candidates:
            if other < one and sketches[one].jaccard(sketches[other]) >= threshold:
                yield one, other


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--bands", type=int, required=True)
    options.add_argument("--threshold", type=float, default=0.8)
    options = options.parse_args()
    ids, sketches = [], []
    for names, made in on_all_cores(signed, options.input):
        ids += names
        sketches += made
    write(options.output, ids, links(sketches, options.bands, options.threshold))


if __name__ == "__main__":
    main()
