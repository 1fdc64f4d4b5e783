"""A session of Spark Connect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike
from test_distributed import check_summary, table_of, traps

from . import driver
from .cluster import PATIENCE, Cluster
from .conftest import write
from .same import check_table


def test_dedup_through_spark_connect(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    table = table_of(traps())
    server, address = cluster.start_connect()
    documents, output = write(table, tmp_path / "documents"), tmp_path / "output"
    call = {
        "remote": address,
        "documents": str(documents),
        "work": str(tmp_path / "work"),
        "output": str(output),
        "settings": {"threshold": 0.6},
    }
    try:
        # In a process of its own: a process has a classic session or one of Connect.
        command = [sys.executable, driver.__file__, json.dumps(call)]
        ended = subprocess.run(command, env=cluster.environment, text=True, capture_output=True, timeout=PATIENCE)
        assert ended.returncode == 0, ended.stderr
    finally:
        server.terminate()
        server.wait(PATIENCE)
    result = lookalike.dedup(table, threshold=0.6)
    for name in ("ledger", "pairs", "clusters"):
        check_table(name, driver.read(output, name), result)
    check_summary(json.loads((output / "summary.json").read_text()), result.summary)
    clean = driver.read(output, "clean")
    assert sorted(clean["row"].to_pylist()) == table.filter(result.mask())["row"].to_pylist()
