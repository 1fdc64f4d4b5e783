"""The same with lookalike, which makes the shingles itself.

    python rensa_ours.py INPUT.jsonl KEPT.jsonl
"""

import sys

import pyarrow.json
import pyarrow.parquet

import lookalike

documents = pyarrow.json.read_json(sys.argv[1])
result = lookalike.dedup(documents, threshold=0.8)
with open(sys.argv[1], encoding="utf-8") as lines, open(sys.argv[2], "w", encoding="utf-8") as kept:
    kept.writelines(line for line, stays in zip(lines, result.mask().to_pylist()) if stays)

# `query_duplicate_flags`: whether a document has a near-duplicate at all, before or after it.
clusters = lookalike.cluster(documents, threshold=0.8).clusters
print(f"{len(clusters)} of {documents.num_rows} documents have a near-duplicate")
