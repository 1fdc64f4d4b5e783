"""The same with lookalike, from and to a Hugging Face dataset.

    python text_dedup_ours.py INPUT.jsonl OUTPUT_DIRECTORY
"""

import sys

import datasets

import lookalike

source, output = sys.argv[1:3]
documents = datasets.load_dataset("json", data_files=source, split="train", cache_dir=f"{output}.cache")
result = lookalike.dedup(documents, text="text", shingle=5, threshold=0.8)
documents.select(result.kept()).save_to_disk(output)
print(result)
