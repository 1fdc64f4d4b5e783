"""Methods measured on documents in memory: the figures of the command, and of counting by hand."""

from __future__ import annotations

import json
import pickle
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import lookalike
from conftest import jsonl, sample_records, shingles, variants

TEXTS = variants(300, seed=31)
RECORDS = [{"id": f"d{row}", "text": text} for row, text in enumerate(TEXTS)]
METHODS = ["exact", "lexical", "minhash-lsh:t=0.7@none", "minhash-lsh:bands=4,rows=2|4@exact", "imatch", "simhash:d=3"]


def near(threshold: float) -> set[tuple[int, int]]:
    sets = [shingles(text) for text in TEXTS]
    return {
        (a, b)
        for a, b in combinations(range(len(TEXTS)), 2)
        if len(sets[a] & sets[b]) >= threshold * len(sets[a] | sets[b]) - 1e-12
    }


def test_recall_and_precision_are_those_of_comparing_all_pairs() -> None:
    method = "minhash-lsh:bands=8,rows=3"
    true, found = near(0.8), set()
    for row in lookalike.cluster(TEXTS, method=method, verify="none").pairs.to_pylist():
        found.add(tuple(sorted((row["a_record"] - 1, row["b_record"] - 1))))
    evaluation = lookalike.evaluate(TEXTS, ["exact", f"{method}@none"])
    exact, measured = evaluation.methods.to_pylist()
    assert (exact["recall"], exact["precision"], exact["pairs"]) == (1.0, 1.0, len(true))
    assert evaluation.summary["truth"]["pairs"] == len(true) > 50
    # The pairs that a clusterer lists, but for documents that cannot be signed and their copies.
    short = {row for row, text in enumerate(TEXTS) if len(text.split()) < 5}
    found = {(a, b) for a, b in found if not {a, b} & short}
    assert measured["pairs"] == len(found) and measured["true_pairs"] == len(found & true)
    assert measured["recall"] == len(found & true) / len(true)


SETTINGS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--threshold", "0.6", "--sample", "40", "--seed", "5"], {"threshold": 0.6, "sample": 40, "seed": 5}),
    (["--measure", "cosine", "-t", "0.9", "--terms", "kolcz"], {"measure": "cosine", "threshold": 0.9, "terms": "kolcz"}),
    (["--list-from", "0.7", "--ignore-common", "20"], {"list_from": 0.7, "ignore_common": 20}),
    (["--measure", "containment", "--shingle", "3"], {"measure": "containment", "shingle": 3}),
]


def command_evaluates(command: str, folder: Path, documents: Path, *flags: object) -> tuple[dict[str, Any], str]:
    arguments = [command, "evaluate", documents, "--output", folder, "--tables", "jsonl", "--no-report", "--force", *flags]
    ended = subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True, encoding="utf-8")
    return json.loads((folder / "evaluation.json").read_text()), ended.stdout


def check(evaluation: lookalike.Evaluation, folder: Path, stated: dict[str, Any], printed: str) -> None:
    """Whether an evaluation in memory is that of the command: its tables, its JSON but for times, and what is printed."""
    for name in ("methods", "deciles"):
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        table = getattr(evaluation, name).to_pylist()
        assert [{key: value for key, value in row.items() if value is not None} for row in table] == [
            {key: value for key, value in row.items() if value is not None} for row in rows
        ]
        assert len(rows) > 0
    own = json.loads(json.dumps(evaluation.summary))
    own.pop("run"), stated.pop("run", None)
    # The command says its own default, and what it did not write.
    for summary in (own, stated):
        summary["settings"].pop("no_report", None)
        summary["settings"]["job"]["settings"].pop("max_record", None) if "job" in summary["settings"] else None
    assert own["methods"] == stated["methods"] and own["truth"] == stated["truth"]
    assert (own["documents"], own["problems"]) == (stated["documents"], stated["problems"])

    def words(text: str) -> list[list[str]]:
        lines = [line.split() for line in text.strip().splitlines() if line.strip()]
        # Without the seconds.
        return [lines[0], *([*line[:8], *line[10:]] for line in lines[1:] if "warning" not in line)]

    headline = next(at for at, line in enumerate(printed.splitlines()) if "true pairs" in line)
    assert words(repr(evaluation)) == words("\n".join(printed.splitlines()[headline:]))


