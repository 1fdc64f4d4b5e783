"""The code of the page about Ray Data, Dask and Daft runs as it stands there."""

from __future__ import annotations

import re

from conftest import ROOT

from .conftest import Library

#: The sections with code, by library; the last one is about all and uses Daft.
SECTIONS = {"ray": ["Ray Data"], "dask": ["Dask"], "daft": ["Daft", "The same digest"]}


def test_the_code_of_the_page_runs(library: Library) -> None:
    page = (ROOT / "docs/how-to/engines.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    with_code = [name for name, text in sections.items() if "```python" in text]
    assert with_code == [name for names in SECTIONS.values() for name in names]
    names: dict[str, object] = {}
    for section in SECTIONS[library.name]:
        for block in re.findall(r"^```python\n(.*?)^```$", sections[section], flags=re.M | re.S):
            exec(compile(block, "docs/how-to/engines.md", "exec"), names)  # noqa: S102
