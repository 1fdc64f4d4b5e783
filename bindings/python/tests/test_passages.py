"""Repeated passages by brute force over words, and documents of all kinds without the copies."""

from __future__ import annotations

import os
import signal
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike
from conftest import jsonl

#: A document, a number of its first word, or a place: both.
Place = tuple[int, int]

NOTICE = "All rights reserved. No part of this page may be reproduced in any form."
PAGES = [f"On roses: é. {NOTICE}", f"{NOTICE}\nOn tulips.", "Nothing of the kind.", NOTICE.upper()]


def made(seed: int, number: int = 120) -> list[str]:
    """Texts of words with pieces of earlier ones, some of which overlap, and whole copies."""
    chance = random.Random(seed)
    words = [f"w{n}" for n in range(300)]
    all_words: list[list[str]] = []
    for row in range(number):
        own = chance.choices(words, k=chance.randrange(1, 60))
        for _ in range(chance.randrange(3)):
            if all_words:
                source = chance.choice(all_words)
                start, at = chance.randrange(len(source)), chance.randrange(len(own) + 1)
                own[at:at] = source[start : start + chance.randrange(1, 40)]
        if row % 17 == 5:
            own += ["na"] * chance.randrange(4, 30)
        if row % 19 == 7:
            own = list(chance.choice(all_words))
        all_words.append(own)
    return [" ".join(word.upper() if chance.random() < 0.2 else word for word in own) for own in all_words]


def windows(texts: list[list[str]], length: int) -> dict[tuple[str, ...], list[Place]]:
    """The places of every run of this many words, ascending."""
    places: dict[tuple[str, ...], list[Place]] = {}
    for row, words in enumerate(texts):
        for at in range(len(words) - length + 1):
            places.setdefault(tuple(words[at : at + length]), []).append((row, at))
    return places


def later_runs(texts: list[list[str]], length: int, copies: int) -> list[tuple[Place, Place, int]]:
    """Place, first place and words of each run of windows whose first places are consecutive too."""
    places = windows(texts, length)
    runs: list[tuple[Place, Place, int]] = []
    for row, words in enumerate(texts):
        last = None
        for at in range(len(words) - length + 1):
            of = places[tuple(words[at : at + length])]
            first = of[0] if len(of) >= copies else None
            if first and last and first == (last[0], last[1] + 1):
                runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
            elif first:
                runs.append(((row, at), first, length))
            last = first
    return [run for run in runs if run[1] < run[0]]


def place(row: dict[str, Any], role: str = "") -> Place:
    return row[f"{role}record"] - 1, row[f"{role}unit"]


def undone(texts: list[str], edits: list[dict[str, Any]]) -> list[str]:
    """What was before the edits, of texts that were cut: from behind, so that places are those that were."""
    before = list(texts)
    for row in dict.fromkeys(edit["record"] - 1 for edit in edits):
        own = [edit for edit in edits if edit["record"] - 1 == row]
        left, moved = before[row].encode(), 0
        parts: list[bytes] = []
        at = 0
        for edit in own:
            start = edit["byte"] - moved
            parts += [left[at:start], edit["text"].encode()]
            at = start + len(edit["put"].encode())
            assert left[start:at].decode() == edit["put"]
            moved += edit["end_byte"] - edit["byte"] - len(edit["put"].encode())
        before[row] = b"".join([*parts, left[at:]]).decode()
    return before


