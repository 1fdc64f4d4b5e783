"""The same with lookalike: every pair at 0.8 or more is found, and no other document is removed.

    python datasketch_ours.py INPUT.jsonl KEPT.jsonl
"""

import json
import sys

import lookalike

with open(sys.argv[1], encoding="utf-8") as file:
    lines = list(file)

result = lookalike.dedup(map(json.loads, lines), threshold=0.8)
with open(sys.argv[2], "w", encoding="utf-8") as kept:
    kept.writelines(lines[row] for row in result.kept())

# What datasketch cannot say: which document stands for a removed one, and by which counts.
for row in result.ledger.to_pylist()[:3]:
    print(f"{row['removed_id']} is like {row['kept_id']}: {row['shared']} of {row['size_a']} and {row['size_b']} shingles")
