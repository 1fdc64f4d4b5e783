"""Runs over files, and the same bytes as the command's."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike
from conftest import jsonl, sample_records, variants

DATA = os.environ.get("LOOKALIKE_DATA")


def write_jsonl(path: Path, number: int = 400) -> list[dict[str, Any]]:
    texts = variants(number, seed=9)
    records = [
        {"id": f"d{7 * row % 401}", "text": text, "score": row % 5, "date": f"20{row % 17:02}-0{row % 9 + 1}-01"}
        for row, text in enumerate(texts)
    ]
    records[3]["text"] = None
    jsonl(path, records)
    return records


def files(folder: Path) -> dict[str, bytes]:
    """All files of a directory but those that name times and paths of the run."""
    left_out = {"summary.json", "report.html", "config.toml"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in left_out
    }


def lookalike_command(command: str, *arguments: object) -> None:
    subprocess.run([command, *map(str, arguments), "--quiet"], check=True, capture_output=True)


SETTINGS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--threshold", "0.5", "--keep", "longest"], {"threshold": 0.5, "keep": "longest"}),
    (["--measure", "cosine", "--min-features", "3"], {"measure": "cosine", "min_features": 3}),
    (["--measure", "containment", "--shingle", "3"], {"measure": "containment", "shingle": 3}),
    (["--linkage", "components", "--threshold", "0.6"], {"linkage": "components", "threshold": 0.6}),
    (
        ["--witness", "best", "--linkage", "leaders", "--ignore-common", "40"],
        {"witness": "best", "linkage": "leaders", "ignore_common": 40},
    ),
    (["--method", "minhash-lsh:t=0.7", "--verify", "sketch"], {"method": "minhash-lsh:t=0.7", "verify": "sketch"}),
    (["--method", "imatch", "--verify", "none"], {"method": "imatch", "verify": "none"}),
    (["--keep", "newest", "--keep", "max:score"], {"keep": ["newest", "max:score"]}),
    (["--keep", "oldest", "--keep", "min:score", "--keep", "shortest"], {"keep": ["oldest", "min:score", "shortest"]}),
    (["--measure", "containment", "--witness", "best", "--linkage", "leaders", "-t", "0.6"],
     {"measure": "containment", "witness": "best", "linkage": "leaders", "threshold": 0.6}),
    (["--measure", "cosine", "--terms", "kolcz", "--min-features", "1", "-t", "0.7"],
     {"measure": "cosine", "terms": "kolcz", "min_features": 1, "threshold": 0.7}),
    (["--shingle", "12", "--shingle-unit", "char", "--normalize", "nfkc"],
     {"shingle": 12, "shingle_unit": "char", "normalize": "nfkc"}),
    (["--normalize", "confusables"], {"normalize": "confusables"}),
    (["--tokens", "symbols", "--case", "keep"], {"tokens": "symbols", "case": "keep"}),
    (["--ignore-common", "5", "--short-documents", "ignore"], {"ignore_common": 5, "short_documents": "ignore"}),
    (["--method", "simhash:d=5", "--verify", "exact", "-t", "0.5"],
     {"method": "simhash:d=5", "verify": "exact", "threshold": 0.5}),
    (["--method", "syntactic", "--verify", "sketch", "--key-limit", "30"],
     {"method": "syntactic", "verify": "sketch", "key_limit": 30}),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "settings"), SETTINGS, ids=lambda value: " ".join(value) if value else None)
@pytest.mark.parametrize("action", ["dedup", "cluster"])
def test_runs_and_tables_are_those_of_the_command(
    command: str, tmp_path: Path, flags: list[str], settings: dict[str, Any], action: str
) -> None:
    documents = tmp_path / "docs.jsonl"
    records = write_jsonl(documents)
    lookalike_command(command, action, documents, "--output", tmp_path / "command", "--tables", "tsv", *flags)
    expected = files(tmp_path / "command")
    assert any("ledger" in name or "documents" in name for name in expected)

    run = lookalike.Run(documents, tmp_path / "run", tables="tsv", **settings)
    summary = run.dedup() if action == "dedup" else run.cluster()
    assert files(tmp_path / "run") == expected
    stated = json.loads((tmp_path / "command/summary.json").read_text())
    assert summary["digest"] == stated["digest"]
    # The command says its default, and which document frequencies it counted.
    of_command = lookalike.open_run(tmp_path / "command").settings
    settings_of_run = lookalike.open_run(tmp_path / "run").settings.replace(lexicon_checksum=None)
    assert of_command.replace(max_record=None, lexicon_checksum=None) == settings_of_run

    # The same documents in memory, under the name that the command gives their file.
    call = lookalike.dedup if action == "dedup" else lookalike.cluster
    name = stated["inputs"][0]["name"]
    result = call(records, name=name, **settings)
    result.write(tmp_path / "memory", tables="tsv")
    tables = files(tmp_path / "memory")
    assert {"clusters.tsv", "pairs.tsv"} <= set(tables)
    for table in set(tables) - {"problems.tsv"}:
        assert tables[table] == expected[table], table
    assert result.summary["digest"] == stated["digest"]


@pytest.mark.parametrize("only", [False, True])
def test_tables_against_a_collection_are_those_of_the_command(command: str, tmp_path: Path, only: bool) -> None:
    records = write_jsonl(tmp_path / "docs.jsonl")
    protected = jsonl(tmp_path / "protected.jsonl", [{"id": f"p{row}", "text": text} for row, text in enumerate(variants(200, seed=9))])
    flags = ["--against", protected, *(["--against-only"] if only else []), "-t", "0.6"]
    lookalike_command(command, "dedup", tmp_path / "docs.jsonl", "--output", tmp_path / "command", "--tables", "tsv", *flags)
    stated = json.loads((tmp_path / "command/summary.json").read_text())
    against = [json.loads(line) for line in protected.read_text().splitlines()]
    result = lookalike.dedup(
        records, name=stated["inputs"][0]["name"], against=against, against_only=only, threshold=0.6
    )
    result.write(tmp_path / "memory", tables="tsv")
    # Which name the collection has is the one thing that differs.
    for table in ("ledger.tsv", "pairs.tsv", "clusters.tsv"):
        ours = (tmp_path / "memory" / table).read_text().replace("\tagainst\t", f"\t{protected}\t")
        ours = ours.replace('"against":', f'"{protected}":')
        assert ours == (tmp_path / "command" / table).read_text(), table
    assert len(result.ledger) > 50 and result.summary["kept"] == stated["kept"]


@pytest.mark.parametrize("settings", [{}, {"threshold": 0.5, "keep": "longest"}, {"measure": "containment"}, {"method": "imatch"}])
@pytest.mark.parametrize("action", ["dedup", "cluster"])
def test_tables_of_the_samples_are_those_of_the_command(
    command: str, tmp_path: Path, settings: dict[str, Any], action: str
) -> None:
    records = sample_records()
    documents = jsonl(tmp_path / "docs.jsonl", records)
    equal_tables(command, tmp_path, documents, records, settings, action)


def equal_tables(
    command: str, folder: Path, documents: Path, data: Any, settings: dict[str, Any], action: str
) -> lookalike.Result:
    """Compares the tables and the digest of a run of the command with those of a call in memory."""
    flags = [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    lookalike_command(command, action, documents, "--output", folder / "command", "--tables", "tsv", "--no-report", *flags)
    stated = json.loads((folder / "command/summary.json").read_text())
    call = lookalike.dedup if action == "dedup" else lookalike.cluster
    result = call(data, name=stated["inputs"][0]["name"], **settings)
    result.write(folder / "memory", tables="tsv")
    expected = files(folder / "command")
    for name, table in files(folder / "memory").items():
        assert name == "problems.tsv" or table == expected[name], name
    assert result.summary["digest"] == stated["digest"] and result.summary["kept"] == stated["kept"]
    assert len(result.pairs) > 0
    return result


@pytest.mark.skipif(not DATA, reason="LOOKALIKE_DATA does not name the collections")
@pytest.mark.parametrize("collection", ["planted_news_a", "lic_multi", "mail_lingspam"])
@pytest.mark.parametrize(
    ("action", "settings"),
    [
        ("dedup", {"threshold": "0.6"}),
        ("dedup", {"keep": "longest", "witness": "best"}),
        ("dedup", {"measure": "containment", "threshold": "0.9"}),
        ("dedup", {"ignore_common": 30}),
        ("dedup", {"method": "imatch-random:copies=3", "verify": "none"}),
        ("cluster", {"measure": "cosine", "threshold": "0.9", "terms": "kolcz"}),
        ("cluster", {"method": "minhash-lsh:t=0.8", "verify": "sketch"}),
    ],
    ids=str,
)
def test_tables_of_collections_are_those_of_the_command(
    command: str, tmp_path: Path, collection: str, action: str, settings: dict[str, Any]
) -> None:
    documents = next(Path(str(DATA)).glob(f"{collection}/docs.jsonl*"))
    pyarrow, reader = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.json")
    with pyarrow.input_stream(str(documents), compression="detect") as file:
        table = reader.read_json(file, read_options=reader.ReadOptions(block_size=1 << 27))
    result = equal_tables(command, tmp_path, documents, table, settings, action)
    if action == "dedup":
        assert table.filter(result.mask()).num_rows == len(result.kept()) == table.num_rows - len(result.removed())


@pytest.mark.parametrize("tables", ["parquet", "tsv", "jsonl"])
def test_finished_runs_are_opened(tmp_path: Path, tables: str) -> None:
    documents = tmp_path / "docs.jsonl"
    records = write_jsonl(documents)
    lookalike.Run(documents, tmp_path / "all", tables=tables, threshold=0.5, report=False).cluster()
    run = lookalike.open_run(tmp_path / "all")
    expected = lookalike.cluster(records, name=run.summary["inputs"][0]["name"], threshold=0.5)
    assert run.pairs.to_pydict() == expected.pairs.to_pydict()
    assert run.clusters.to_pydict() == expected.clusters.to_pydict()
    assert [row["record"] for row in run.problems.to_pylist()] == [4]
    assert len(run.documents) > 0 and run.settings == lookalike.Settings(threshold=0.5, linkage="components")

    closer = run.recluster(tmp_path / "closer", threshold=0.9, tables=tables, report=False)
    again = lookalike.cluster(records, name=run.summary["inputs"][0]["name"], threshold=0.9)
    assert closer["digest"] == again.summary["digest"]
    assert lookalike.open_run(tmp_path / "closer").pairs.to_pydict() == again.pairs.to_pydict()
    row = run.pairs.to_pylist()[0]
    found = run.explain(f"{row['a_file']}:{row['a_record']}", f"{row['b_file']}:{row['b_record']}")
    assert (found.shared, found.size_a, found.size_b) == (row["shared"], row["size_a"], row["size_b"])
    with pytest.raises(TypeError, match="not 'shingle'"):
        run.recluster(tmp_path / "other", shingle=3)
    with pytest.raises(lookalike.SettingsError):
        run.recluster(tmp_path / "other", threshold=0.1)


def test_explaining_a_match_with_a_protected_document(tmp_path: Path) -> None:
    # The summary states the sizes of the inputs only, and `explain` said that the files of `against` were not there.
    record = {"id": "a", "text": "one two three four five six seven"}
    (tmp_path / "train.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "test.jsonl").write_text(json.dumps({**record, "id": "b"}) + "\n")
    run = lookalike.Run(tmp_path / "train.jsonl", tmp_path / "out", against=tmp_path / "test.jsonl")
    assert run.dedup()["kept"] == 0
    opened = lookalike.open_run(tmp_path / "out")
    assert "changed" not in repr(opened.explain("a", "b"))
    with (tmp_path / "train.jsonl").open("a") as file:
        file.write(json.dumps({**record, "id": "c"}) + "\n")
    assert "The inputs have changed" in repr(opened.explain("a", "b"))


def test_a_plan_predicts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", 2000)
    run = lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out")
    plan = run.plan()
    assert plan.data["documents"] and "documents" in repr(plan) and "<table>" in plan._repr_html_()
    assert not (tmp_path / "out").exists()
    assert run.plan(cluster=True, sample="64KiB", seed=2).data["sample"]


def test_a_plan_names_the_rule_that_labels_say(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    records = [
        {"id": f"{page}.{version}", "title": f"{'to' * page} go", "text": f"page{page // 2} {words.replace('word', f'w{page // 2}x')} {version}", "page": page}
        for page in range(2, 22)
        for version in range(3)
    ]
    docs = tmp_path / "docs.jsonl"
    docs.write_text("".join(json.dumps(record) + "\n" for record in records))
    labels = tmp_path / "labels.tsv"
    labels.write_text("id\tcluster\n" + "".join(f"{record['id']}\t{record['page']}\n" for record in records))
    by_file = lookalike.Run(docs, tmp_path / "out").plan(labels=labels)
    by_field = lookalike.Run(docs, tmp_path / "out", label_field="page").plan()
    for plan in (by_file, by_field):
        found = plan.data["differences"]
        assert found["judged"]["wrong"] == 20
        assert [rule["distinct_by"] for rule in found["rules"]] == [["title"]]
        assert any("--distinct-by title" in note for note in plan.data["notes"])
    with pytest.raises(lookalike.SettingsError, match="label_field"):
        lookalike.evaluate([{"text": "a b c"}], label_field="page")
    run = lookalike.Run(docs, tmp_path / "out", label_field="page")
    for call in (run.cluster, lambda: run.plan(cluster=True), lambda: lookalike.cluster(records, label_field="page")):
        with pytest.raises(lookalike.SettingsError, match="label_field= is for runs of dedup and plan on one machine, and not for cluster"):
            call()


def test_errors_of_runs(tmp_path: Path) -> None:
    with pytest.raises(lookalike.InputError) as raised:
        lookalike.Run(tmp_path / "nosuch.jsonl", tmp_path / "out").dedup()
    assert raised.value.code == "input" and "nosuch.jsonl" in str(raised.value)
    with pytest.raises(lookalike.InputError) as raised:
        lookalike.open_run(tmp_path)
    assert raised.value.code == "run"
    write_jsonl(tmp_path / "docs.jsonl")
    run = lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out", report=False)
    run.dedup()
    with pytest.raises(lookalike.InputError, match="force="):
        run.dedup()
    lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out", report=False, force=True).dedup()
    with pytest.raises(lookalike.DataError, match="strict="):
        lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "x", strict=True).dedup()
    with pytest.raises(lookalike.InputError, match="holds no documents.parquet"):
        lookalike.open_run(tmp_path / "out").documents


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", 20_000)

    class Stop(Exception):
        pass

    def stop(step: lookalike.Step) -> None:
        raise Stop

    options = {"scratch": tmp_path / "scratch", "report": False}
    with pytest.raises(Stop):
        lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out", **options).dedup(progress=stop)
    assert not (tmp_path / "out").exists() and list((tmp_path / "scratch").iterdir())
    with pytest.raises(lookalike.LookalikeError, match="resume="):
        lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out", **options).dedup()
    summary = lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "out", resume=True, **options).dedup()
    lookalike.Run(tmp_path / "docs.jsonl", tmp_path / "other", report=False).dedup()
    assert files(tmp_path / "out") == files(tmp_path / "other") and summary["documents"] == 19_999


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_kept_rows_have_counts(tmp_path: Path, form: str) -> None:
    texts = ["a rose is a rose is a rose by any other name", "there is no rose like this one anywhere on earth"]
    for name, rows in (("one", [texts[0], texts[1]]), ("two", [texts[0], texts[0] + "!"])):
        table = pa.table({"text": rows})
        if form == "parquet":
            pq.write_table(table, tmp_path / f"{name}.parquet")
        else:
            with pa.ipc.new_file(tmp_path / f"{name}.arrow", table.schema) as out:
                out.write_table(table)
    names = [str(tmp_path / f"{name}.{form}") for name in ("one", "two")]
    lookalike.Run(names, tmp_path / "run", add_counts=True, report=False).dedup()
    kept = tmp_path / f"run/kept/one.{form}"
    read = pq.read_table(kept) if form == "parquet" else pa.ipc.open_file(kept).read_all()
    assert read.column("duplicates").to_pylist() == [2, 0]
    assert [json.loads(text) for text in read.column("duplicates_by_source").to_pylist()] == [{names[1]: 2}, {}]
    assert read.column_names[0] == "text"
