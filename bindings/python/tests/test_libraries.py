"""Documents of every library: the same rows, ids and evidence for all of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lookalike
from conftest import variants

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
duckdb = pytest.importorskip("duckdb")
datasets = pytest.importorskip("datasets")
np = pytest.importorskip("numpy")

TEXTS: list[str | None] = [*variants(1500, seed=5), None, "", "a b"]
IDS = [f"d{7 * number % 1999:04}" for number in range(len(TEXTS))]


def table() -> Any:
    return pa.table({"id": IDS, "text": TEXTS})


def chunked() -> Any:
    return pa.concat_tables([table().slice(0, 700), table().slice(700, 3), table().slice(703)])


def sliced() -> Any:
    return pa.concat_tables([table(), table(), table()]).slice(len(TEXTS), len(TEXTS))


def typed(kind: Any) -> Any:
    return pa.table({"id": IDS, "text": pa.array(TEXTS).cast(kind)})


def dictionary() -> Any:
    return pa.table({"id": IDS, "text": pa.array(TEXTS).dictionary_encode()})


def records() -> list[dict[str, Any]]:
    return [{"id": name, "text": text, "other": object()} for name, text in zip(IDS, TEXTS)]


def dataset() -> Any:
    return datasets.Dataset.from_dict({"id": IDS, "text": TEXTS})


def selected() -> Any:
    both = datasets.concatenate_datasets([dataset(), dataset()])
    return both.select(range(len(TEXTS), 2 * len(TEXTS)))


def stream(batches: Any) -> Any:
    return pa.RecordBatchReader.from_batches(table().schema, batches)


def polars_chunks() -> Any:
    return pl.concat([pl.from_arrow(table().slice(0, 500)), pl.from_arrow(table().slice(500))], rechunk=False)


FORMS: dict[str, Callable[[], Any]] = {
    "pyarrow table": table,
    "pyarrow table of chunks": chunked,
    "pyarrow slice": sliced,
    "pyarrow batch": lambda: table().combine_chunks().to_batches()[0],
    "pyarrow reader": lambda: table().to_reader(100),
    "pyarrow scanner": lambda: pa.dataset.dataset(table()).scanner().to_reader(),
    "pyarrow batches in a list": lambda: table().to_batches(max_chunksize=333),
    "pyarrow batches of a generator": lambda: (batch for batch in table().to_batches(max_chunksize=333)),
    "large strings": lambda: typed(pa.large_string()),
    "string views": lambda: typed(pa.string_view()),
    "binary": lambda: typed(pa.binary()),
    "large binary": lambda: typed(pa.large_binary()),
    "dictionary": dictionary,
    "polars": lambda: pl.from_arrow(table()),
    "polars chunks": polars_chunks,
    "polars categorical": lambda: pl.from_arrow(table()).with_columns(pl.col("text").cast(pl.Categorical)),
    "pandas objects": lambda: pd.DataFrame({"id": IDS, "text": pd.Series(TEXTS, dtype=object)}),
    "pandas with an index": lambda: pd.DataFrame({"id": IDS, "text": TEXTS}, index=range(100, 100 + len(TEXTS))),
    "pandas of pyarrow": lambda: table().to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb relation": lambda: (lambda documents: duckdb.from_arrow(documents))(table()),
    "duckdb reader": lambda: duckdb.from_arrow(table()).to_arrow_reader(200),
    "datasets": dataset,
    "datasets selection": selected,
    "datasets stream": lambda: dataset().to_iterable_dataset(),
    "records": records,
    "generator of records": lambda: (record for record in records()),
    "columns": lambda: {"id": IDS, "text": TEXTS},
    "columns of numpy": lambda: {"id": np.array(IDS), "text": np.array(TEXTS, dtype=object)},
    "columns of arrow": lambda: {"id": pa.array(IDS), "text": pa.array(TEXTS)},
}


READ_ONCE = {
    "pyarrow reader", "pyarrow scanner", "pyarrow batches of a generator", "duckdb reader", "datasets stream", "generator of records",
}


@pytest.fixture(scope="module")
def expected() -> lookalike.Result:
    return lookalike.dedup({"id": IDS, "text": TEXTS}, threshold=0.6)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_result(form: str, expected: lookalike.Result) -> None:
    result = lookalike.dedup(FORMS[form](), threshold=0.6)
    assert len(result) == len(TEXTS)
    assert pa.array(result.kept()).to_pylist() == expected.kept().to_pylist()
    # What differs is found in texts that can be read again.
    assert ("differs" in result.ledger.column_names) == (form not in READ_ONCE)
    ledger = pa.table(expected.ledger).select(result.ledger.column_names)
    assert pa.table(result.ledger).to_pydict() == ledger.to_pydict()
    assert result.clusters.to_pydict() == expected.clusters.to_pydict()
    assert result.problems.to_pydict() == expected.problems.to_pydict()
    assert result.summary["digest"] == expected.summary["digest"]
    assert len(expected.ledger) > 100


def test_texts_alone(expected: lookalike.Result) -> None:
    for texts in [TEXTS, tuple(TEXTS), iter(TEXTS), np.array(TEXTS, dtype=object)]:
        result = lookalike.dedup(texts, threshold=0.6)
        assert len(result) == len(TEXTS)
        # Without ids, ties and names differ; the rows that are kept first do not.
        assert result.kept().to_pylist() == expected.kept().to_pylist()
        assert result.ledger.to_pylist()[0]["removed_id"].startswith("table:")


def test_masks_filter_the_tables_of_their_library() -> None:
    kept = [text for text, stays in zip(TEXTS, lookalike.dedup(TEXTS).mask()) if stays]
    arrow = table()
    assert arrow.filter(lookalike.dedup(arrow).mask())["text"].to_pylist() == kept
    frame = pl.from_arrow(arrow)
    assert frame.filter(lookalike.dedup(frame).mask())["text"].to_list() == kept
    pandas = pd.DataFrame({"text": pd.Series(TEXTS, dtype=object)})
    assert pandas[lookalike.dedup(pandas).mask()]["text"].tolist() == kept
    hugging = dataset()
    removed = set(lookalike.dedup(hugging).removed())
    assert len(removed) == len(TEXTS) - len(kept)
    rows = [row for row in range(len(TEXTS)) if row not in removed]
    assert hugging.select(rows)["text"][:] == kept
    chosen = hugging.select(lookalike.dedup(hugging).kept())
    assert chosen["text"][:] == [text for text in kept if text is not None]
    assert pandas.iloc[lookalike.dedup(pandas).removed()].shape[0] == len(removed)
    assert frame[lookalike.dedup(frame).kept()].height == len(kept) - 1


COLUMNS: dict[str, Callable[[], Any]] = {
    "pyarrow": lambda: pa.array(TEXTS),
    "pyarrow chunks": lambda: chunked()["text"],
    "pyarrow large": lambda: pa.array(TEXTS, pa.large_string()),
    "polars": lambda: pl.Series("body", TEXTS),
    "pandas": lambda: pd.Series(TEXTS, dtype=object, index=range(5, 5 + len(TEXTS))),
    "pandas of pyarrow": lambda: pd.Series(TEXTS, dtype="string[pyarrow]"),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_are_documents_and_are_filtered(form: str, expected: lookalike.Result) -> None:
    column = COLUMNS[form]()
    result = lookalike.dedup(column, threshold=0.6)
    assert pa.array(result.kept()).to_pylist() == expected.kept().to_pylist()
    mask = result.mask()
    kept = column[mask] if form.startswith("pandas") else column.filter(mask)
    texts = [text for text, stays in zip(TEXTS, expected.mask()) if stays]
    assert (kept.to_pylist() if form.startswith("pyarrow") else [None if text is pd.NA else text for text in kept]) == texts
    assert lookalike.Signer(text="body").features(column)[3] == lookalike.Signer().features([TEXTS[3]])[0]
    row = expected.removed()[0]
    assert result.explain(row).decision is not None


def test_tables_of_a_result_go_to_every_library() -> None:
    result = lookalike.dedup(table())
    rows = result.ledger.to_pylist()
    assert pa.table(result.ledger).to_pylist() == rows
    assert pl.DataFrame(result.ledger).to_dicts() == rows
    assert pd.DataFrame.from_records(rows).equals(pa.table(result.ledger).to_pandas())
    ledger = pa.table(result.ledger)
    assert duckdb.sql("select count(*) from ledger").fetchall() == [(len(rows),)]
    assert pa.array(lookalike.dedup(TEXTS).kept()).to_pylist() == lookalike.dedup(TEXTS).kept().to_pylist()
    assert np.asarray(lookalike.dedup(TEXTS).mask()).dtype == bool
    assert lookalike.Table.from_arrow(ledger).to_pylist() == rows
    assert lookalike.Array.from_arrow(pa.array([1, 2, None])).to_pylist() == [1, 2, None]


def address(array: Any) -> int:
    """Where the values of an array are."""
    return pa.array(array).buffers()[-1].address


def test_arrow_memory_is_shared_and_not_copied() -> None:
    for column in [pa.array(TEXTS), pa.array(TEXTS).cast(pa.large_string()), pa.array([1, 2, None]), pa.array([0.5] * 9)]:
        assert address(lookalike.Array.from_arrow(column)) == address(column)
        batch = pa.record_batch({"column": column})
        for given in (batch, pa.table(batch), pa.table(batch).to_reader()):
            stream = given if hasattr(given, "__arrow_c_stream__") else pa.table(given)
            shared = pa.table(lookalike.Table.from_arrow(stream))["column"]
            assert [address(chunk) for chunk in shared.chunks] == [address(column)]
    result = lookalike.dedup(TEXTS)
    for name in result.ledger.column_names:
        # Two exports are of one memory.
        assert address(result.ledger[name]) == address(result.ledger[name])
    assert address(pl.Series(result.kept()).to_arrow()) != 0


#: Prints by how many bytes the peak of the process grows in a call over 300 MB of text that has one distinct document.
PEAK = """
import resource, sys
import pyarrow as pa, lookalike