@pytest.mark.parametrize(("flags", "settings"), SETTINGS, ids=lambda value: " ".join(value) if value else None)
def test_figures_are_those_of_the_command(
    command: str, tmp_path: Path, flags: list[str], settings: dict[str, Any]
) -> None:
    documents = jsonl(tmp_path / "docs.jsonl", RECORDS)
    stated, printed = command_evaluates(command, tmp_path / "out", documents, "--methods", *METHODS, *flags)
    evaluation = lookalike.evaluate(RECORDS, METHODS, threads=3, **settings)
    check(evaluation, tmp_path / "out", stated, printed)
    assert lookalike.evaluate(RECORDS, METHODS, threads=1, **settings).methods.to_pydict() == evaluation.methods.to_pydict()


def test_default_methods_on_samples_are_those_of_the_command(command: str, tmp_path: Path) -> None:
    records = sample_records()
    documents = jsonl(tmp_path / "docs.jsonl", records)
    stated, printed = command_evaluates(command, tmp_path / "out", documents)
    check(lookalike.evaluate(records), tmp_path / "out", stated, printed)


def labels() -> list[tuple[int, int]]:
    return sorted(near(0.5))[::3]


def test_pairs_of_every_form_are_the_labels_of_the_command(command: str, tmp_path: Path) -> None:
    pairs = labels()
    documents, file = jsonl(tmp_path / "docs.jsonl", RECORDS), tmp_path / "pairs.tsv"
    file.write_text("a_id\tb_id\n" + "".join(f"d{a}\td{b}\n" for a, b in pairs))
    methods = ["exact", "minhash-lsh@none"]
    stated, printed = command_evaluates(command, tmp_path / "out", documents, "--methods", *methods, "--labels", file)
    assert stated["truth"]["pairs"] == len(pairs) > 20
    by_id = [(f"d{a}", f"d{b}") for a, b in pairs]
    columns = {"a_id": [a for a, _ in by_id], "b_id": [b for _, b in by_id], "other": [object() for _ in by_id]}
    forms: list[Any] = [file, str(file), by_id, pairs, columns, iter(by_id), [list(pair) for pair in pairs]]
    places = {"a_id": ["?"] * len(pairs), "b_id": ["?"] * len(pairs)}
    for side, rows in (("a", [a for a, _ in pairs]), ("b", [b for _, b in pairs])):
        places |= {f"{side}_file": ["table"] * len(pairs), f"{side}_record": [row + 1 for row in rows]}
    forms.append(places)
    for library in ("pyarrow", "polars", "pandas"):
        module = pytest.importorskip(library)
        table = {name: columns[name] for name in ("a_id", "b_id")}
        forms.append(module.table(table) if library == "pyarrow" else module.DataFrame(table))
    numpy = pytest.importorskip("numpy")
    forms.append(numpy.array(pairs))
    for truth in forms:
        evaluation = lookalike.evaluate(RECORDS, methods, truth=truth)
        name = evaluation.summary["truth"].pop("labels")
        assert name == (str(file) if truth in (file, str(file)) else "truth") if isinstance(truth, (str, Path)) else "truth"
        assert evaluation.summary["truth"] == {key: value for key, value in stated["truth"].items() if key != "labels"}
        assert evaluation.summary["methods"] == stated["methods"]
    assert "labelled in truth" in repr(lookalike.evaluate(RECORDS, "exact", truth=pairs))


def test_clusters_of_every_form_are_true() -> None:
    clusters = lookalike.cluster(RECORDS, threshold=0.6)
    rows = clusters.clusters.to_pylist()
    by_row: list[int | None] = [None] * len(RECORDS)
    for row in rows:
        by_row[row["record"] - 1] = row["cluster"]
    names = [None if label is None else f"c{label}" for label in by_row]
    by_id = {"id": [row["id"] for row in rows], "cluster": [row["cluster"] for row in rows]}
    expected = lookalike.evaluate(RECORDS, "minhash-lsh", truth=clusters.clusters)
    assert expected.summary["truth"]["clusters"] == len(set(by_row)) - 1
    for truth in (by_row, names, by_id, tuple(names)):
        evaluation = lookalike.evaluate(RECORDS, "minhash-lsh", truth=truth)
        assert evaluation.methods.to_pydict() == expected.methods.to_pydict()
    pairs = lookalike.evaluate(RECORDS, "exact", truth=clusters.pairs, threshold=0.6)
    assert pairs.methods.to_pylist()[0]["recall"] == 1.0
    for wrong in [[1.5, 2.5], [object()], 5, [("a", 1)], [("a", "b"), ("c", 1)]]:
        with pytest.raises(TypeError):
            lookalike.evaluate(RECORDS, "exact", truth=wrong)
    assert lookalike.evaluate(RECORDS, "exact", truth=[]).summary["truth"]["pairs"] == 0
    bad_labels = [({"x": ["a"]}, "header names other columns"), ({"a_id": ["a"], "b_id": []}, "1 rows"), ([1, 1], "2 labels")]
    for bad, why in bad_labels:
        with pytest.raises(lookalike.DataError, match=why) as raised:
            lookalike.evaluate(RECORDS, "exact", truth=bad)
        assert raised.value.code == "labels"


