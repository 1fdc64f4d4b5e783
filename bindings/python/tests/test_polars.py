"""The namespace of Polars expressions: the answers of the functions, in eager, lazy and streaming queries."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import lookalike
from conftest import greedy, variants

pl = pytest.importorskip("polars")
import lookalike.polars  # noqa: E402

TEXTS = variants(3000, seed=21)
WITH_GAPS: list[str | None] = [*TEXTS[:500], None, "", "a b"]
METHOD = "minhash-lsh:bands=10,rows=3"


def frame(texts: Any = TEXTS) -> Any:
    return pl.DataFrame({"row": range(len(texts)), "content": texts})


def chunked() -> Any:
    return pl.concat([frame()[:1000], frame()[1000:1001], frame()[1001:]], rechunk=False)


def content() -> Any:
    return pl.col("content").lookalike


def test_is_kept_is_what_brute_force_keeps() -> None:
    kept, _ = greedy(TEXTS, 0.6)
    expression = content().is_kept(threshold=0.6)
    for documents in [frame(), chunked()]:
        assert documents.filter(expression)["row"].to_list() == kept
        assert documents.lazy().filter(expression).collect()["row"].to_list() == kept
        streamed = documents.lazy().filter(expression).collect(engine="streaming")
        assert sorted(streamed["row"].to_list()) == kept
    # After a filter that comes before it in the query, and not the other way round.
    first = frame().lazy().filter(pl.col("row") < 700).filter(expression).collect()
    assert first["row"].to_list() == greedy(TEXTS[:700], 0.6)[0]
    last = frame().lazy().filter(expression).filter(pl.col("row") >= 700).collect()
    assert last["row"].to_list() == [row for row in kept if row >= 700]
    head = frame().lazy().with_columns(kept=expression).head(800).collect()
    assert head.filter("kept")["row"].to_list() == [row for row in kept if row < 800]


def test_is_kept_within_groups() -> None:
    documents = frame(TEXTS[:600]).with_columns(source=pl.col("row") % 3)
    kept = documents.filter(content().is_kept(threshold=0.6).over("source"))["row"].to_list()
    expected = [row for source in range(3) for row in (3 * at + source for at in greedy(TEXTS[source:600:3], 0.6)[0])]
    assert kept == sorted(expected) != greedy(TEXTS[:600], 0.6)[0]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_signatures_are_those_of_a_signer(engine: str) -> None:
    signer = lookalike.Signer(METHOD, shingle=4)
    signed = signer.sign(WITH_GAPS)
    many = frame(WITH_GAPS * 50)
    columns = {
        "features": content().features(shingle=4),
        "keys": content().keys(METHOD, shingle=4, threads=1),
        "sketch": content().sketch(METHOD, shingle=4),
    }
    query = many.lazy().with_columns(**columns)
    assert query.collect_schema()["keys"] == pl.List(pl.UInt64)
    found = query.collect(engine=engine).sort("row")
    assert found["features"].to_list() == signer.features(WITH_GAPS).to_pylist() * 50
    assert found["keys"].to_list() == signed.keys().to_pylist() * 50
    assert found["sketch"].to_list() == signed.sketches().to_pylist() * 50
    assert found["keys"].null_count() > 50


def test_elementwise_expressions_are_computed_after_filters() -> None:
    query = frame().lazy().with_columns(keys=content().keys(METHOD)).filter(pl.col("row") == 5)
    plan = query.explain()
    # The filter is below the signing in the plan, which it is not for what needs the whole column.
    assert plan.index("WITH_COLUMNS") < plan.index("FILTER" if "FILTER" in plan else "SELECTION")
    whole = frame().lazy().with_columns(kept=content().is_kept()).filter(pl.col("row") == 5).explain()
    assert whole.index("FILTER") < whole.index("WITH_COLUMNS")


def test_rows_without_text_and_short_columns() -> None:
    documents = pl.DataFrame({"content": ["a b c d e f", None, "a b c d e f"]})
    assert documents.select(content().is_kept()).to_series().to_list() == [True, True, False]
    assert documents.select(content().is_kept(drop_problems=True)).to_series().to_list() == [True, False, False]
    empty = documents.clear()
    assert empty.select(content().is_kept(), keys=content().keys(METHOD)).height == 0
    nothing = pl.DataFrame({"content": pl.Series([None, None], dtype=pl.String)})
    assert nothing.select(content().is_kept()).to_series().to_list() == [True, True]
    assert nothing.select(content().features()).to_series().to_list() == [None, None]


def test_structs_have_the_columns_of_the_documents() -> None:
    documents = pl.DataFrame({"id": ["b", "a", "c"], "text": ["a b c d e f"] * 3, "score": [1.0, 3.0, 2.0]})
    best = pl.struct("id", "text", "score").lookalike.is_kept(keep="max:score")
    assert documents.filter(best)["id"].to_list() == ["a"]
    assert documents.rename({"text": "body"}).filter(pl.struct(pl.all()).lookalike.is_kept(text="body"))["id"].to_list() == ["b"]


def test_wrong_settings_are_refused_when_the_expression_is_made() -> None:
    with pytest.raises(lookalike.SettingsError, match="threshold"):
        content().is_kept(threshold=2)
    with pytest.raises(TypeError, match="nosuch"):
        content().is_kept(nosuch=1)
    with pytest.raises(TypeError, match="nosuch"):
        content().features(nosuch=1)
    with pytest.raises(lookalike.SettingsError, match="no method"):
        content().keys("nosuch")
    with pytest.raises(lookalike.SettingsError, match="lexicon="):
        content().sketch("imatch")


def test_wrong_columns_say_what_they_hold() -> None:
    with pytest.raises(Exception, match="holds Int64, not text"):
        pl.DataFrame({"content": [1, 2]}).select(content().is_kept())
    with pytest.raises(Exception, match="row|text"):
        pl.DataFrame({"content": [None, "a"]}).select(content().is_kept(strict=True))


def test_texts_are_not_copied() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = pl.Series("content", [f"{number} " + "word " * 200 for number in range(2_000)])
    given = pyarrow.table(lookalike.polars._documents(column, lookalike.Settings()))["text"]
    own = pyarrow.table(column.to_frame())["content"]

    def addresses(array: Any) -> list[int]:
        return [buffer.address for chunk in array.chunks for buffer in chunk.buffers() if buffer is not None]

    assert addresses(given) == addresses(own) != []


def test_other_threads_run_meanwhile() -> None:
    ticks, over = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.wait(0.002):
            ticks += 1

    texts = [f"{number} " + " ".join(f"w{(number * 31 + at) % 5000}" for at in range(300)) for number in range(20_000)]
    documents = frame(texts)
    ticker = threading.Thread(target=tick)
    ticker.start()
    documents.select(content().is_kept())
    over.set()
    ticker.join()
    assert ticks > 5
