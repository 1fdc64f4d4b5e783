"""What `dedup` and `cluster` answer, against comparing all pairs; settings, problems and errors."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest

import lookalike
from conftest import greedy, shingles, variants


@pytest.mark.parametrize("threshold", [0.3, 0.8, 1])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_those_of_comparing_all_pairs(threshold: float, threads: int) -> None:
    texts = variants(300)
    kept, witness = greedy(texts, threshold)
    result = lookalike.dedup(texts, threshold=threshold, threads=threads)
    assert result.kept().to_pylist() == kept
    assert result.removed().to_pylist() == sorted(witness)
    assert result.mask().to_pylist() == [row not in witness for row in range(len(texts))]
    rows = result.ledger.to_pylist()
    assert {row["removed_record"] - 1: row["kept_record"] - 1 for row in rows} == witness
    for row in rows:
        a, b = shingles(texts[row["removed_record"] - 1]), shingles(texts[row["kept_record"] - 1])
        assert (row["shared"], row["size_a"], row["size_b"]) == (len(a & b), len(a), len(b))
        assert row["resemblance"] == len(a & b) / len(a | b)


def test_cluster_lists_every_pair() -> None:
    texts = variants(120, seed=2)
    sets = [shingles(text) for text in texts]
    pairs = {
        (a, b)
        for b in range(len(texts))
        for a in range(b)
        if 2 * len(sets[a] & sets[b]) >= len(sets[a] | sets[b])
    }
    result = lookalike.cluster(texts, threshold="0.5")
    found = [(row["a_record"] - 1, row["b_record"] - 1) for row in result.pairs.to_pylist()]
    assert {(min(pair), max(pair)) for pair in found} == pairs and len(found) == len(pairs)
    assert result.summary["pairs"]["complete"]
    for linkage in ["components", "leaders"]:
        kept = lookalike.dedup(texts, threshold="0.5", linkage=linkage).kept().to_pylist()
        assert lookalike.cluster(texts, threshold="0.5", linkage=linkage).kept().to_pylist() == kept
        assert (result.kept().to_pylist() == kept) == (linkage == "components")
    assert not lookalike.cluster(texts, threshold="0.5", max_pairs=3).summary["pairs"]["complete"]


def test_memory_and_threads_change_nothing(tmp_path) -> None:
    texts = variants(3000, seed=3)
    expected = lookalike.dedup(texts)
    for limits in [{"threads": 1}, {"threads": 4}, {"memory": "1MB"}, {"memory": 1 << 20, "scratch": tmp_path}]:
        found = lookalike.dedup(texts, **limits)
        assert found.summary["digest"] == expected.summary["digest"]
        assert found.ledger.to_pydict() == expected.ledger.to_pydict()
    assert not list(tmp_path.iterdir())


def test_against_a_protected_collection() -> None:
    text, other = "one two three four five six seven", "a b c d e f g h"
    documents = {"id": ["x", "y", "z"], "text": [other, text, text]}
    result = lookalike.dedup(documents, against=[text])
    assert result.mask().to_pylist() == [True, False, False] and len(result) == 3
    assert {row["kept_file"] for row in result.ledger.to_pylist()} == {"against"}
    only = lookalike.dedup({**documents, "text": [other, other, text]}, against=[text], against_only=True)
    assert only.mask().to_pylist() == [True, True, False]


def test_documents_without_text_are_problems() -> None:
    texts = ["a b c d e f", None, "a b c d e f", None]
    result = lookalike.dedup({"text": texts})
    assert result.mask().to_pylist() == [True, True, False, True]
    assert result.kept().to_pylist() == [0]
    assert [row["record"] for row in result.problems.to_pylist()] == [2, 4]
    dropped = lookalike.dedup({"text": texts}, drop_problems=True)
    assert dropped.mask().to_pylist() == [True, False, False, False]
    with pytest.raises(lookalike.DataError, match="record 2.*strict=") as raised:
        lookalike.dedup({"text": texts}, strict=True)
    assert raised.value.code == "bad_record"


def test_which_duplicate_is_kept() -> None:
    text = "a b c d e f g"
    documents = {
        "text": [text, text, text],
        "id": [3, 1, 2],
        "date": ["2020-01-01", None, "2021-01-01"],
        "score": [1, 2.5, None],
    }
    for keep, row in [("first", 0), ("last", 2), ("newest", 2), ("oldest", 0), ("max:score", 1), (["newest", "max:score"], 2)]:
        assert lookalike.dedup(documents, keep=keep).kept().to_pylist() == [row], keep
    import datetime

    dates = {**documents, "date": [datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1)]}
    assert lookalike.dedup(dates, keep="newest").kept().to_pylist() == [2]
    with pytest.raises(lookalike.DataError, match="`nosuch`.*text, id, date, score") as raised:
        lookalike.dedup(documents, keep="max:nosuch")
    assert raised.value.code == "keep_field"


def test_thresholds_are_decimals() -> None:
    # 4 of 5 shingles are equal: exactly 0.8.
    a, b = "1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9"
    assert len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b)) == 0.8
    for threshold in [0.8, "0.8", "0.80", Fraction(4, 5), Decimal("0.8")]:
        assert lookalike.dedup([a, b], threshold=threshold).removed().to_pylist() == [1]
    assert lookalike.dedup([a, b], threshold=0.800000001).removed().to_pylist() == []
    for wrong in [0.1 + 0.2, Fraction(1, 3), 0, -1, 1.5, "x", float("nan")]:
        with pytest.raises(lookalike.SettingsError) as raised:
            lookalike.Settings(threshold=wrong)
        assert raised.value.code == "threshold" and isinstance(raised.value, ValueError)
    with pytest.raises(TypeError):
        lookalike.Settings(threshold=None)


def test_settings_are_those_of_the_summary() -> None:
    for changes in [
        {},
        {"measure": "cosine"},
        {"keep": ["longest", "max:score"], "threshold": 0.55, "linkage": "components", "shingle": 3},
        {"shingle": None, "terms": "kolcz", "min_features": 2, "witness": "best", "normalize": "nfkc"},
        {"method": "minhash-lsh:t=0.7", "verify": "sketch", "key_limit": 100, "text": "body", "id": "key"},
        {"ignore_common": 10, "shingle_unit": "char", "short_documents": "ignore", "measure": "containment"},
    ]:
        settings = lookalike.Settings(**changes)
        assert settings == lookalike.Settings.from_json(settings.to_json())
        assert settings == pickle.loads(pickle.dumps(settings)) and len({settings, settings.replace()}) == 1
        names = {settings.text: ["a b c d e f g h i j k l", "x y z"], settings.id: ["1", "2"], "score": [1.0, 2.0]}
        summary = lookalike.dedup(names, settings=settings).summary
        stated = lookalike.Settings.from_json(json.dumps(summary["settings"]["job"]["settings"]))
        # The linkage in words: its default is that of the action.
        assert stated == settings.replace(linkage=settings.linkage or "leaders")
    assert lookalike.Settings(measure="cosine").shingle is None
    assert lookalike.Settings().replace(measure="cosine") == lookalike.Settings(measure="cosine")
    assert lookalike.Settings(shingle=3).replace(measure="cosine").shingle == 3


@pytest.mark.parametrize(
    "wrong",
    [{"measure": "nosuch"}, {"keep": "nosuch"}, {"shingle": 0}, {"linkage": "x"}, {"method": "nosuch"}, {"keep": False}]
    + [{"lexicon": "x"}, {"verify": "none"}, {"witness": "best", "linkage": "components"}, {"min_features": -1}]
    + [{"min_features": 0}, {"ignore_common": 0}, {"max_record": 0}, {"csv_quote": "ab"}, {"contained_only": -0.5}]
    + [{"max_lost": "101%"}, {"max_lost": -1}, {"distinct_by": "/(/"}, {"distinct_by": ""}],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(lookalike.SettingsError) as raised:
        lookalike.Settings(**wrong)
    assert "the setting " not in str(raised.value) and raised.value.code
    # The keyword is named, with its value in one piece.
    assert f"{next(iter(wrong))}=" in str(raised.value) and "==" not in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.code) == (type(raised.value), str(raised.value), raised.value.code)


def test_arguments_that_cannot_be_are_refused() -> None:
    with pytest.raises(TypeError, match="'treshold' is no argument and no setting"):
        lookalike.dedup(["a"], treshold=0.5)
    with pytest.raises(TypeError, match="both settings= and threshold="):
        lookalike.dedup(["a"], settings=lookalike.Settings(), threshold=0.5)
    with pytest.raises(lookalike.DataError, match="no column `body`; the columns are `text`"):
        lookalike.dedup({"text": ["a"]}, text="body")
    with pytest.raises(lookalike.DataError, match="no column `key`"):
        lookalike.dedup({"text": ["a"]}, id="key")
    with pytest.raises(lookalike.SettingsError, match="8GiB"):
        lookalike.dedup(["a"], memory="lots")
    with pytest.raises(lookalike.SettingsError, match="threads=-1"):
        lookalike.dedup(["a"], threads=-1)
    with pytest.raises(TypeError, match="progress"):
        lookalike.dedup(["a"], progress=3)


def test_a_result_is_written_whole_or_not_at_all(tmp_path) -> None:
    result = lookalike.dedup(variants(100), keep="longest")
    result.write(tmp_path / "out", tables="tsv")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "clusters.tsv", "ledger.tsv", "pairs.tsv", "summary.json",
    ]  # fmt: skip
    with pytest.raises(lookalike.InputError) as raised:
        result.write(tmp_path / "out")
    assert raised.value.code == "output" and "force=" in str(raised.value) and isinstance(raised.value, OSError)
    result.write(tmp_path / "out", force=True)
    assert (tmp_path / "out" / "ledger.parquet").exists()


def test_tables_and_arrays_behave() -> None:
    result = lookalike.dedup(variants(200))
    table, kept = result.ledger, result.kept()
    assert len(table) == table.num_rows == len(table.to_pylist()) == len(table["rule"])
    assert table.to_pylist(2, 5) == table.to_pylist()[2:5]
    assert list(table.to_pydict()) == table.column_names
    with pytest.raises(KeyError, match="the columns are removed_id"):
        table.column("nosuch")
    assert kept[0] == 0 and kept[-1] == kept.to_pylist()[-1] and list(kept[1:4]) == kept.to_pylist()[1:4]
    assert kept[::2] == kept.to_pylist()[::2]
    with pytest.raises(IndexError):
        kept[len(kept)]
    for original in [table, result.clusters, kept, result.mask()]:
        again = pickle.loads(pickle.dumps(original))
        values = "to_pydict" if isinstance(original, lookalike.Table) else "to_pylist"
        assert getattr(again, values)() == getattr(original, values)()
    assert "documents" in repr(result) and "<table>" in result._repr_html_()


def test_nothing_to_do() -> None:
    for empty in [[], {"text": []}, iter([])]:
        result = lookalike.dedup(empty)
        assert (len(result), result.kept().to_pylist(), len(result.ledger)) == (0, [], 0)


@pytest.mark.parametrize("call", ["dedup", "cluster", "compare", "evaluate", "Run", "Signer", "Settings"])
def test_signatures_name_every_setting(call: str) -> None:
    named = inspect.signature(getattr(lookalike, call)).parameters
    assert not {field.name for field in dataclasses.fields(lookalike.Settings)} - set(named)
    assert named["measure"].default == "resemblance" and "keywords" not in named
