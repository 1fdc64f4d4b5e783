#!/bin/sh
# text-dedup 0.4.0, as it is on PyPI.
#
#     sh text_dedup_theirs.sh INPUT.jsonl OUTPUT_DIRECTORY
export HF_HUB_OFFLINE=1
exec "${PYTHON:-python3}" -m text_dedup.minhash \
    --path json --data_files "$1" --split train --cache_dir "$2.cache" --output "$2" \
    --column text --ngram 5 --num_perm 240 --threshold 0.8 --num_proc 1
