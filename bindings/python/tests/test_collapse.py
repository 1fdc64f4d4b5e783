"""Collapsed lists, and sweeps."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

import lookalike
from conftest import shingles, variants


def grouped(texts: list[str], threshold: float) -> list[tuple[int, list[int]]]:
    """By the definition: behind the first shown one that it matches."""
    groups: list[tuple[int, list[int]]] = []
    for row, text in enumerate(texts):
        own = shingles(text)
        for shown, behind in groups:
            other = shingles(texts[shown])
            if len(own & other) >= threshold * len(own | other) - 1e-12:
                behind.append(row)
                break
        else:
            groups.append((row, []))
    return groups


def rows(groups: list[lookalike.Group]) -> list[tuple[int, list[int]]]:
    return [(group.row, [behind.row for behind in group.behind]) for group in groups]


def test_groups_are_those_of_the_definition(tmp_path: Path) -> None:
    texts = variants(120, seed=8)
    index = lookalike.Index.create(tmp_path / "i")
    index.add([{"id": f"d{row}", "text": text} for row, text in enumerate(texts)])
    for threshold in [0.5, 0.8]:
        expected = grouped(texts, threshold)
        assert any(behind for _, behind in expected)
        assert rows(lookalike.collapse(texts, threshold=threshold)) == expected
        assert rows(lookalike.collapse([f"d{row}" for row in range(120)], index=index, threshold=threshold)) == expected
        mixed = [{"id": f"d{row}"} if row % 2 else {"text": text} for row, text in enumerate(texts)]
        assert rows(lookalike.collapse(mixed, index=index, threshold=threshold)) == expected
    found = index.query(texts[0], threshold=0.2)
    assert [group.id for group in lookalike.collapse(found, index=index)][0] == found[0].id


def test_lists_that_cannot_be_grouped(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "i")
    for results, message in [("a text", "single text"), ([{"id": "a"}], "no index="), ([3], "result 0 is a int")]:
        with pytest.raises(TypeError, match=message):
            lookalike.collapse(results)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="1 of 1 ids are not in the index, the first is 'a'"):
        assert lookalike.collapse(["a"], index=index) == [(0, "a", [], True)]
    with pytest.raises(TypeError, match="shingle="):
        lookalike.collapse(["a"], index=index, shingle=3)
    assert lookalike.collapse([]) == []
    groups = lookalike.collapse([{"id": "x", "text": "a b c d"}, {"id": "y", "text": "A B C D"}], shingle=3)
    assert groups == [("x" and 0, "x", [(1, "y", 1.0, 1.0, 2)], False)]


def test_sweeps(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "i")
    fish = "one fish two fish red fish blue fish black fish old fish new fish"
    rose = "a rose is a rose is a rose and a lily is a lily for ever and ever"
    pages = {
        "may": {"/fish": fish, "/rose": rose, "/gone": "all that glitters is not gold as they say"},
        "june": {"/animals/fish": fish, "/rose": f"{rose} amen", "/new": "to be or not to be that is the question"},
    }
    for number, (sweep, texts) in enumerate(pages.items(), 5):
        documents = [{"id": path, "url": f"http://a.example{path}", "text": text} for path, text in texts.items()]
        index.add(documents, sweep=sweep, sweep_date=f"2024-0{number}-01")
    assert list(index.sweeps) == [("may", 3, "2024-05-01"), ("june", 3, "2024-06-01")]
    diff = index.sweeps.diff("may", "june", slight=0.9, threshold="0.5")
    changes = {row["url"] or row["new_url"]: (row["change"], row["new_url"]) for row in diff.pages.to_pylist()}
    assert changes == {
        "http://a.example/fish": ("moved", "http://a.example/animals/fish"),
        "http://a.example/gone": ("gone", None),
        "http://a.example/new": ("new", "http://a.example/new"),
        "http://a.example/rose": ("slight", "http://a.example/rose"),
    }
    assert {name: count for name, count in diff.counts.items() if count} == {"moved": 1, "gone": 1, "new": 1, "slight": 1}
    versions = index.sweeps.history("http://a.example/rose")
    assert [version["change"] for version in versions] == ["new", "slight"] and 0.9 <= versions[1]["resemblance"] < 1
    assert [sweep["changes"] for sweep in index.sweeps.changes("a.example")] == [
        {"new": 3},
        {"gone": 2, "new": 2, "slight": 1},
    ]
    index.add([{"id": "copy", "url": "http://b.example/copy", "text": f"See: {rose}"}], sweep="june")
    holders = index.sweeps.holders("http://a.example/rose")
    assert [(holder["site"], holder["first_sweep"]) for holder in holders] == [("b.example", "june")]
    visits = index.sweeps.revisit("a.example").to_pylist()
    assert visits[0]["url"] == "http://a.example/rose" and visits[0]["changed"] == 1 and visits[0]["alive"]
    # One change seen in one interval of 31 days, and half such an interval without one added.
    assert visits[0]["per"] == "day" and visits[0]["rate"] == pytest.approx(log(3) / 31, abs=1e-4)
    assert index.query(fish, sweep="may").ids() == ["/fish"] and index.query(fish)[0].sweep in ("may", "june")
    with pytest.raises(lookalike.SettingsError, match="has the date 2024-05-01 and not 2024-07-01"):
        index.add([{"id": "x", "text": fish}], sweep="may", sweep_date="2024-07-01")
    with pytest.raises(lookalike.DataError, match="sweep `july`"):
        index.sweeps.diff("may", "july")
    assert index.sweeps.remove("may") == 3 and [sweep.name for sweep in index.sweeps] == ["june"]