@pytest.mark.parametrize(("length", "copies"), [(5, 2), (8, 2), (8, 3), (1, 2), (50, 2)])
@pytest.mark.parametrize("cut", ["kept", "later", "all", "none"])
def test_passages_and_cuts_are_those_of_brute_force(length: int, copies: int, cut: Any) -> None:
    texts = made(length + copies)
    words = [text.lower().split() for text in texts]
    found = lookalike.passages(texts, length=length, copies=copies, cut=cut)
    wanted = later_runs(words, length, copies)
    rows = found.table.to_pylist()
    assert [(place(row), place(row, "first_"), row["units"]) for row in rows] == wanted
    assert len(wanted) > (20 if length < 50 else -1)
    for row in rows:
        data = texts[row["record"] - 1].encode()
        at = row["unit"]
        assert data[row["byte"] : row["end_byte"]].decode().lower().split() == words[row["record"] - 1][at : at + row["units"]]
    if cut == "none":
        assert (found.cuts, found.edits, len(found.removed())) == (None, None, 0)
        return
    assert found.cuts is not None and found.edits is not None
    cuts, edits, removed = found.cuts.to_pylist(), found.edits.to_pylist(), set(found.removed())
    gone: list[set[int]] = [set() for _ in texts]
    for row in cuts:
        (text, at), (other, kept) = place(row), place(row, "kept_")
        assert words[text][at : at + row["units"]] == words[other][kept : kept + row["units"]]
        gone[text] |= set(range(at, at + row["units"]))
    left = [[word for at, word in enumerate(own) if at not in gone[row]] for row, own in enumerate(words)]
    stays = [row for row in range(len(texts)) if row not in removed]
    assert removed == {row for row, own in enumerate(left) if not own}
    assert found.mask().to_pylist() == [row not in removed for row in range(len(texts))]
    clean = found.apply(texts)
    assert [text.lower().split() for text in clean] == [left[row] for row in stays]
    # What is written and the edits give what was read.
    whole = list(texts)
    for row, text in zip(stays, clean, strict=True):
        whole[row] = text
    assert undone(whole, edits) == texts
    assert found.summary["cut_units"] == sum(map(len, gone)) and found.summary["digest"]
    if cut == "kept":
        for row in cuts:
            other, kept = place(row, "kept_")
            assert gone[other].isdisjoint(range(kept, kept + row["units"])) and (other, kept) < place(row)
    elif copies == 2:
        goes: list[set[int]] = [set() for _ in texts]
        for of in windows(words, length).values():
            for row, at in of[1:] if cut == "later" else of if len(of) > 1 else []:
                goes[row] |= set(range(at, at + length))
        assert goes == gone


def test_spans_are_the_later_copies() -> None:
    texts = [text.replace("w1", "wé") + " — ß" for text in made(3)]
    words = [text.lower().split()[:-2] for text in texts]
    found = lookalike.passages(texts, length=8)
    later: list[set[int]] = [set() for _ in texts]
    for (row, at), _, count in later_runs(words, 8, 2):
        later[row] |= set(range(at, at + count))
    spans = found.spans()
    assert len(spans) == len(texts) and sum(map(len, spans)) > 20
    for text, own, numbers in zip(texts, spans, later, strict=True):
        assert all(end < start for (_, end), (start, _) in zip(own, own[1:], strict=False))
        inside = {at for start, end in own for at in range(len(text[:start].split()), len(text[:end].split()))}
        # The words at the end of all texts are no copy where what stands before them is none.
        assert {at for at in inside if at < len(text.split()) - 2} == numbers
        assert all(text[start:end] == text[start:end].strip() for start, end in own)


def test_whole_lines_only() -> None:
    texts = [f"One. {NOTICE}", f"{NOTICE}\nSee the page: one. {NOTICE}"]
    found = lookalike.passages(texts, length=10, whole="line")
    assert found.apply(texts)[1].strip() == f"See the page: one. {NOTICE}"
    assert lookalike.passages(texts, length=10).apply(texts)[1].strip() == "See the page:"


#: A line end behind a cut stays.
LEFT = [PAGES[0], "On tulips.", PAGES[2]]


