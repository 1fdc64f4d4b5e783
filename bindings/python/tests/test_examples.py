"""Every example runs, each in a process of its own; their own assertions check what they say."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike
from conftest import ROOT

EXAMPLES = ROOT / "bindings/python/examples"
PORTS = EXAMPLES / "coming_from"
#: The module that an example cannot do without.
NEEDS = {
    "huggingface_datasets": "datasets",
    "ray_data": "ray",
    "polars_expressions": "polars",
    "processes_join": "pyarrow",
}
#: The example that tests/spark submits to a cluster.
ON_SPARK = "spark_job"
#: What reads the kept ids of a tool's output.
TOOLS = ("datasketch", "rensa", "datatrove", "text_dedup")


def run(script: Path, home: Path, *arguments: Path | str, python: str = sys.executable) -> str:
    """What a script prints. Caches and the like of the libraries are written below `home`."""
    shell = ["sh"] if script.suffix == ".sh" else [python]
    environment = {**os.environ, "PYTHON": python, "HF_HUB_OFFLINE": "1", "HOME": str(home)}
    done = subprocess.run(
        [*shell, str(script), *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, f"{script.name}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)
    assert run(EXAMPLES / f"{name}.py", tmp_path)


def test_every_example_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*NEEDS, ON_SPARK}
    ports = {path.name for path in PORTS.iterdir() if path.is_file()}
    theirs = {"text_dedup": "sh"}
    assert ports == {f"{tool}_ours.py" for tool in TOOLS} | {f"{tool}_theirs.{theirs.get(tool, 'py')}" for tool in TOOLS}


def python_of(tool: str) -> str | None:
    """An interpreter with another tool: this one, or that which benchmarks/peers.py has installed it for."""
    if importlib.util.find_spec(tool):
        return sys.executable
    installed = ROOT / "out/bench/peers" / tool.replace("_", "-") / "bin/python"
    return str(installed) if installed.exists() else None


def kept_ids(tool: str, output: Path) -> list[str]:
    if tool in ("datasketch", "rensa"):
        lines = output.read_text(encoding="utf-8").splitlines()
    elif tool == "datatrove":
        found = [output / "kept.jsonl", *output.glob("kept/*.jsonl")]
        lines = [line for path in found if path.exists() for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        datasets = pytest.importorskip("datasets")
        return list(datasets.load_from_disk(str(output))["id"])
    return [json.loads(line)["id"] for line in lines]


@pytest.fixture(scope="module")
def documents(samples: Path) -> dict[str, str]:
    with (samples / "crates.jsonl").open(encoding="utf-8") as file:
        return {record["id"]: record["text"] for record in map(json.loads, file)}


def port(tool: str, whose: str, samples: Path, folder: Path, python: str = sys.executable) -> list[str]:
    """Runs a port over the samples. The ids of the documents that it keeps."""
    source, output = folder / "in/crates.jsonl", folder / "out"
    source.parent.mkdir()
    shutil.copy(samples / "crates.jsonl", source)
    script = next(PORTS.glob(f"{tool}_{whose}.*"))
    run(script, folder, source.parent if tool == "datatrove" else source, output, python=python)
    return kept_ids(tool, output)


@pytest.mark.parametrize("tool", TOOLS)
def test_our_side_of_a_port_gives_the_exact_answer(
    tool: str, samples: Path, tmp_path: Path, documents: dict[str, str]
) -> None:
    pytest.importorskip("pyarrow")
    if tool == "text_dedup":
        pytest.importorskip("datasets")
    ids, texts = list(documents), list(documents.values())
    expected = lookalike.dedup({"id": ids, "text": texts}, threshold=0.8)
    assert set(port(tool, "ours", samples, tmp_path)) == {ids[row] for row in expected.kept()}


@pytest.mark.parametrize("tool", TOOLS)
def test_their_side_of_a_port_is_what_the_page_says(
    tool: str, samples: Path, tmp_path: Path, documents: dict[str, str]
) -> None:
    python = python_of(tool)
    if python is None:
        pytest.skip(f"{tool} is not installed; `make bench-peers` does that")
    kept = port(tool, "theirs", samples, tmp_path, python)
    # Near-duplicates among what it keeps, and documents removed that nothing kept resembles.
    left = len(lookalike.dedup([documents[name] for name in kept], threshold=0.8).ledger)
    removed = [text for name, text in documents.items() if name not in set(kept)]
    alone = len(lookalike.dedup(removed, against=[documents[name] for name in kept], against_only=True, threshold=0.8).kept())
    page = (ROOT / "docs/how-to/coming-from.md").read_text(encoding="utf-8")
    assert f"| {tool.replace('_', '-')} | {len(kept)} | {left} | {alone} |" in page


def test_the_curves_of_the_page_are_those_of_the_method() -> None:
    page = (ROOT / "docs/how-to/coming-from.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) × (\d+) \|[^|]*\|(.*)\|$", page, flags=re.M)
    assert len(rows) == len(TOOLS)
    for bands, each, figures in rows:
        k = int(bands) * int(each)
        curve = dict(lookalike.methods()["minhash-lsh"].s_curve(k=k, bands=bands, rows=each) or ())
        assert [f"{curve[at]:.3f}" for at in (0.75, 0.8, 0.85, 0.9)] == [cell.strip() for cell in figures.split("|")]
