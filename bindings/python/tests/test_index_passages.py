"""Passages in an index: the same answers as those of the command and of a comparison of words."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path

import pytest

import lookalike
from conftest import variants

LENGTH = 9


@pytest.fixture(scope="module")
def documents() -> list[dict[str, str]]:
    texts = variants(120, seed=8)
    return [
        {"id": f"d{row}", "url": f"http://host{row % 3}.example/{row}", "date": f"2024-01-{row % 28 + 1:02}", "text": text}
        for row, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def index(documents: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> lookalike.Index:
    index = lookalike.Index.create(tmp_path_factory.mktemp("passages") / "index", passages=LENGTH)
    index.add(documents)
    index.delete(["d3", "d30"])
    return index


def words(text: str) -> list[str]:
    return "".join(letter.lower() if letter.isalnum() else " " for letter in text).split()


def test_documents_are_those_with_equal_windows(index: lookalike.Index, documents: list[dict[str, str]]) -> None:
    def windows(text: str) -> set[tuple[str, ...]]:
        of = words(text)
        return {tuple(of[at : at + LENGTH]) for at in range(len(of) - LENGTH + 1)}

    live = {row["id"]: windows(row["text"]) for row in documents if row["id"] not in ("d3", "d30")}
    some = False
    for row in documents[::9]:
        asked = windows(row["text"])
        found = index.query_passages(row["text"])
        assert sorted(found.ids()) == sorted(name for name, of in live.items() if of & asked)
        assert (found.total, found.length, found.words) == (len(found), LENGTH, len(words(row["text"])))
        own = words(row["text"])
        for match in found:
            some |= match.id != row["id"]
            other = words(index.get(match.id)["text"])
            for passage in match.passages:
                query_range = own[passage.query_word : passage.query_word + passage.words]
                assert query_range == other[passage.document_word : passage.document_word + passage.words]
                start, end = passage.query_bytes
                assert words(row["text"].encode()[start:end].decode()) == query_range
                start, end = passage.document_bytes
                assert words(index.get(match.id)["text"].encode()[start:end].decode()) == query_range
    assert some


@pytest.mark.parametrize(
    "question",
    [{}, {"limit": 2}, {"site": "host1.example"}, {"kept": True}, {"since": "2024-01-10", "before": "2024-01-20"}],
    ids=str,
)
def test_answers_are_those_of_the_command(
    question: dict[str, object], index: lookalike.Index, documents: list[dict[str, str]], command: str
) -> None:
    flags: list[str] = []
    for name, value in question.items():
        flags += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    row = documents[40]
    for about, named in ((row["text"], {}), ("--id", {"id": row["id"]}), ("--url", {"url": row["url"]})):
        what = [about, *named.values()] if named else [about]
        printed = subprocess.run(
            [command, "query", index.path, *what, "--ask", "passages", "--format", "json", *flags],
            check=True, capture_output=True, text=True,
        )
        own = index.query_passages(*([] if named else [about]), **named, **question)
        assert own.data == json.loads(printed.stdout)


def test_answers_are_sequences(index: lookalike.Index, documents: list[dict[str, str]]) -> None:
    found = index.query_passages(documents[0]["text"])
    assert found[0].id == "d0" and found[0].share == 1.0 and list(found[:1]) == [found[0]]
    assert found == index.query_passages(documents[0]["text"]) and found.cost["verified"] >= len(found)
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found).startswith(f"d0: {found.words} of {found.words} words, in ")
    assert repr(index.query_passages(documents[0]["text"], limit=1)).endswith(f"1 of {found.total} documents")
    assert repr(index.query_passages("no such words")) == "no document"


def test_a_batch_is_each_question(index: lookalike.Index, documents: list[dict[str, str]]) -> None:
    some = documents[:40:3]
    expected = [
        (at, row["id"], match.id, match.url, match.kept, *passage[:2], *passage.query_bytes, passage.document_word, *passage.document_bytes)
        for at, row in enumerate(some)
        for match in index.query_passages(row["text"], limit=3)
        for passage in match.passages
    ]
    for threads in (1, 3):
        rows = index.query_passages_batch(some, limit=3, threads=threads).to_pylist()
        assert [tuple(value for name, value in row.items() if name not in ("date", "sweep")) for row in rows] == expected
    assert len(expected) > len(some)


def test_what_cannot_be_asked(index: lookalike.Index, tmp_path: Path) -> None:
    plain = lookalike.Index.create(tmp_path / "plain")
    with pytest.raises(lookalike.SettingsError, match="passages"):
        plain.query_passages("some text")
    with pytest.raises(ValueError, match="query_passages"):
        index.query("some text", ask="passages")
    with pytest.raises(TypeError, match=r"query_passages\(\) takes a text"):
        index.query_passages()
    with pytest.raises(lookalike.DataError):
        index.query_passages(id="d3")
    for wrong in (0, -1, 1 << 14 | 1, "many", True):
        with pytest.raises(lookalike.SettingsError, match="passages="):
            lookalike.Index.create(tmp_path / "wrong", passages=wrong)
    with pytest.raises(lookalike.SettingsError, match="no_text"):
        lookalike.Index.create(tmp_path / "wrong", passages=50, no_text=True)
