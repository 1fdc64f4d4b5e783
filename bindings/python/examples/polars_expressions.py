"""Polars: masks, feature sets and keys as expressions, in a lazy query.

    pip install out/dist/*.whl polars  # `make wheel`; not published yet
    python polars_expressions.py
"""

from pathlib import Path
from typing import Any

import polars as pl

import lookalike
import lookalike.polars  # registers the namespace

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def main() -> None:
    documents = pl.scan_ndjson(SAMPLES / "crates.jsonl").select("id", "crate", "text")
    text: Any = pl.col("text")

    # The whole column is compared; the query goes on with what is kept.
    clean = documents.filter(text.lookalike.is_kept(threshold=0.8)).collect()
    everything = documents.collect()
    assert clean.equals(everything.filter(lookalike.dedup(everything, threshold=0.8).mask()))
    print(f"{everything.height} documents, {clean.height} kept")

    # Within each crate only.
    by_crate = documents.filter(text.lookalike.is_kept(threshold=0.8).over("crate")).collect()
    assert clean.height < by_crate.height < everything.height
    print(f"{by_crate.height} kept if only documents of one crate are compared")

    # Elementwise expressions are computed batch by batch in a streaming query.
    sizes = documents.select("id", features=text.lookalike.features(threads=1).list.len()).collect(engine="streaming")
    assert sizes["features"].sum() == sum(len(features) for features in lookalike.Signer().features(everything))
    print(f"{sizes['features'].sum()} shingles")


if __name__ == "__main__":
    main()
