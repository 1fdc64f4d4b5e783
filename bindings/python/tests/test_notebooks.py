"""The notebooks run from top to bottom and give the outputs that are stored in them.

LOOKALIKE_WRITE_NOTEBOOKS=1 stores the outputs anew; read the difference before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("pyarrow")

NOTEBOOKS = sorted((ROOT / "bindings/python/notebooks").glob("*.ipynb"))


def outputs(notebook: Any) -> list[list[Any]]:
    """What each cell shows: printed text, and values as text and HTML."""
    shown = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown.append([output.get("text") or dict(output.get("data", {})) or output for output in cell.outputs])
    return shown


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    stored = outputs(notebook)
    place = {"metadata": {"path": str(path.parent)}}
    client = nbclient.NotebookClient(notebook, timeout=120, coalesce_streams=True, resources=place)
    client.execute()
    if os.environ.get("LOOKALIKE_WRITE_NOTEBOOKS"):
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata["language_info"] = {"name": "python"}
        nbformat.write(notebook, path)
        return
    assert outputs(notebook) == stored
    assert any(stored) and path.stat().st_size < 100_000