def test_classes_are_those_of_the_command(command: str, tmp_path: Path) -> None:
    classes = {f"d{row}": ("spam", "ham", "other")[row % 3] for row in range(len(RECORDS))}
    documents, file = jsonl(tmp_path / "docs.jsonl", RECORDS), tmp_path / "classes.tsv"
    file.write_text("id\tclass\n" + "".join(f"{name}\t{kind}\n" for name, kind in classes.items()))
    flags = ["--methods", "exact", "minhash-lsh", "-t", "0.6", "--classes", file, "--cost", 7]
    stated, printed = command_evaluates(command, tmp_path / "out", documents, *flags)
    for given in (classes, file, {"id": list(classes), "class": list(classes.values())}):
        evaluation = lookalike.evaluate(RECORDS, ["exact", "minhash-lsh"], threshold=0.6, classes=given, cost=7)
        evaluation.summary["truth"]["classes"]["file"] = str(file)
        check(evaluation, tmp_path / "out", stated, printed)
    with pytest.raises(lookalike.DataError, match="no document of the class `junk` .spam="):
        lookalike.evaluate(RECORDS, "exact", classes=classes, spam="junk")
    with pytest.raises(TypeError, match="id and class"):
        lookalike.evaluate(RECORDS, "exact", classes={"id": ["d1"]})


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(lookalike.SettingsError, match="methods= reads the documents several times.*read once"):
        lookalike.evaluate(iter(TEXTS), "exact")
    with pytest.raises(lookalike.SettingsError, match="methods="):
        lookalike.evaluate(TEXTS, ["exact", "exact"])
    with pytest.raises(lookalike.SettingsError, match="no method"):
        lookalike.evaluate(TEXTS, "nosuch")
    with pytest.raises(lookalike.SettingsError, match="list_from='0.9'"):
        lookalike.evaluate(TEXTS, "exact", list_from=0.9)
    with pytest.raises(lookalike.ResourceError, match="max_pairs="):
        lookalike.evaluate(TEXTS, "exact", max_pairs=3)
    with pytest.raises(lookalike.DataError, match="strict="):
        lookalike.evaluate([*TEXTS, None], "exact", strict=True)
    with pytest.raises(TypeError, match="no argument and no setting"):
        lookalike.evaluate(TEXTS, nosuch=1)


def test_documents_that_change_between_readings_are_noticed() -> None:
    class Changing(list[str]):
        readings = 0

        def __iter__(self) -> Any:
            self.readings += 1
            return iter([f"{text} {self.readings}" for text in TEXTS])

    with pytest.raises(lookalike.DataError, match="second reading"):
        lookalike.evaluate(Changing(TEXTS), "lexical")


def test_an_evaluation_is_an_object_like_others() -> None:
    evaluation = lookalike.evaluate([*TEXTS, None], ["exact", "lexical"])
    again = pickle.loads(pickle.dumps(evaluation))
    assert again.summary == evaluation.summary and repr(again) == repr(evaluation)
    assert again.methods.to_pydict() == evaluation.methods.to_pydict()
    assert [row["record"] for row in evaluation.problems.to_pylist()] == [len(TEXTS) + 1]
    assert evaluation._repr_html_().count("<tr>") == 3 and "recall" in repr(evaluation)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(evaluation.deciles).num_rows == len(evaluation.deciles) > 0


def test_an_evaluation_is_ended_and_reports() -> None:
    phases: list[str] = []
    lookalike.evaluate(variants(20_000, seed=32), ["exact", "minhash-lsh"], progress=lambda step: phases.append(step.phase))
    # Progress is told ten times a second: a short phase may pass unseen.
    assert set(phases) & {"reading", "comparing"}

    class Stop(Exception):
        pass

    def stop(step: lookalike.Step) -> None:
        raise Stop

    with pytest.raises(Stop):
        lookalike.evaluate(variants(20_000, seed=32), ["exact", "minhash-lsh"], progress=stop)
