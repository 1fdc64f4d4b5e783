"""Hugging Face datasets: rows chosen by number, signatures made in two processes.

    pip install out/dist/*.whl datasets pyarrow  # `make wheel`; not published yet
    python huggingface_datasets.py
"""

from pathlib import Path
from typing import Any

import datasets
import pyarrow
import pyarrow.json

import lookalike

METHOD = "minhash-lsh:bands=14,rows=8"
SAMPLES = Path(__file__).resolve().parents[3] / "samples"


class Sign:
    """What `Dataset.map` calls with a batch of rows. It goes to the workers as its settings."""

    def __init__(self, method: str) -> None:
        self.signer = lookalike.Signer(method)

    def __call__(self, rows: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.table(self.signer.batch(rows))


def sharing_a_key(keys: list[list[int] | None]) -> set[tuple[int, int]]:
    """The pairs of rows that have a key in common."""
    rows_of: dict[int, list[int]] = {}
    for row, own in enumerate(keys):
        for key in own or ():
            rows_of.setdefault(key, []).append(row)
    return {(a, b) for rows in rows_of.values() for b in rows for a in rows if a < b}


def main() -> None:
    records = pyarrow.json.read_json(SAMPLES / "crates.jsonl").select(["id", "crate", "text"])
    documents = datasets.Dataset(records)

    # Deduplication: row numbers come back, and the dataset selects.
    result = lookalike.dedup(documents, threshold=0.8)
    clean = documents.select(result.kept())
    print(f"{len(documents)} rows, {len(clean)} kept")
    assert len(clean) + len(result.ledger) == len(documents)
    assert len(lookalike.dedup(clean, threshold=0.8).ledger) == 0

    # Signing for a pipeline of your own: two processes with a thread each, batch by batch.
    signed = documents.with_format("arrow").map(Sign(METHOD), batched=True, batch_size=100, num_proc=2)
    candidates = sharing_a_key(signed.with_format(None)["keys"][:])

    # They are the candidates that a run with this method has, and nearly all of the pairs that there are.
    unverified: Any = lookalike.cluster(documents, method=METHOD, verify="none").pairs
    rows = zip(unverified["a_record"], unverified["b_record"])
    assert candidates == {(min(a, b) - 1, max(a, b) - 1) for a, b in rows}
    exact = lookalike.cluster(documents, threshold=0.8).pairs
    true = {(min(a, b) - 1, max(a, b) - 1) for a, b in zip(exact["a_record"], exact["b_record"])}
    found = len(true & candidates) / len(true)
    print(f"{len(true)} pairs at 0.8 or more, {len(candidates)} candidates, of which {found:.1%} of the pairs")
    assert found > 0.9


if __name__ == "__main__":
    main()
