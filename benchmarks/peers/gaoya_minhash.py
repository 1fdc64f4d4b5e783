"""gaoya: MinHashStringIndex over its own word 5-grams, 20 bands of 5 as by default; what a query at the threshold returns is linked.

Inserting and querying are its bulk calls, which use all cores.
"""
from common import batches, parsed, parser, write
from gaoya.minhash import MinHashStringIndex

QUERIES = 10_000


def links(index, texts: list):
    for start in range(0, len(texts), QUERIES):
        for one, found in enumerate(index.par_bulk_query(texts[start:start + QUERIES]), start):
            yield from ((one, other) for other in found if other < one)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--threshold", type=float, default=0.8)
    options.add_argument("--bands", type=int, default=20)
    options.add_argument("--rows", type=int, default=5)
    options = options.parse_args()
    ids, texts = [], []
    for lines in batches(options.input):
        names, made = parsed(lines)
        ids += names
        texts += made
    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=options.threshold, num_bands=options.bands, band_size=options.rows, analyzer="word", lowercase=True,
        ngram_range=(5, 5), id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    write(options.output, ids, links(index, texts))


if __name__ == "__main__":
    main()
