"""FastSketchLSH: sketches of word 5-grams, 128 slots, LSH of its own; candidates whose estimate reaches 0.8 are linked.

Shingles are hashed in a process for each core, by Python; signing and banding run on all cores in one call each.
"""
import os
from itertools import chain

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
os.environ.setdefault("OMP_NUM_THREADS", str(CORES))

import numpy as np  # noqa: E402
from common import on_all_cores, parsed, parser, shingles, write  # noqa: E402

SLOTS, SEED, THRESHOLD, TOGETHER = 128, 42, 0.8, 100_000


def hashed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    sets = [list(dict.fromkeys(shingles(text))) for text in texts]
    sizes = list(map(len, sets))
    return ids, np.fromiter(map(hash, chain.from_iterable(sets)), np.int64, sum(sizes)).view(np.uint64), sizes


def links(hashes, sizes: list, bands: int):
    # Only now: the processes that hash must not inherit its threads.
    from FastSketchLSH import LSH, FastSimilaritySketch

    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    sketcher = FastSimilaritySketch(size=SLOTS, seed=SEED)
    sketches = sketcher.batch_csr(hashes, offsets, prehashed=True, num_threads=CORES)
    index = LSH(num_perm=SLOTS, num_bands=bands, num_threads=CORES)
    index.insert(sketches)
    found, starts = index.query(sketches, format="csr")
    starts, found = np.asarray(starts).astype(np.int64), np.asarray(found).astype(np.int64)
    own = np.repeat(np.arange(len(sizes)), np.diff(starts))
    earlier = found < own
    own, found = own[earlier], found[earlier]
    for start in range(0, len(own), TOGETHER):
        a, b = own[start:start + TOGETHER], found[start:start + TOGETHER]
        linked = (sketches[a] == sketches[b]).mean(1) >= THRESHOLD
        yield from zip(a[linked].tolist(), b[linked].tolist())


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--bands", type=int, required=True)
    options = options.parse_args()
    ids, hashes, sizes = [], [], []
    for names, made, lengths in on_all_cores(hashed, options.input):
        ids += names
        hashes.append(made)
        sizes += lengths
    write(options.output, ids, links(np.concatenate(hashes), sizes, options.bands))


if __name__ == "__main__":
    main()
