"""The same with lookalike: one run over the files, in bounded memory, which can be resumed.

    python datatrove_ours.py INPUT_DIRECTORY OUTPUT_DIRECTORY
"""

import sys

import lookalike

source, output = sys.argv[1:3]
run = lookalike.Run(f"{source}/*.jsonl", output, threshold=0.8, memory="2GiB")
print(run.dedup())

# Kept and removed documents are in files; so is what datatrove does not store: who stands for whom, and why.
for row in lookalike.open_run(output).ledger.to_pylist()[:3]:
    print(f"{row['removed_id']}: {row['rule']} to {row['kept_id']}, resemblance {row['resemblance']:.3f}")
