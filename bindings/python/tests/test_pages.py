"""The code of the pages about Python runs as it stands there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, served


@pytest.mark.parametrize("page", ["docs/how-to/python.md"])
def test_the_code_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(page)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # noqa: S102


def blocks_of(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)


def test_the_client_does_what_the_story_of_the_service_tells(tmp_path: Path, command: str) -> None:
    page = "docs/cookbook/service.md"
    (block,) = blocks_of(page)
    index = tmp_path / "told.index"
    subprocess.run([command, "index", "create", index, "--quiet"], check=True)
    assert block.count("http://127.0.0.1:7070") == 1
    with served(command, index) as url:
        exec(compile(block.replace("http://127.0.0.1:7070", url), page, "exec"), {})  # noqa: S102


def test_the_story_of_the_service_asks_every_endpoint() -> None:
    described = json.loads((ROOT / "crates/server/openapi.json").read_text(encoding="utf-8"))
    story = (ROOT / "docs/cookbook/service.md").read_text(encoding="utf-8")
    # Those of mail servers and browsers have pages of their own.
    paths = [path for path in described["paths"] if path.startswith("/v1/") or path in ("/healthz", "/readyz", "/metrics")]
    unasked = [path for path in paths if not re.search(re.sub(r"\\{\w+\\}", "[^/ ]+", re.escape(path)) + r"[\s\"?;]", story)]
    assert len(paths) > 20 and not unasked