def forms() -> dict[str, Any]:
    numbers = list(range(4))
    columns = {"n": numbers, "text": PAGES}
    table = pa.table(columns)
    return {
        "texts": list(PAGES),
        "tuple": tuple(PAGES),
        "records": [{"text": text, "n": n} for n, text in enumerate(PAGES)],
        "columns": columns,
        "table": table,
        "batch": table.to_batches()[0],
        "chunks": pa.chunked_array([PAGES[:1], PAGES[1:]]),
        "array": pa.array(PAGES),
        "large": table.set_column(1, "text", table["text"].cast(pa.large_string())),
        "binary": table.set_column(1, "text", table["text"].cast(pa.binary())),
        "dictionary": table.set_column(1, "text", table["text"].dictionary_encode()),
        "polars": pl.DataFrame(columns),
        "categories": pl.DataFrame(columns, schema_overrides={"text": pl.Categorical}),
        "series": pl.Series("prose", PAGES),
        "pandas": pd.DataFrame(columns, index=list("abcd")),
        "objects": pd.DataFrame({"n": numbers, "text": pd.Series(PAGES, dtype=object)}),
        "pandas series": pd.Series(PAGES, index=list("abcd")),
    }


@pytest.mark.parametrize("form", forms())
def test_what_was_given_comes_back_without_the_copies(form: str) -> None:
    data = forms()[form]
    found = lookalike.passages(data, length=10)
    clean = found.apply(data)
    assert type(clean) is type(data)
    if form in ("texts", "tuple"):
        assert list(clean) == LEFT and list(data) == PAGES
    elif form == "records":
        assert clean == [{"text": text, "n": n} for n, text in enumerate(LEFT)] and data[1]["text"] == PAGES[1]
    elif form == "columns":
        assert clean == {"n": [0, 1, 2], "text": LEFT} and data["text"] == PAGES
    elif isinstance(data, (pa.Table, pa.RecordBatch)):
        assert clean.schema == data.schema
        texts = [text.decode() if isinstance(text, bytes) else text for text in clean["text"].to_pylist()]
        assert (clean["n"].to_pylist(), texts) == ([0, 1, 2], LEFT)
    elif isinstance(data, pl.DataFrame):
        assert clean.schema == data.schema and clean.to_dict(as_series=False) == {"n": [0, 1, 2], "text": LEFT}
        assert data["text"].to_list() == PAGES
    elif isinstance(data, pd.DataFrame):
        assert clean["text"].tolist() == LEFT and clean["n"].tolist() == [0, 1, 2] and data["text"].tolist() == PAGES
        assert clean.dtypes.equals(data.dtypes) and list(clean.index) == list(data.index[:3])
    elif isinstance(data, pd.Series):
        assert clean.tolist() == LEFT and list(clean.index) == ["a", "b", "c"] and data.tolist() == PAGES
    else:
        assert clean.to_pylist() == LEFT if hasattr(clean, "to_pylist") else clean.to_list() == LEFT
    assert type(found.removed()) is type(lookalike.dedup(data).removed())
    assert [int(str(row)) for row in found.removed()] == [3] and len(found) == 4
    spans = [[PAGES[row][start:end] for start, end in own] for row, own in enumerate(found.spans())]
    assert spans == [[], [NOTICE[:-1]], [], [NOTICE[:-1].upper()]]


def test_fields_have_other_names() -> None:
    records = [{"doc": {"body": text, "more": [1]}, "key": f"p{n}"} for n, text in enumerate(PAGES)]
    found = lookalike.passages(records, length=10, text="doc.body", id="key")
    assert found.cuts is not None and [row["kept_id"] for row in found.cuts.to_pylist()] == ["p0", "p0"]
    assert found.apply(records) == [{"doc": {"body": text, "more": [1]}, "key": f"p{n}"} for n, text in enumerate(LEFT)]
    assert list(map(len, found.spans())) == [0, 1, 0, 1]
    table = pa.Table.from_pylist(records)
    found = lookalike.passages(table, length=10, text="doc.body")
    assert list(map(len, found.spans())) == [0, 1, 0, 1]
    with pytest.raises(lookalike.DataError, match=r"doc\.body.*records"):
        found.apply(table)


