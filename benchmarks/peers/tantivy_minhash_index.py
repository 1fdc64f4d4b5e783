"""tantivy: the terms of Elasticsearch's min_hash filter (word 5-grams, one hash, 512 buckets, with rotation) in an inverted
index; an answer is what shares at least 0.8 of the 512 terms.

Elasticsearch is in no package registry of Python; its filter is made here as Lucene's MinHashFilter documents it, and tantivy
stands in for Lucene. Terms are integers of bucket and minimum.
"""
import tempfile
from pathlib import Path

import numpy as np
import tantivy
import xxhash
from common import parsed, shingles
from index_common import arguments, measure

BUCKETS, THRESHOLD = 512, 0.8
HEAP = 256 << 20


def terms(text: str) -> list:
    """Of each bucket the least hash, or that of the next bucket that has one."""
    hashes = np.fromiter(map(xxhash.xxh3_64_intdigest, set(shingles(text))), dtype=np.uint64)
    least = np.full(BUCKETS, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(least, (hashes >> np.uint64(64 - 9)).astype(np.int64), hashes)
    has = np.flatnonzero(least != np.iinfo(np.uint64).max)
    # The next bucket with a hash, around the end.
    nearest = np.searchsorted(has, np.arange(BUCKETS))
    filled = least[has[nearest % len(has)]]
    # Bucket in the upper bits, the lower bits of the minimum below.
    values = (np.arange(BUCKETS, dtype=np.uint64) << np.uint64(48)) | (filled & np.uint64((1 << 48) - 1))
    return [f"{value:x}" for value in values.tolist()]


def signed(lines: list) -> tuple:
    ids, texts = parsed(lines)
    return ids, [" ".join(terms(text)) for text in texts]


def main() -> None:
    options = arguments(__doc__)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    schema.add_text_field("terms", stored=False, tokenizer_name="whitespace", index_option="basic")
    schema = schema.build()
    with tempfile.TemporaryDirectory() as place:
        index = tantivy.Index(schema, path=place)
        writer = index.writer(heap_size=HEAP, num_threads=2)
        searcher = None

        def insert(ids, sketches):
            for name, sketch in zip(ids, sketches):
                writer.add_document(tantivy.Document(id=name, terms=sketch))

        def finish():
            nonlocal searcher
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            searcher = index.searcher()
            return sum(path.stat().st_size for path in Path(place).iterdir())

        def ask(text):
            should = [
                (tantivy.Occur.Should, tantivy.Query.const_score_query(tantivy.Query.term_query(schema, "terms", term, "basic"), 1.0))
                for term in terms(text)
            ]
            least = int(np.ceil(THRESHOLD * BUCKETS))
            hits = searcher.search(tantivy.Query.boolean_query(should, minimum_number_should_match=least), limit=1000).hits
            return [searcher.doc(address)["id"][0] for score, address in hits if score >= least]

        measure(options, signed, insert, ask, finish)


if __name__ == "__main__":
    main()
