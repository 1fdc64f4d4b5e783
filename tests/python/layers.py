#!/usr/bin/env python3
"""The crates' dependencies in, a verdict out: data flows one way, and each outside library has its place.

Reads `cargo metadata`. See ARCHITECTURE.md for the picture that this checks.
"""
import json
import subprocess
import sys

# Each crate and the crates of ours that it may use. No edge among text, core, cluster and spill.
ALLOWED = {
    "lookalike-text": set(),
    "lookalike-core": set(),
    "lookalike-cluster": set(),
    "lookalike-spill": set(),
    "lookalike-join": {"lookalike-core", "lookalike-cluster"},
    "lookalike-methods": {"lookalike-core"},
    "lookalike-lexicon": {"lookalike-core", "lookalike-methods"},
    "lookalike-io": {"lookalike-text"},
    "lookalike-engine": {
        "lookalike-text", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-methods", "lookalike-io",
        "lookalike-spill",
    },
    "lookalike-report": {"lookalike-text"},
    "lookalike": {
        "lookalike-text", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-io", "lookalike-spill",
        "lookalike-engine", "lookalike-report", "lookalike-methods", "lookalike-lexicon",
    },
    "lookalike-cli": {"lookalike"},
    # core and engine for its baseline program only, which measures them; the oracle shares no code.
    "lookalike-testing": {"lookalike-text", "lookalike-io", "lookalike-core", "lookalike-engine"},
    # Measures the whole road and its parts; nothing uses it.
    "lookalike-experiments": {
        "lookalike", "lookalike-text", "lookalike-core", "lookalike-join", "lookalike-io", "lookalike-engine",
        "lookalike-methods", "lookalike-lexicon", "lookalike-testing",
    },
}

# Outside libraries that belong in one place only.
HOME = {
    "clap": {"lookalike-cli", "lookalike-testing", "lookalike-experiments"},
    "indicatif": {"lookalike-cli"},
    "anyhow": {"lookalike-cli", "lookalike-experiments"},
    "arrow-array": {"lookalike-io", "lookalike"},
    "parquet": {"lookalike-io"},
    "html5ever": {"lookalike-text"},
    # In engine for memory of no file.
    "memmap2": {"lookalike-lexicon", "lookalike-engine"},
    "askama": {"lookalike-report"},
    # In spill only as the checksum of temporary files.
    "xxhash-rust": {"lookalike-core", "lookalike-spill", "lookalike", "lookalike-testing"},
}


def main() -> int:
    metadata = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"],
            check=True, capture_output=True, text=True,
        ).stdout
    )
    complaints = []
    for package in metadata["packages"]:
        name = package["name"]
        if name not in ALLOWED:
            complaints.append(f"{name} is not in the picture: add it to {__file__} and ARCHITECTURE.md")
            continue
        for dependency in package["dependencies"]:
            if dependency["kind"] is not None:
                continue
            target = dependency["name"]
            if target in ALLOWED and target not in ALLOWED[name]:
                complaints.append(f"{name} must not use {target}")
            if name not in HOME.get(target, {name}):
                complaints.append(f"{target} belongs in {', '.join(sorted(HOME[target]))}, not in {name}")
    for complaint in complaints:
        print(complaint)
    print(f"layers: {len(metadata['packages'])} crates, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