def test_rows_without_a_text_stay_and_html_is_not_cut() -> None:
    page = f"<p>{NOTICE}</p><p>On lilies.</p>"
    rows = [{"text": PAGES[0]}, {"text": None}, {"html": page}, {"text": PAGES[1]}]
    found = lookalike.passages(rows, length=10)
    assert found.apply(rows) == [*rows[:3], {"text": "tulips."}]
    assert found.problems.to_pydict()["record"] == [2] and found.summary["uncut"] == 1
    assert list(map(len, found.spans())) == [0, 0, 0, 1] and len(found.table) == 3
    with pytest.raises(lookalike.DataError):
        lookalike.passages(rows, length=10, strict=True)


def test_tables_are_those_of_the_command(command: str, tmp_path: Path) -> None:
    documents = [{"id": f"d{row}", "text": text} for row, text in enumerate(made(9))]
    source, out = jsonl(tmp_path / "pages.jsonl", documents), tmp_path / "out"
    for chosen, keywords in ((["--length", "8"], {}), (["--length", "8", "--cut", "later"], {"cut": "later"}), (["--length", "8", "--whole", "line"], {"whole": "line"})):
        subprocess.run([command, "passages", source, "-o", out, *chosen, "--tables", "jsonl", "-q", "--force"], check=True)
        found = lookalike.passages(documents, length=8, name=str(source), **keywords)
        for name, table in (("passages", found.table), ("cuts", found.cuts), ("edits", found.edits)):
            rows = [json.loads(line) for line in (out / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
            assert table is not None and table.to_pylist() == rows, name
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        assert found.summary["digest"] == summary["digest"] and len(found.table) > 20
        kept = [json.loads(line) for line in (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
        assert found.apply(documents) == kept


def test_threads_change_nothing() -> None:
    texts = made(4)
    one, three = (lookalike.passages(texts, length=8, threads=threads) for threads in (1, 3))
    assert one.summary["digest"] == three.summary["digest"]
    steps: list[lookalike.Step] = []
    watched = lookalike.passages(texts, length=8, progress=steps.append, memory="64MB")
    assert watched.summary["digest"] == one.summary["digest"] and all(step.phase for step in steps)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"length": 0}, "length=.*16384"),
        ({"length": 20_000}, "length=.*16384"),
        ({"length": 0.5}, "length=0.5"),
        ({"length": -1}, "length=-1"),
        ({"copies": 1}, "copies=.*2 or more"),
        ({"copies": True}, "copies=True"),
        ({"cut": "some"}, "cut='some'.*'kept'.*'none'|cut='some'.*'none'.*'kept'"),
        ({"cut": None}, "cut=None"),
        ({"whole": "page"}, "whole='page'.*'paragraph'"),
        ({"cut": "none", "whole": "line"}, "whole='line'.*cut='none'"),
        ({"text": "a,b"}, "text='a,b'.*cut='none'"),
        ({"settings": lookalike.Settings(distinct_by="numbers")}, "distinct_by.*not for passages"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(lookalike.SettingsError, match=said):
        lookalike.passages([{"a": "one", "b": "two", "text": "three"}], **wrong)


def test_documents_that_cannot_be_read_or_cut_are_refused(tmp_path: Path) -> None:
    with pytest.raises(lookalike.SettingsError, match="read once"):
        lookalike.passages(iter(PAGES))
    with pytest.raises(lookalike.DataError, match="`body`"):
        lookalike.passages(pa.table({"text": PAGES}), text="body")
    for files in (tmp_path / "a.jsonl", [tmp_path / "a.jsonl"]):
        with pytest.raises(TypeError, match="`lookalike passages FILE --output DIR`"):
            lookalike.passages(files)  # type: ignore[arg-type]
    found = lookalike.passages(PAGES, length=10)
    with pytest.raises(TypeError, match="`lookalike passages FILE --output DIR`"):
        found.apply([tmp_path / "a.jsonl"])
    for other in (PAGES[:3], pa.array(PAGES[:3]), pl.Series(PAGES[:3]), pd.Series(PAGES[:3]), {"text": PAGES[:3]}):
        with pytest.raises(lookalike.DataError, match="3 documents"):
            found.apply(other)
    with pytest.raises(lookalike.DataError, match="row 1 has another text"):
        found.apply([PAGES[0], "On tulips.", *PAGES[2:]])
    for other in (iter(PAGES), "text", pl.LazyFrame({"text": PAGES}), [pa.record_batch({"text": PAGES})]):
        with pytest.raises(TypeError):
            found.apply(other)
    with pytest.raises(lookalike.SettingsError, match="cut='none'"):
        lookalike.passages(PAGES, length=10, cut="none").apply(PAGES)
    with pytest.raises(lookalike.SettingsError, match="several values"):
        lookalike.passages([{"a": "one", "b": "two"}], text="a,b", cut="none").spans()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    texts = [" ".join(f"w{number % 300}x{at}" for at in range(60)) for number in range(600)]
    expected = len(lookalike.passages(texts, length=8).table)
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(0 if len(lookalike.passages(texts, length=8).table) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_units_scopes_and_precedence() -> None:
    line = "the same line in all of them"
    pages = [
        {"id": "a", "lang": "de", "score": 1, "text": f"one\n{line}\ntwo\n{line}"},
        {"id": "b", "lang": "de", "score": 3, "text": f"{line}\nnine"},
        {"id": "c", "lang": "en", "score": 2, "text": f"four {line}"},
    ]
    kept = lambda **given: [page["text"] for page in lookalike.passages(pages, **given).apply(pages)]
    a, b, c = (page["text"] for page in pages)
    assert kept(unit="line", length=1) == [f"one\n{line}\ntwo\n", "nine", c]
    assert kept(unit="line", length=1, scope="across") == [a, "nine", c]
    assert kept(unit="line", length=1, scope="within") == [f"one\n{line}\ntwo\n", b, c]
    assert kept(unit="line", length=1, keep="max:score", joint="[…]") == ["one\n[…]two\n[…]", b, c]
    assert kept(length=7, keep="last") == ["one\ntwo\n", "nine", c]
    assert kept(length=7, separate_by="lang") == [f"one\n{line}\ntwo\n", "nine", c]
    assert kept(unit="byte", length=len(line)) == [f"one\n{line}\ntwo", "nine", "four "]
    assert kept(length=7, shortest=2) == [f"one\n{line}\ntwo\n"]
    with pytest.raises(lookalike.SettingsError, match="unit='verse'"):
        lookalike.passages(pages, unit="verse")  # type: ignore[arg-type]
    with pytest.raises(lookalike.SettingsError, match="`no`"):
        lookalike.passages(pages, length=7, separate_by="no")
    with pytest.raises(lookalike.SettingsError, match="rest="):
        lookalike.passages(pages, length=7, rest=8)


def test_columns_that_cannot_be_cut() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    lists = [[1, 2, 3, 4], [0, 1, 2, 3]]
    fixed = pyarrow.table({"ids": pyarrow.array(lists, pyarrow.list_(pyarrow.int32(), 4))})
    found = lookalike.passages(fixed, length=3, unit="tokens:ids")
    with pytest.raises(TypeError, match="fixed size"):
        found.apply(fixed)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"ids": lists}, schema={"ids": polars.Array(polars.Int32, 4)})
    with pytest.raises(TypeError, match="fixed size"):
        lookalike.passages(frame, length=3, unit="tokens:ids").apply(frame)
    assert found.apply(fixed.set_column(0, "ids", pyarrow.array(lists)))["ids"].to_pylist() == [[1, 2, 3, 4], [0]]
    # Whether pyarrow selects rows of such a column depends on its version.
    views = pyarrow.table({"text": pyarrow.array(["a b c", "x a b c"], pyarrow.string_view())})
    found = lookalike.passages(views, length=3)
    try:
        assert found.apply(views)["text"].to_pylist() == ["a b c", "x "]
    except TypeError as error:
        assert "large_string" in str(error)


def test_near_passages() -> None:
    notice = "all rights reserved no part of this page may be reproduced in any form without the permission of its owner"
    pages = [f"on roses {notice}", notice.replace("this page", "this book") + " on tulips", "on something else"]
    near = lookalike.passages(pages, length=15, gaps=1, agree=0.9).near
    assert near is not None
    rows = near.to_pylist()
    found = [(row["record"], row["first_record"], row["units"], row["first_units"], row["same"]) for row in rows]
    assert found == [(2, 1, 20, 20, 19)]
    assert pages[0].encode()[rows[0]["first_byte"] : rows[0]["first_end_byte"]].decode() == notice
    assert lookalike.passages(pages, length=15).near is None
    with pytest.raises(lookalike.SettingsError, match="agree="):
        lookalike.passages(pages, agree=0.5)
    with pytest.raises(lookalike.SettingsError, match="gaps='0': a gap has 1 unit or more"):
        lookalike.passages(pages, length=15, gaps=0)


@pytest.mark.parametrize("form", ["pyarrow", "large", "chunks", "polars", "pandas", "numpy", "records", "columns", "strings"])
def test_lists_of_tokens_lose_copies(form: str) -> None:
    words = [text.lower().split() for text in made(3, 60)]
    numbers = {word: at for at, word in enumerate(sorted({word for of in words for word in of}))}
    ids: list[Any] = [[numbers[word] for word in of] for of in words]
    if form == "strings":
        ids = [[str(one) if one % 3 else f"a\n\\{one}é" for one in of] for of in ids]
    rows = [{"id": f"d{at}", "ids": of, "text": "x"} for at, of in enumerate(ids)]
    table = pa.Table.from_pylist(rows)
    documents: Any = {
        "pyarrow": lambda: table,
        "large": lambda: table.set_column(1, "ids", table["ids"].cast(pa.large_list(pa.int64()))),
        "chunks": lambda: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
        "polars": lambda: pl.from_arrow(table),
        "pandas": lambda: pd.DataFrame(rows),
        "numpy": lambda: table.to_pandas(),
        "records": lambda: rows,
        "columns": lambda: {name: [row[name] for row in rows] for name in ("id", "ids", "text")},
        "strings": lambda: table,
    }[form]()
    found = lookalike.passages(documents, unit="tokens:ids", length=9)
    spelled = [" ".join(f"t{numbers[word]}" for word in of) for of in words]
    as_words = lookalike.passages(spelled, length=9)
    assert found.cuts is not None and as_words.cuts is not None
    columns = ("record", "unit", "units", "kept_record", "kept_unit")
    assert [found.cuts[name].to_pylist() for name in columns] == [as_words.cuts[name].to_pylist() for name in columns]
    gone: dict[int, set[int]] = {}
    for record, start, units in zip(*(found.cuts[name].to_pylist() for name in columns[:3])):
        gone.setdefault(record - 1, set()).update(range(start, start + units))
    stays = found.mask().to_pylist() if hasattr(found.mask(), "to_pylist") else list(found.mask())
    expected = [[one for at, one in enumerate(of) if at not in gone.get(row, ())] for row, of in enumerate(ids) if stays[row]]
    made_of: Any = found.apply(documents)
    assert type(made_of) is type(documents)
    if form in ("pyarrow", "large", "chunks", "strings"):
        assert made_of.schema == documents.schema
        left = made_of["ids"].to_pylist()
    elif form == "records":
        left = [row["ids"] for row in made_of]
    else:
        left = [list(of) for of in made_of["ids"]]
    assert left == expected and expected != [of for row, of in enumerate(ids) if stays[row]]
    spans = found.spans()
    assert sum(end - start for of in spans for start, end in of) >= sum(len(of) for of in gone.values())
    with pytest.raises(lookalike.SettingsError, match="tokens:FIELD"):
        lookalike.passages(documents, unit="verse")
    with pytest.raises(lookalike.SettingsError, match="tokens:"):
        lookalike.passages(documents, unit="tokens:")
    of_texts = lookalike.Settings(case="keep")
    with pytest.raises(lookalike.SettingsError, match="is about texts, and unit='tokens:FIELD' takes the place of texts"):
        lookalike.passages(documents, settings=of_texts, unit="tokens:ids")
