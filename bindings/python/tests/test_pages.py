"""The code of the pages about Python runs as it stands there; that of other pages names what there is."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, served

#: Modules that need other packages, which are not always installed.
OPTIONAL = {"lookalike.polars": "polars", "lookalike.sklearn": "sklearn", "lookalike.spark": "pyspark"}

# What is on Spark runs in tests/spark.
@pytest.mark.parametrize(("page", "least"), [("docs/how-to/python.md", 3), ("docs/tutorial.md", 1)])
def test_the_code_of_a_page_runs(page: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    blocks = [block for block in blocks_of(page) if "pyspark" not in block]
    assert len(blocks) >= least
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


def all_code() -> dict[str, str]:
    """Python code by page: that of Markdown, the cells of notebooks, and examples."""
    found = {page: "\n".join(blocks_of(page)) for page in pages_with_code()}
    for path in sorted((ROOT / "bindings/python/notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[path.name] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return found | {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "bindings/python/examples").rglob("*.py"))}


def pages_with_code() -> list[str]:
    paths = [ROOT / "README.md", ROOT / "bindings/python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in paths if "\n```python\n" in path.read_text(encoding="utf-8")]


def wrong_names(code: str) -> list[str]:
    """Modules, names, arguments and attributes of results that lookalike does not have."""
    found: list[str] = []
    kinds: dict[str, type] = {}
    tree = ast.parse(code)

    def has(kind: type, name: str) -> bool:
        """Whether objects of a class have an attribute: one of the class, or one that is set when they are made."""
        return hasattr(kind, name) or any(name in one.__dict__.get("__annotations__", {}) or set_by(one, name) for one in kind.__mro__)

    def set_by(kind: type, name: str) -> bool:
        return kind.__module__.startswith("lookalike.") and f"self.{name} = " in inspect.getsource(kind)

    def returned_by(called: object) -> object:
        """The class that a function says it returns."""
        return called.__globals__.get(str(called.__annotations__.get("return"))) if inspect.isfunction(called) else None

    def value_of(node: ast.expr) -> object:
        """What an expression `lookalike.a.b` names; None if it is another one."""
        if isinstance(node, ast.Name):
            return importlib.import_module("lookalike") if node.id == "lookalike" else None
        if not isinstance(node, ast.Attribute) or (owner := value_of(node.value)) is None:
            return None
        if inspect.ismodule(owner) and not hasattr(owner, node.attr):
            return importlib.import_module(f"{owner.__name__}.{node.attr}")
        return getattr(owner, node.attr)

    # In the order of the text: what a name is, is what it was given last.
    for node in sorted((node for node in ast.walk(tree) if hasattr(node, "lineno")), key=lambda node: (node.lineno, -node.end_lineno)):
        try:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                for name in names:
                    if name and name.partition(".")[0] == "lookalike":
                        module = importlib.import_module(name)
                        found += [f"{name}.{alias.name}" for alias in node.names if isinstance(node, ast.ImportFrom) and not hasattr(module, alias.name)]
            elif isinstance(node, ast.Attribute):
                if isinstance(node.value, ast.Name) and node.value.id in kinds:
                    if not has(kinds[node.value.id], node.attr):
                        found.append(f"{node.value.id}.{node.attr}")
                else:
                    value_of(node)
            elif isinstance(node, ast.Call) and callable(called := value_of(node.func)):
                known = inspect.signature(called).parameters
                if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values()):
                    found += [f"{ast.unparse(node.func)}({keyword.arg}=)" for keyword in node.keywords if keyword.arg and keyword.arg not in known]
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                called = value_of(node.value.func) if isinstance(node.value, ast.Call) else None
                kind = called if inspect.isclass(called) else returned_by(called)
                kinds.pop(node.targets[0].id, None)
                if inspect.isclass(kind) and kind.__module__.partition(".")[0] == "lookalike":
                    kinds[node.targets[0].id] = kind
        except (AttributeError, ModuleNotFoundError) as error:
            missing = getattr(error, "name", "") or ""
            if missing.partition(".")[0] not in OPTIONAL.values():
                found.append(str(error))
    return found


@pytest.mark.parametrize("page", sorted(all_code()))
def test_the_code_of_a_page_names_what_there_is(page: str) -> None:
    assert wrong_names(all_code()[page]) == []


@pytest.mark.parametrize(
    "code",
    [
        "import lookalike.none",
        "from lookalike import none",
        "import lookalike\nlookalike.dedupe([])",
        "import lookalike\nlookalike.dedup([], treshold=0.8)",
        "import lookalike\nresult = lookalike.dedup([])\nresult.masks()",
        "import lookalike\nfound = lookalike.evaluate([])\nfound.method",
    ],
)
def test_that_check_can_fail(code: str) -> None:
    assert wrong_names(code)


def test_pages_with_code_are_found() -> None:
    assert {"README.md", "docs/how-to/python.md", "docs/how-to/passages.md"} <= set(pages_with_code()) and len(all_code()) >= 15
