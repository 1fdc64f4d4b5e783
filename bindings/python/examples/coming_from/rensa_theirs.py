"""rensa: sketches of word 5-grams, and its deduplicator.

    python rensa_theirs.py INPUT.jsonl KEPT.jsonl
"""

import json
import sys

from rensa import RMinHash, RMinHashDeduplicator


def shingles(text, size=5):
    words = text.lower().split()
    return [" ".join(words[at : at + size]) for at in range(max(1, len(words) - size + 1))]


with open(sys.argv[1], encoding="utf-8") as file:
    lines = list(file)

texts = [json.loads(line)["text"] for line in lines]
sketches = RMinHash.from_token_sets(map(shingles, texts), num_perm=128, seed=42)
deduplicator = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True)
with open(sys.argv[2], "w", encoding="utf-8") as kept:
    for number, (line, sketch) in enumerate(zip(lines, sketches)):
        if deduplicator.add(str(number), sketch):
            kept.write(line)
