"""datasketch: MinHash.bulk of word 5-grams, 128 permutations; MinHashLSH; candidates whose estimate reaches 0.8 are linked.

Signing runs in a process for each core. Without --bands and --rows the index chooses them for the threshold.
"""
import numpy as np
from common import on_all_cores, parsed, parser, shingles, write
from datasketch import MinHash, MinHashLSH

PERMUTATIONS, THRESHOLD = 128, 0.8


def signed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    sets = [[shingle.encode() for shingle in set(shingles(text))] for text in texts]
    return ids, np.stack([sketch.hashvalues for sketch in MinHash.bulk(sets, num_perm=PERMUTATIONS)])


def links(values, params):
    like = MinHash(num_perm=PERMUTATIONS)
    shared = {"permutations": like.permutations, "scheme": like.scheme}
    sketches = [MinHash(num_perm=PERMUTATIONS, hashvalues=row, **shared) for row in values]
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, params=params)
    with index.insertion_session() as session:
        for at, sketch in enumerate(sketches):
            session.insert(at, sketch, check_duplication=False)
    for one, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if other < one and sketch.jaccard(sketches[other]) >= THRESHOLD:
                yield one, other


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--bands", type=int)
    options.add_argument("--rows", type=int)
    options = options.parse_args()
    ids, values = [], []
    for names, made in on_all_cores(signed, options.input):
        ids += names
        values.append(made)
    params = (options.bands, options.rows) if options.bands else None
    write(options.output, ids, links(np.concatenate(values), params))


if __name__ == "__main__":
    main()
