"""datasketch: a document stays unless the index has one like it.

    python datasketch_theirs.py INPUT.jsonl KEPT.jsonl
"""

import json
import sys

from datasketch import MinHash, MinHashLSH


def shingles(text, size=5):
    words = text.lower().split()
    return {" ".join(words[at : at + size]).encode() for at in range(max(1, len(words) - size + 1))}


lsh = MinHashLSH(threshold=0.8, num_perm=128)
with open(sys.argv[1], encoding="utf-8") as documents, open(sys.argv[2], "w", encoding="utf-8") as kept:
    for line in documents:
        document = json.loads(line)
        sketch = MinHash(num_perm=128)
        sketch.update_batch(shingles(document["text"]))
        if not lsh.query(sketch):
            lsh.insert(document["id"], sketch)
            kept.write(line)
