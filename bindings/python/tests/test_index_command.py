"""An index of the package and of the command are the same: directories, answers, exports."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import lookalike
from conftest import variants


def run(command: str, *arguments: object) -> str:
    ended = subprocess.run([command, *map(str, arguments)], check=True, capture_output=True, text=True)
    return ended.stdout


@pytest.fixture(scope="module")
def documents() -> list[dict[str, str]]:
    return [
        {"id": f"d{row}", "url": f"http://host{row % 3}.example/{row}", "date": f"2024-01-{row % 28 + 1:02}", "text": text}
        for row, text in enumerate(variants(300, seed=5))
    ]


@pytest.fixture(scope="module")
def both(command: str, documents: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same documents in an index of the package and in one of the command."""
    folder = tmp_path_factory.mktemp("indexes")
    (folder / "docs.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    own, other, lexicon = folder / "own", folder / "other", folder / "docs.lexicon"
    run(command, "lexicon", "build", folder / "docs.jsonl", "-o", lexicon, "-q")
    lsh = "minhash-lsh:bands=14,rows=8"
    options = {"threshold": 0.7, "keep": "longest", "ttl": "90d", "method": ["simhash", lsh], "lexicon": lexicon}
    lookalike.Index.create(own, **options).add(documents, threads=1)
    methods = ["--method", "simhash", "--method", lsh, "--lexicon", lexicon]
    run(command, "index", "create", other, "-t", "0.7", "--keep", "longest", "--ttl", "90d", "-q", *methods)
    run(command, "index", "add", other, folder / "docs.jsonl", "-q", "-j", "1")
    return own, other


def test_the_settings_are_the_same_bytes(both: tuple[Path, Path], command: str, tmp_path: Path) -> None:
    own, other = both
    assert (own / "settings.json").read_bytes() == (other / "settings.json").read_bytes()
    for number, (flags, keywords) in enumerate(
        [
            ([], {}),
            (["--measure", "cosine"], {"measure": "cosine"}),
            (["--shingle", "3", "--lean", "0.8", "--no-text"], {"shingle": 3, "lean": 0.8, "no_text": True}),
            (["--min-features", "4"], {"min_features": 4}),
            (["--passages", "50"], {"passages": 50}),
        ]
    ):
        run(command, "index", "create", tmp_path / f"other{number}", "-q", *flags)
        index = lookalike.Index.create(tmp_path / f"own{number}", **keywords)
        assert (tmp_path / f"own{number}/settings.json").read_bytes() == (tmp_path / f"other{number}/settings.json").read_bytes()
        index.merge(lookalike.Index.open(tmp_path / f"other{number}"))
    settings = lookalike.Index.open(other).settings
    assert (settings.threshold, settings.keep, settings.shingle) == ("0.7", ("longest",), 5)


QUESTIONS = [
    {"ask": "resembles"},
    {"ask": "resembles", "threshold": "0.3", "limit": 3},
    {"ask": "containing", "threshold": "0.5", "passages": True},
    {"ask": "contained-in", "threshold": "0.5", "kept": True},
    {"ask": "cosine", "threshold": "0.6", "site": "host1.example"},
    {"ask": "resembles", "threshold": "0.2", "since": "2024-01-10", "before": "2024-01-20"},
    {"ask": "simhash"},
    {"ask": "minhash-lsh"},
    {"ask": "cluster"},
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_answers_are_those_of_the_command(
    question: dict[str, object], both: tuple[Path, Path], command: str, documents: list[dict[str, str]]
) -> None:
    index = lookalike.Index.open(both[0])
    flags: list[str] = []
    for name, value in question.items():
        flags += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    batch = index.query_batch(documents[:60:4], **{name: v for name, v in question.items() if name != "passages"})
    rows = batch.to_pylist()
    some = False
    for number, document in enumerate(documents[:60:4]):
        asked = index.query(document["text"], **question)
        for directory in both:
            printed = run(command, "query", directory, document["text"], *flags, "--format", "json")
            assert json.loads(printed) == asked.data
        some |= len(asked) > 0
        own = [row for row in rows if row["query"] == number]
        assert [row["query_id"] for row in own] == [document["id"]] * len(asked)
        for row, match in zip(own, asked, strict=True):
            assert row["query_size"] == asked.size
            assert {**match._asdict(), "passages": None} == {**{name: row.get(name) for name in match._fields}, "passages": None}
        by_id = json.loads(run(command, "query", both[1], "--id", document["id"], *flags, "--format", "json"))
        assert index.query(id=document["id"], **question).data == by_id
        by_url = json.loads(run(command, "query", both[1], "--url", document["url"], *flags, "--format", "json"))
        assert index.query(url=document["url"], **question).data == by_url
    assert some


@pytest.mark.parametrize("tables", ["parquet", "tsv", "jsonl"])
@pytest.mark.parametrize("pairs", [False, True])
def test_exports_are_the_same_bytes(both: tuple[Path, Path], command: str, tmp_path: Path, tables: str, pairs: bool) -> None:
    index = lookalike.Index.open(both[0])
    summary = index.export(tmp_path / "own", tables=tables, pairs=pairs)
    run(command, "index", "export", both[1], "-o", tmp_path / "other", "--tables", tables, "-q", *(["--list"] if pairs else []))
    result = index.cluster() if pairs else index.dedup()
    result.write(tmp_path / "memory", tables=tables)
    names = {path.name for path in (tmp_path / "other").iterdir()} - {"summary.json"}
    assert len(names) == 3
    for name in names:
        expected = (tmp_path / "other" / name).read_bytes()
        assert (tmp_path / "own" / name).read_bytes() == expected
        assert (tmp_path / "memory" / name).read_bytes() == expected
    digest = json.loads((tmp_path / "other/summary.json").read_text())["digest"]
    assert summary["digest"] == result.summary["digest"] == digest
    assert len(result) == len(index) and "kept" in repr(result)


def test_documents_are_the_same_bytes(both: tuple[Path, Path], command: str, tmp_path: Path, documents) -> None:
    index = lookalike.Index.open(both[0])
    assert index.export_documents(tmp_path / "own.jsonl") == len(documents)
    assert run(command, "index", "export", both[1], "--documents") == (tmp_path / "own.jsonl").read_text()
    with pytest.raises(lookalike.SettingsError, match="force="):
        index.export_documents(tmp_path / "own.jsonl")
    index.export_documents(tmp_path / "own.jsonl", force=True)
    assert index.documents()["text"].to_pylist() == [document["text"] for document in documents]
    kept = index.export_documents(tmp_path / "kept.jsonl", add_counts=True)
    counted = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert kept == len(counted) and kept + sum(row["duplicates"] for row in counted) == len(documents)
    assert run(command, "index", "export", both[1], "--documents", "--add-counts") == (tmp_path / "kept.jsonl").read_text()


def test_each_writes_and_reads_the_index_of_the_other(command: str, tmp_path: Path, documents) -> None:
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    index = lookalike.Index.create(tmp_path / "i")
    added = index.add_files(tmp_path / "docs.jsonl")
    assert (added.documents, added.read, added.problems) == (300, 300, 0)
    run(command, "index", "delete", tmp_path / "i", "--id", "d0", "-q")
    assert len(index) == 299 and "d0" not in index
    index.add(documents[:1])
    stats = json.loads(run(command, "index", "stats", tmp_path / "i", "--format", "json"))
    assert stats == index.stats().data and stats["documents"] == 300
    assert json.loads(run(command, "index", "check", tmp_path / "i", "--deep", "--format", "json"))["ok"]
    # The same order as the command's: the id was deleted in between, so it is the last.
    assert index.documents()["id"].to_pylist()[-1] == "d0"


def test_a_run_against_an_index(both: tuple[Path, Path], command: str, tmp_path: Path, documents) -> None:
    new = [{"id": f"n{row}", "text": text} for row, text in enumerate(variants(200, seed=6))]
    new += [{"id": f"c{row}", "text": document["text"] + " and more"} for row, document in enumerate(documents[::9])]
    index = lookalike.Index.open(both[0])
    for only in [False, True]:
        result = lookalike.dedup(new, against=index, against_only=only, threshold=0.6)
        everything = lookalike.dedup(new, against=index.documents(), against_only=only, threshold=0.6)
        columns = [name for name in result.ledger.column_names if name not in ("kept_file", "kept_record")]
        for name in columns:
            assert result.ledger[name].to_pylist() == everything.ledger[name].to_pylist(), name
        assert result.kept().to_pylist() == everything.kept().to_pylist()
        assert set(result.ledger["kept_id"].to_pylist()) & {document["id"] for document in documents}
        (tmp_path / "new.jsonl").write_text("".join(json.dumps(document) + "\n" for document in new))
        arguments = ["--against", both[0], "-t", "0.6", "-q", "--tables", "jsonl", "--force", *(["--against-only"] if only else [])]
        run(command, "dedup", tmp_path / "new.jsonl", "-o", tmp_path / "out", *arguments)
        ledger = [json.loads(line) for line in (tmp_path / "out/ledger.jsonl").read_text().splitlines()]
        lookalike.Run(tmp_path / "new.jsonl", tmp_path / "run", against=index, against_only=only, threshold=0.6, force=True).dedup()
        assert lookalike.open_run(tmp_path / "run").ledger.to_pylist() == ledger
        assert [(row["removed_id"], row["kept_id"], row["rule"], row["shared"]) for row in ledger] == [
            (row["removed_id"], row["kept_id"], row["rule"], row["shared"]) for row in result.ledger.to_pylist()
        ]
    with pytest.raises(lookalike.SettingsError, match="a call against an index reads the documents several times"):
        lookalike.dedup(iter(new), against=index)
    with pytest.raises(lookalike.SettingsError, match="shingle="):
        lookalike.dedup(new, against=index, shingle=4)
    with pytest.raises(lookalike.SettingsError, match="linkage='leaders'"):
        lookalike.dedup(new, against=index, linkage="components")
    assert lookalike.dedup([*new, {"text": None}], against=index, threshold=0.6).problems.to_pylist()
