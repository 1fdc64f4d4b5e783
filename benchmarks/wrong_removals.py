#!/usr/bin/env python3
"""Removals that a person would not call duplicates, by the labels of real collections, at defaults and with rules.

    wrong_removals.py DATA [--only COLLECTION,…] [--rule 'OPTIONS'…] [--binary FILE]

DATA holds collections with labels (`docs.jsonl.zst` with the field `cluster`). A near removal is *wrong* if its witness has another label (what has
the same words as its witness is one text, whatever its label). For each rule: wrong ones as a share of all removals, and how many of the right
removals of the defaults are gone. Documents without a label are left out.
Ids of licences that name one text (`GPL-2.0`, `GPL-2.0-only`, `GPL-2.0+`) are one label. Needs the program zstd. Standard library only.
"""
import argparse
import csv
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import ROOT, table

RULES = ["", "--distinct-by title", "--distinct-by numbers", "--distinct-by identifiers", "--distinct-by numbers,identifiers", "--max-lost 2",
         "--distinct-by numbers,identifiers --max-lost 2"]
COLLECTIONS = ["web_seaborn_versions", "lic_multi"]
SAME = ("-only", "-or-later", "+")


def label_of(record: dict) -> str:
    label = record.get("cluster") or ""
    return next((label[: -len(end)] for end in SAME if label.endswith(end)), label)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default=",".join(COLLECTIONS))
    parser.add_argument("--rule", action="append", help="options of dedup; several times for several rules")
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/lookalike")
    given = parser.parse_args()
    for collection in given.only.split(","):
        packed = given.data / collection / "docs.jsonl.zst"
        lines = subprocess.run(["zstd", "-dc", str(packed)], stdout=subprocess.PIPE, check=True).stdout
        labels = {record["id"]: label_of(record) for record in map(json.loads, lines.splitlines())}
        rows, right_at_defaults = [], None
        with tempfile.TemporaryDirectory() as work:
            docs, out = Path(work) / "docs.jsonl", Path(work) / "out"
            docs.write_bytes(lines)
            for options in ["", *given.rule] if given.rule else RULES:
                command = [given.binary, "dedup", docs, "-o", out, "--force", "--quiet", "--no-report", "--tables", "tsv", *shlex.split(options)]
                subprocess.run(list(map(str, command)), check=True)
                with open(out / "ledger.tsv", newline="", encoding="utf-8") as ledger:
                    pairs = [(labels[row["removed_id"]], labels[row["kept_id"]], row["rule"]) for row in csv.DictReader(ledger, delimiter="\t")]
                removals = [removed == kept or rule != "near" for removed, kept, rule in pairs if removed and kept]
                right = removals.count(True)
                right_at_defaults = right if right_at_defaults is None else right_at_defaults
                wrong, gone = removals.count(False) / max(1, len(removals)), max(0.0, 1 - right / right_at_defaults)
                rows.append([f"`{options}`" if options else "defaults", len(removals), f"{100 * wrong:.1f} %", f"{100 * gone:.1f} %"])
        table(collection, ["rule", "removals", "wrong", "right ones lost"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
