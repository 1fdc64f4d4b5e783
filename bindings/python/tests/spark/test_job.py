"""The example of a job, submitted with the package in an archive to executors that do not have it."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pyarrow.parquet
import pyarrow

import lookalike
from conftest import ROOT
from test_distributed import check_summary, table_of, traps

from .cluster import Cluster
from .same import check_table

JOB = ROOT / "bindings/python/examples/spark_job.py"


def test_the_job_brings_the_package_along(cluster: Cluster, tmp_path: Path) -> None:
    table = table_of(traps()).drop_columns(["row"])
    lines = [json.dumps(row) + "\n" for row in table.to_pylist()]
    (tmp_path / "documents.jsonl").write_text("".join(lines), encoding="utf-8")
    python = _python_without_the_package(tmp_path / "python")
    environment = {**cluster.environment, "PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": sys.executable}
    archive = ["--archives", f"{_packed(tmp_path)}#site", "--conf", "spark.executorEnv.PYTHONPATH=./site"]
    folders = [tmp_path / name for name in ("documents.jsonl", "output", "work")]
    printed = cluster.submit(
        *archive, JOB, *folders, "--format", "jsonl", "--threshold", "0.6", environment=environment
    )
    result = lookalike.dedup(table.sort_by("id"), threshold=0.6)
    assert f"{len(result.kept())} kept" in printed
    output = tmp_path / "output"
    for name in ("ledger", "pairs", "clusters"):
        check_table(name, pyarrow.parquet.read_table(output / name), result)
    [summary] = output.glob("summary/*.txt")
    check_summary(json.loads(summary.read_text()), result.summary)
    stay = table.sort_by("id").filter(result.mask())["id"].to_pylist()
    assert sorted(pyarrow.parquet.read_table(output / "documents")["id"].to_pylist()) == stay
    kept = pyarrow.parquet.read_table(output / "kept")
    assert sorted(record - 1 for record in kept["record"].to_pylist()) == result.kept().to_pylist()


def _python_without_the_package(folder: Path) -> Path:
    """A virtual environment with all packages of this one but lookalike."""
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.startswith("lookalike") and entry.suffix != ".pth":
            (Path(paths["purelib"]) / entry.name).symlink_to(entry)
    found = subprocess.run([python, "-c", "import pyarrow; import lookalike"], text=True, capture_output=True)
    assert "No module named 'lookalike'" in found.stderr
    return python


def _packed(folder: Path) -> Path:
    """The package as it is installed, in an archive."""
    archive = folder / "site.tar.gz"
    with tarfile.open(archive, "w:gz", dereference=True, compresslevel=1) as packed:
        packed.add(Path(lookalike.__file__).parent, "lookalike")
    return archive