one = " ".join(f"word{n}" for n in range(50_000))
texts = pa.array([one]).take(pa.array([0] * (300_000_000 // len(one))))
documents = pa.table({"text": texts})
if sys.argv[1] == "polars":
    import polars
    documents = polars.from_arrow(documents)
lookalike.dedup(documents.slice(0, 3), threads=2)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
def peak():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
before = peak()
copies = [text.as_py() for text in texts] if sys.argv[1] == "copied" else None
assert len(lookalike.dedup(documents, threads=2).removed()) == texts.nbytes // len(one) - 1
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("form", ["pyarrow", "polars", "copied"])
def test_texts_in_arrow_memory_are_not_copied(form: str) -> None:
    ended = subprocess.run([sys.executable, "-c", PEAK, form], check=True, capture_output=True, encoding="utf-8")
    # A copy of all texts would be 300 MB, as the last form shows.
    assert (int(ended.stdout) < 100_000_000) == (form != "copied"), ended.stdout


def test_texts_of_python_do_not_grow() -> None:
    # Python keeps the UTF-8 of a string that is not ASCII inside of it, once it was asked for it.
    texts = ["größer " + "word " * 100, "日本語のテキスト " * 20, "ascii only " * 20]
    sizes = [sys.getsizeof(text) for text in texts]
    sets = lookalike.Signer().features(texts)
    assert [sys.getsizeof(text) for text in texts] == sizes
    assert sets.to_pylist() == lookalike.Signer().features(pa.array(texts)).to_pylist()


def test_a_stream_that_breaks_off() -> None:
    def batches() -> Any:
        yield from table().to_batches(max_chunksize=100)
        raise RuntimeError("the cable was cut")

    for broken in [stream(batches()), batches()]:
        with pytest.raises(lookalike.DataError, match="the cable was cut"):
            lookalike.dedup(broken)


def test_a_stream_is_read_once() -> None:
    with pytest.raises(lookalike.SettingsError, match="ignore_common= reads the documents several times"):
        lookalike.dedup(table().to_reader(), ignore_common=5)
    # A table is read as often as it has to be.
    assert lookalike.dedup(table(), ignore_common=5).kept()
    assert lookalike.dedup(duckdb.from_arrow(table()), ignore_common=5).kept()
    assert lookalike.dedup(dataset(), ignore_common=5).kept()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("one text", "a single text is no collection"),
        (b"bytes", "a single text is no collection"),
        (5, "documents are a table that speaks Arrow"),
        (pl.LazyFrame({"text": ["a"]}), "lazy frame"),
    ],
)
def test_what_is_no_collection_is_a_type_error(wrong: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        lookalike.dedup(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 2], "item 0 is a int"),
        (["a", 2], "item 0 is a str|item 1 is a int"),
        ([{"text": 5}], "column `text`: a value of the type int is not text"),
        ([{"text": "a", "id": 1.5}], "column `id`: a value of the type float is not text"),
        ([b"bytes"], "item 0 is a bytes"),
        ({"text": ["a"], "id": []}, "different lengths"),
        (["\ud800"], "row 0 .*surrogates not allowed"),
        (pa.table({"body": ["a"]}), "text="),
        (pa.table({"text": [1, 2]}), "holds Int64, not text"),
    ],
)
def test_data_that_cannot_be_used_is_a_data_error(wrong: Any, message: str) -> None:
    with pytest.raises(lookalike.DataError, match=message):
        lookalike.dedup(wrong)
