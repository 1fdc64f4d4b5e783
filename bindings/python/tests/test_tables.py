"""Tables of results: rows, slices, other libraries, how they are shown; and results in `with` blocks, with a report."""

from __future__ import annotations

import itertools
import pickle
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import lookalike
from conftest import jsonl, variants

TEXTS = variants(300, seed=12)
HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror='alert(1)'>", "&lt;b&gt;", "\x1b[31mred\x1b[0m\u202etxt.exe\n\0"]


@pytest.fixture(scope="module")
def ledger() -> lookalike.Table:
    return lookalike.dedup(TEXTS).ledger


def test_every_table_of_every_result_is_one(tmp_path: Path) -> None:
    result, listed = lookalike.dedup(TEXTS), lookalike.cluster(TEXTS)
    passages = lookalike.passages(TEXTS, length=10, gaps=2)
    found = lookalike.decontaminate(TEXTS, against=[{"id": "a", "text": TEXTS[0]}])
    evaluation = lookalike.evaluate(TEXTS, ["exact"])
    files = jsonl(tmp_path / "docs.jsonl", [{"id": str(row), "text": text} for row, text in enumerate(TEXTS)])
    lookalike.Run(files, tmp_path / "out", near_misses=0.1).cluster()
    run = lookalike.open_run(tmp_path / "out")
    index = lookalike.Index.create(tmp_path / "index")
    index.add_files(files)
    tables = [result.ledger, result.pairs, result.clusters, result.problems, listed.pairs, listed.clusters]
    tables += [passages.table, passages.cuts, passages.edits, passages.near, passages.problems]
    tables += [found.contamination, found.spans, found.items, found.benchmarks, evaluation.methods]
    tables += [run.pairs, run.clusters, run.documents, run.near_misses, index.documents(), index.query_batch(TEXTS[:3])]
    for table in tables:
        assert isinstance(table, lookalike.Table)
        rows = table.to_pylist()
        assert list(table) == rows and table[:5].to_pylist() == rows[:5] and len(table) == len(rows)
        assert f"{len(rows):,} row" in repr(table) and all(name in table._repr_html_() for name in table.column_names)


def in_batches() -> lookalike.Table:
    """A table whose rows are in several batches, one of them empty."""
    pa = pytest.importorskip("pyarrow")
    whole = pa.table({"row": range(20), "text": [None if row % 3 == 0 else f"t{row}" for row in range(20)]})
    return lookalike.Table.from_arrow(pa.concat_tables([whole.slice(0, 7), whole.slice(7, 0), whole.slice(7, 1), whole.slice(8)]))


@pytest.mark.parametrize("step", [None, 1, 3, -1, -4])
def test_slices_are_those_of_lists(step: int | None) -> None:
    table = in_batches()
    rows = table.to_pylist()
    for start, stop in itertools.product([None, 0, 3, 7, 8, 19, 20, 25, -1, -13, -30], [None, 0, 5, 7, 8, 20, 40, -2, -20]):
        at = slice(start, stop, step)
        found = table[at]
        assert found.to_pylist() == rows[at] and len(found) == len(rows[at]) and found.column_names == table.column_names
        assert found["text"].to_pylist() == [row["text"] for row in rows[at]]
        assert pickle.loads(pickle.dumps(found)).to_pylist() == rows[at]
    with pytest.raises(ValueError, match="zero"):
        table[::0]


def test_rows_and_columns() -> None:
    table = in_batches()
    rows = table.to_pylist()
    assert [table[row] for row in range(20)] == rows == [table[row] for row in range(-20, 0)] == list(table)
    assert table["row"].to_pylist() == list(range(20)) and rows[3] in table
    for wrong in (20, -21):
        with pytest.raises(IndexError, match=f"row {wrong} of 20"):
            table[wrong]
    with pytest.raises(KeyError, match="no column .*nosuch.* the columns are row, text"):
        table["nosuch"]
    with pytest.raises(TypeError):
        table[1.5]  # type: ignore[call-overload]
    many = lookalike.Table.from_arrow(pytest.importorskip("pyarrow").table({"row": range(5000)}))
    assert [row["row"] for row in many] == list(range(5000))


def test_tables_of_other_libraries(ledger: lookalike.Table) -> None:
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    rows = ledger.to_pylist()
    assert isinstance(ledger.to_arrow(), pa.Table) and ledger.to_arrow().to_pylist() == rows
    assert isinstance(ledger.to_polars(), pl.DataFrame) and ledger.to_polars().to_dicts() == rows
    assert isinstance(ledger.to_pandas(), pd.DataFrame) and ledger.to_pandas().equals(pa.table(ledger).to_pandas())
    frame = pd.DataFrame(ledger)
    assert list(frame.columns) == ledger.column_names and frame.equals(pd.DataFrame(rows))
    assert pd.DataFrame(ledger[2:5]).shape == (3, len(ledger.column_names))
    assert list(ledger[:0].to_pandas().columns) == ledger.column_names


def test_pandas_without_pyarrow(ledger: lookalike.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = ledger.to_pandas()
    assert list(frame.columns) == ledger.column_names
    for name in ledger.column_names:
        values = [None if pd.isna(value) else value for value in frame[name].tolist()]
        assert values == ledger[name].to_pylist(), name


@pytest.mark.parametrize(("method", "library"), [("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow")])
def test_a_library_that_is_missing_is_named(
    ledger: lookalike.Table, monkeypatch: pytest.MonkeyPatch, method: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"{method}\(\) needs {library}, which is not installed: pip install {library}"):
        getattr(ledger, method)()


class Cells(HTMLParser):
    """The tags of a page, and the texts of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[object] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def cells_of(table: lookalike.Table) -> Cells:
    page = Cells()
    page.feed(table._repr_html_())
    page.close()
    return page


def test_what_is_shown(ledger: lookalike.Table) -> None:
    assert len(ledger) > 20
    text = repr(ledger)
    assert text.startswith(f"<lookalike.Table: {len(ledger)} rows, {len(ledger.column_names)} columns>\n  removed_id")
    # A line for the columns and each of ten rows, and the notes.
    assert len(text.splitlines()) == 1 + 11 + 3 and max(map(len, text.splitlines()[:12])) <= 122
    assert f"… {len(ledger) - 10} more rows" in text and "more columns: " in text
    assert "result.explain(row['removed_id'])" in text
    page = cells_of(ledger)
    assert page.cells[: len(ledger.column_names)] == ledger.column_names
    assert sum(cell == ledger[9]["removed_id"] for cell in page.cells) == 1
    assert not any(ledger[10]["removed_id"] == cell for cell in page.cells)
    assert "result.explain(row['removed_id'])" in ledger._repr_html_().replace("&#x27;", "'")
    pairs = lookalike.cluster(TEXTS[:30]).pairs
    assert "result.explain(row['a_id'], row['b_id'])" in repr(pairs)
    empty = ledger[:0]
    assert repr(empty).startswith("<lookalike.Table: 0 rows") and "explain" not in repr(empty)
    assert repr(ledger[:1]).startswith("<lookalike.Table: 1 row,") and "more rows" not in repr(ledger[:10])


def test_what_the_hint_says_works() -> None:
    result, listed = lookalike.dedup(TEXTS), lookalike.cluster(TEXTS)
    for row in result.ledger[:3]:
        assert result.explain(row["removed_id"]).shared == row["shared"]
    for row in listed.pairs[:3]:
        assert listed.explain(row["a_id"], row["b_id"]).shared == row["shared"]


def test_hostile_texts_are_shown_and_do_nothing() -> None:
    pa = pytest.importorskip("pyarrow")
    ids = [f"{text}{copy}" for text in HOSTILE for copy in range(2)]
    result = lookalike.dedup({"id": ids, "text": ["a rose is a rose is a rose"] * len(ids)})
    tables = [result.ledger, result.clusters, lookalike.Table.from_arrow(pa.table({name: [name] for name in HOSTILE}))]
    for table in tables:
        page = cells_of(table)
        assert page.tags <= {"p", "table", "thead", "tbody", "tr", "th", "td"} and not page.attributes
        assert not any(one in table._repr_html_() + repr(table) for one in "\x1b\0\u202e")
        assert all(line.isprintable() for line in repr(table).splitlines())
    # They are shown, up to a length.
    assert "<script>alert(1)</script>1" in cells_of(result.ledger).cells
    assert r"\x1b[31mred\x1b[0m\u202etxt.exe" in " ".join(cells_of(result.clusters).cells)


def test_long_values_are_cut() -> None:
    pa = pytest.importorskip("pyarrow")
    table = lookalike.Table.from_arrow(pa.table({"text": ["x" * 100_000], "list": pa.array([list(range(10_000))])}))
    assert len(table._repr_html_()) < 1000 and len(repr(table)) < 300 and "x…" in repr(table)


def test_a_report_is_the_page_of_a_run(tmp_path: Path) -> None:
    documents = {"id": [f"<i>{row}" for row in range(len(TEXTS))], "text": TEXTS}
    for call, settings in [(lookalike.dedup, {}), (lookalike.cluster, {"threshold": 0.6}), (lookalike.dedup, {"against": TEXTS[:50]})]:
        result = call(documents, **settings)
        page = tmp_path / "a" / f"{call.__name__}{len(settings)}.html"
        steps: list[lookalike.Step] = []
        result.report(page, progress=steps.append)
        html = page.read_text(encoding="utf-8")
        assert html.startswith("<!doctype html>") and result.summary["digest"] in html
        with pytest.raises(lookalike.InputError, match="exists; force=True replaces it"):
            result.report(page)
        result.report(page, force=True)
        assert page.read_text(encoding="utf-8") == html
    assert sorted(path.name for path in page.parent.iterdir()) == ["cluster1.html", "dedup0.html", "dedup1.html"]
    # The texts of the pairs that it shows side by side.
    removed = next(row for row in lookalike.dedup(documents).ledger if row["rule"] == "near")
    assert TEXTS[removed["removed_record"] - 1].split()[0] in html
    lookalike.dedup(documents).report(tmp_path / "b" / "small.html", report_size=1)
    assert (tmp_path / "b" / "report-data").is_dir()


def test_what_no_report_can_be_made_of(tmp_path: Path) -> None:
    with pytest.raises(lookalike.DataError, match="they were a stream"):
        lookalike.dedup(iter(TEXTS)).report(tmp_path / "a.html")
    with pytest.raises(lookalike.DataError, match="the result was stored"):
        pickle.loads(pickle.dumps(lookalike.dedup(TEXTS))).report(tmp_path / "a.html")
    texts = list(TEXTS)
    result = lookalike.dedup(texts)
    texts[0] = texts[-1]
    with pytest.raises(lookalike.DataError, match="not those of the call any more"):
        result.report(tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_with_blocks(tmp_path: Path) -> None:
    with lookalike.dedup(TEXTS) as result:
        ledger, kept = result.ledger, result.kept()
        assert result.summary["documents"] == len(TEXTS)
    # What was taken stays.
    assert len(ledger) + len(kept) == len(TEXTS) and "documents" in result.summary
    for closed in (result.kept, lambda: result.ledger, lambda: len(result), lambda: result.write(tmp_path / "out")):
        with pytest.raises(lookalike.ResourceError, match="the result is closed") as raised:
            closed()
        assert raised.value.code == "closed"
    with lookalike.Run(jsonl(tmp_path / "docs.jsonl", [{"text": text} for text in TEXTS]), tmp_path / "clean") as run:
        assert run.dedup()["documents"] == len(TEXTS)
    with lookalike.open_run(tmp_path / "clean") as opened:
        assert len(opened.ledger) == len(ledger)
    with lookalike.Index.create(tmp_path / "index") as index:
        index.add([{"id": "a", "text": TEXTS[0]}])
    with pytest.raises(lookalike.ResourceError, match="closed"):
        index.query(TEXTS[0])


@pytest.mark.parametrize("call", [lookalike.dedup, lookalike.cluster, lookalike.passages, lookalike.Signer().features])
def test_what_has_no_order_and_what_is_a_file(call: Any) -> None:
    for unordered in ({"a b c", "d e f"}, frozenset(["a b c"]), set()):
        with pytest.raises(TypeError, match="a set has no order.*give a list, as sorted"):
            call(unordered)
    # Passages of files are found by the command, as its own message says.
    for file in ("docs.jsonl", b"docs.jsonl") if call is lookalike.passages else ("docs.jsonl", Path("docs.jsonl"), b"docs.jsonl"):
        with pytest.raises(TypeError, match=r"give a list of texts\. Files are read by lookalike\.Run\(inputs, output\)"):
            call(file)


def test_what_is_ordered_as_a_dictionary_is_taken() -> None:
    assert lookalike.dedup(dict.fromkeys(TEXTS).keys()).kept().to_pylist() == lookalike.dedup(list(dict.fromkeys(TEXTS))).kept().to_pylist()
