"""Fields beside the text: what separates documents, and what a method reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lookalike

TEXT = "a rose is a rose is a rose by any other name"
RECORDS = [
    {"text": TEXT, "meta": {"label": "public"}, "tags": ["a", "b"]},
    {"text": TEXT, "meta": {"label": "secret"}, "tags": ["b", "a"]},
    {"text": TEXT, "meta": {"label": "public"}, "tags": ["c"]},
    {"text": TEXT, "tags": None},
]


def test_only_documents_with_the_same_value_match() -> None:
    assert lookalike.dedup(RECORDS).removed().to_pylist() == [1, 2, 3]
    assert lookalike.dedup(RECORDS, separate_by="meta.label").removed().to_pylist() == [2]
    assert lookalike.dedup(RECORDS, separate_by="tags").removed().to_pylist() == [1]
    settings = lookalike.Settings(separate_by="tags")
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    with pytest.raises(lookalike.SettingsError, match="`lable`"):
        lookalike.dedup(RECORDS, separate_by="lable")


SPLITS = [
    {"id": "a", "text": TEXT, "split": "train", "owner": ["x", "y"]},
    {"id": "b", "text": TEXT, "split": "train", "owner": ["y", "x"]},
    {"id": "c", "text": TEXT + "!", "split": "test"},
    {"id": "d", "text": TEXT},
]


def test_only_documents_of_different_values_match() -> None:
    found = lookalike.dedup(SPLITS, across="split")
    assert found.removed().to_pylist() == [2, 3]
    assert [row["kept_id"] for row in found.ledger.to_pylist()] == ["a", "a"]
    across = found.summary["across"]
    assert [value["value"] for value in across["values"]] == ["train", "test", ""]
    assert [(pair["of"], pair["with"], pair["documents"]) for pair in across["pairs"]] == [(1, 0, 1), (2, 0, 1)]
    pairs = lookalike.cluster(SPLITS, across="owner").pairs.to_pylist()
    assert {(row["a_id"], row["b_id"]) for row in pairs} == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}
    settings = lookalike.Settings(across="split")
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    with pytest.raises(lookalike.SettingsError, match="`splt`"):
        lookalike.dedup(SPLITS, across="splt")
    with pytest.raises(lookalike.SettingsError, match="against"):
        lookalike.dedup(SPLITS, across="split", against=SPLITS)


def test_texts_without_words_and_short_ones_match_across_values() -> None:
    texts = ["...", "...", "one two", "one two", "...", "one two three"]
    table = [{"text": text, "split": split} for text, split in zip(texts, ["a", "b", "a", "b", "a", "b"], strict=True)]
    for least in (None, 9):
        found = lookalike.dedup(table, across="split", min_features=least)
        assert found.removed().to_pylist() == [1, 3], least


def test_only_documents_of_different_inputs_match(tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two"):
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(record) + "\n" for record in SPLITS[:3]), encoding="utf-8")
    summary = lookalike.Run(paths, tmp_path / "run", across="inputs").dedup()
    assert summary["kept"] == 3
    assert [value["value"] for value in summary["across"]["values"]] == [str(path) for path in paths]
    with pytest.raises(lookalike.SettingsError, match="name a field"):
        lookalike.dedup(SPLITS, across="inputs")


VERSIONS = [{"text": f"{TEXT} in version {version} of it", "title": title} for version, title in [("1.0", "A"), ("2.0", "A"), ("1.0", "B 7")]]


@pytest.mark.parametrize(
    ("parts", "removed"),
    [
        ((), [1, 2]),
        ("numbers", [2]),
        (["title"], [1]),
        ("numbers,title", []),
        (["numbers", "/version/"], [2]),
        (r"/\d\.(\d)/", [1, 2]),
        (r"/(\d)\.\d/", [2]),
    ],
)
def test_only_documents_that_agree_match(parts: str | list[str], removed: list[int]) -> None:
    found = lookalike.dedup(VERSIONS, threshold=0.5, distinct_by=parts)
    assert found.removed().to_pylist() == removed


def test_what_documents_need_to_have_in_common_is_a_setting() -> None:
    settings = lookalike.Settings(distinct_by="title, numbers")
    assert settings.distinct_by == ("title", "numbers")
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    with pytest.raises(lookalike.SettingsError, match="unclosed group"):
        lookalike.Settings(distinct_by="/(/")
    with pytest.raises(lookalike.SettingsError, match="`numbrs`"):
        lookalike.dedup(VERSIONS, distinct_by="numbrs")


@pytest.mark.parametrize(("most", "removed"), [(0, [1]), (1, [1, 2]), ("9%", [1, 2]), ("8%", [1]), (None, [1, 2])])
def test_removals_lose_few_words(most: int | str | None, removed: list[int]) -> None:
    texts = [TEXT, TEXT.title() + "!", TEXT.replace("other", "second")]
    found = lookalike.dedup(texts, threshold=0.5, max_lost=most)
    assert found.removed().to_pylist() == removed


def test_a_method_reads_fields() -> None:
    method = "simhash:d=0,weights=tf,metadata=2,fields=meta.label"
    found = lookalike.dedup(RECORDS, method=method, verify="sketch")
    assert found.removed().to_pylist() == [2]
    evaluated = lookalike.evaluate(RECORDS, ["simhash:weights=tf,anchors=tags"])
    assert evaluated is not None


def test_what_is_signed_alone_has_no_fields() -> None:
    with pytest.raises(lookalike.SettingsError, match="`tags`"):
        lookalike.Signer("simhash:weights=tf,anchors=tags").sign(RECORDS)


def test_given_texts_are_ignored(tmp_path: Path) -> None:
    handout = tmp_path / "handout.txt"
    handout.write_text("name three kinds of roses and say in which month of the year each of them flowers", encoding="utf-8")
    answers = ["tea roses in june", "wild roses in may", "tea roses in june"]
    texts = [f"{handout.read_text(encoding='utf-8')} {answer}" for answer in answers]
    assert lookalike.dedup(texts, threshold=0.5).removed().to_pylist() == [1, 2]
    found = lookalike.dedup(texts, threshold=0.5, ignore_text=[handout])
    assert found.removed().to_pylist() == [2]
    assert found.summary["ignored_texts"]["documents"] == 3
    settings = lookalike.Settings(ignore_text=handout)
    assert settings.ignore_text == (str(handout),)
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    with pytest.raises(lookalike.SettingsError, match="exact join"):
        lookalike.dedup(texts, ignore_text=handout, method="minhash-lsh")


def test_an_index_ignores_texts_and_matches_across_values(tmp_path: Path) -> None:
    handout = tmp_path / "handout.txt"
    handout.write_text("name three kinds of roses and say in which month of the year each of them flowers", encoding="utf-8")
    answers = [("tea roses in june", "train"), ("tea roses in june", "train"), ("tea roses in june!", "test"), ("wild roses in may", "test")]
    records = [
        {"id": str(at), "text": f"{handout.read_text(encoding='utf-8')} {answer}", "split": split} for at, (answer, split) in enumerate(answers)
    ]
    index = lookalike.Index.create(tmp_path / "index", threshold=0.5, ignore_text=handout, across="split")
    handout.unlink()
    for some in (records[:3], records[3:]):
        index.add(some)
    # One of the same value is no match, and neither is one that shares the handout only.
    assert [match.id for match in index.query(id="0")] == ["2"]
    assert [match.id for match in index.query(id="2")] == ["0", "1"]
    asked = [{**record, "id": f"q{record['id']}"} for record in records]
    found = index.query_batch(asked).to_pylist()
    assert [(row["query_id"], row["id"]) for row in found] == [("q0", "2"), ("q1", "2"), ("q2", "0"), ("q2", "1")]
    # Without the field it has another value than all.
    assert len(index.query_batch([{"id": "q", "text": records[0]["text"]}]).to_pylist()) == 3
    assert len(index.query(records[0]["text"])) == 3
    stats = index.stats()
    assert (stats["documents"], stats["kept"], stats["ignored_texts"]["texts"], stats["settings"]["documents"]["across"]) == (4, 3, 1, "split")
    with pytest.raises(lookalike.SettingsError, match="keep_n"):
        lookalike.Index.create(tmp_path / "other", across="split", keep_n=2)
    across = index.cluster().summary["across"]
    assert [value["value"] for value in across["values"]] == ["train", "test"]
    assert [tuple(pair[name] for name in ("of", "with", "documents", "pairs")) for pair in across["pairs"]] == [(0, 1, 2, 2), (1, 0, 1, 2)]
    with pytest.raises(lookalike.SettingsError, match=r"across='split', and a run against a collection .* use an index without across"):
        lookalike.dedup(records, against=index)
