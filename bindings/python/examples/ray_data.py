"""Ray Data: batches signed by the workers of a cluster.

    pip install out/dist/*.whl "ray[data]"  # `make wheel`; not published yet
    python ray_data.py

Here the cluster is this machine. Documents with a common key are candidates, which a join or a group-by on the keys
finds; as with every banded sketch not all pairs are among them.
"""

import os
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Before Ray is imported.

import pyarrow
import pyarrow.json
import ray

import lookalike

METHOD = "minhash-lsh:bands=14,rows=8"
SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def sign(rows: pyarrow.Table, signer: lookalike.Signer) -> pyarrow.Table:
    """What Ray calls with a batch. The signer goes to the workers as its settings."""
    signed = pyarrow.table(signer.batch(rows))
    return pyarrow.table({"id": rows["id"], "keys": signed["keys"]})


def main() -> None:
    table = pyarrow.json.read_json(SAMPLES / "crates.jsonl").select(["id", "text"])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        documents = ray.data.from_arrow([table.slice(at, 100) for at in range(0, table.num_rows, 100)])
        signer = lookalike.Signer(METHOD)
        signed = documents.map_batches(sign, batch_format="pyarrow", batch_size=50, fn_kwargs={"signer": signer})
        rows = signed.take_all()
    finally:
        ray.shutdown()

    # The same keys as in this process, in whatever order the batches came back.
    expected = dict(zip(table["id"].to_pylist(), lookalike.Signer(METHOD).sign(table).keys()))
    found = {row["id"]: None if row["keys"] is None else list(map(int, row["keys"])) for row in rows}
    assert found == expected
    print(f"{len(found)} documents signed by Ray")


if __name__ == "__main__":
    main()
