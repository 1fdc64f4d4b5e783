"""The index: what its calls take and refuse."""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import pytest

import lookalike
from conftest import variants

FISH = "one fish two fish red fish blue fish black fish old fish new fish"
ROSE = "a rose is a rose is a rose"


@pytest.fixture
def index(tmp_path: Path) -> lookalike.Index:
    index = lookalike.Index.create(tmp_path / "i")
    index.add([{"id": "fish", "text": FISH, "url": "http://a.example/fish"}, {"id": "rose", "text": ROSE}])
    return index


def test_documents_come_from_any_table_with_ids(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    columns = {"key": ["a", "b"], "content": [FISH, ROSE], "title": ["Fish", None]}
    index = lookalike.Index.create(tmp_path / "i")
    for data in [pyarrow.table(columns), polars.DataFrame(columns), columns, [{"key": "a", "content": FISH}]]:
        added = index.add(data, text="content", id="key")
        assert added.documents == 2 and added.problems == 0
    assert index.get("a") == {"text": FISH, "id": "a", "url": None, "title": None, "date": None}
    assert index.query_batch(pyarrow.table(columns), text="content", id="key", threshold=0.9)["query_id"].to_pylist() == [
        "a",
        "b",
    ]
    table = pyarrow.table(index.query_batch([FISH]))
    assert table.schema.field("kept").type == pyarrow.bool_() and table["id"].to_pylist() == ["a"]
    assert polars.DataFrame(index.documents())["id"].to_list() == ["a", "b"]


def test_documents_need_ids_or_a_name(index: lookalike.Index) -> None:
    with pytest.raises(lookalike.DataError, match="there is no column `id`; the columns are `text`") as raised:
        index.add([FISH])
    assert raised.value.code == "source"
    index.add([FISH, ROSE], name="poems")
    index.add([ROSE], name="poems")
    assert index.get("poems:1")["text"] == ROSE and len(index) == 4
    with pytest.raises(TypeError, match="a single text"):
        index.add(FISH)
    with pytest.raises(TypeError, match="'content' is no argument, and no name of a column"):
        index.add([FISH], content="x")


def test_bad_documents_are_counted(index: lookalike.Index) -> None:
    added = index.add([{"id": "x", "text": None}, {"id": "y", "text": "to be or not to be"}])
    assert (added.read, added.problems, added.documents) == (1, 1, 3) and len(added.listed) == 1
    with pytest.raises(lookalike.DataError) as raised:
        index.add([{"id": "z", "text": "all that glitters"}, {"id": "x", "text": None}], strict=True)
    assert raised.value.code == "bad_record" and "z" not in index
    assert index.query_batch([None, FISH])["query"].to_pylist() == [1]
    with pytest.raises(lookalike.DataError):
        index.query_batch([None, FISH], strict=True)


def test_a_question_names_one_document(index: lookalike.Index) -> None:
    for arguments in [{}, {"id": "fish", "url": "http://a.example/fish"}]:
        with pytest.raises(TypeError, match="one of them"):
            index.query(**arguments)
    with pytest.raises(TypeError):
        index.query(FISH, id="fish")
    with pytest.raises(TypeError, match="query_batch"):
        index.query([FISH])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit"):
        index.query(FISH, limit=0)
    with pytest.raises(lookalike.DataError, match="no document with the id `none`") as raised:
        index.query(id="none")
    assert raised.value.code == "no_such_document"
    with pytest.raises(lookalike.SettingsError, match="nor a method of this index"):
        index.query(FISH, ask="alike")
    with pytest.raises(lookalike.SettingsError, match="is no date"):
        index.query(FISH, since="yesterday")
    with pytest.raises(lookalike.SettingsError):
        index.query(FISH, threshold=2)


def test_matches_are_a_sequence(index: lookalike.Index) -> None:
    index.add([{"id": "more", "text": f"{FISH} and more", "date": "2024-05-01"}])
    found = index.query(FISH, threshold=0.5)
    assert len(found) == 2 and found[0].id == "fish" and [match.id for match in found[1:]] == ["more"]
    assert found[0].url == "http://a.example/fish" and found[1].url is None and found[1].date == "2024-05-01"
    assert (found[1].kept, found[1].cluster) == (False, "fish")
    assert found.total_exact and found.cost["verified"] >= 1
    assert repr(found).splitlines()[0].split() == "id resemblance query in it it in query shared size kept url".split()
    assert repr(index.query("to be or not to be")) == "no document"
    day = datetime.date(2024, 5, 1)
    assert index.query(FISH, threshold=0.5, since=day).ids() == ["more"] and not index.query(FISH, before=day)
    passage = index.query(FISH, passages=True)[0].passages
    assert passage and passage[0]["text_a"].startswith("one fish")
    assert found == index.query(FISH, threshold=0.5) and found != index.query(FISH, limit=1)


def test_settings_of_a_run_are_refused(tmp_path: Path) -> None:
    for keywords, message in [
        ({"linkage": "components"}, "Index.cluster"),
        ({"text": "content"}, "Index.add"),
        ({"format": "csv"}, "Index.add_files"),
        ({"ignore_common": 5}, "ignore_common="),
        ({"sample": [FISH]}, "lean="),
        ({"lexicon": "x"}, "method="),
        ({"lean": 0.9}, "lean="),
        ({"ttl": "soon"}, "90d"),
        ({"method": "magic"}, "magic"),
        ({"settings": lookalike.Settings(method="simhash")}, "method= to Index.create"),
    ]:
        with pytest.raises(lookalike.SettingsError, match=message):
            lookalike.Index.create(tmp_path / "i", **keywords)
        assert not (tmp_path / "i/store.redb").exists()
    with pytest.raises(TypeError, match="no argument and no setting"):
        lookalike.Index.create(tmp_path / "i", colour="red")


def test_settings_of_an_index_make_another_index(tmp_path: Path) -> None:
    # They state the linkage, which is a setting of runs.
    index = lookalike.Index.create(tmp_path / "i", keep="longest")
    other = lookalike.Index.create(tmp_path / "other", settings=index.settings)
    assert other.settings == index.settings and index.settings.linkage == "leaders"
    index.add([{"id": "fish", "text": FISH}])
    [merged] = other.merge(index)
    assert merged.documents == 1


def test_symbols_and_case_in_an_index(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "i", tokens="symbols", case="keep")
    assert (index.settings.tokens, index.settings.case) == ("symbols", "keep")
    index.add([{"id": "less", "text": f"{FISH} a < b"}])
    found = [index.query(f"{FISH} {end}", threshold=1).ids() for end in ("a < b", "a > b", "a < B")]
    assert found == [["less"], [], []]


def test_directories_that_are_no_index(tmp_path: Path, index: lookalike.Index) -> None:
    with pytest.raises(lookalike.InputError, match=r"there is no index; create one with Index\.create\(\)") as raised:
        lookalike.Index.open(tmp_path / "none")
    assert raised.value.code == "no_index"
    with pytest.raises(lookalike.InputError, match="there is `store.redb` already") as raised:
        lookalike.Index.create(index.path)
    assert raised.value.code == "index_exists"


def test_indexes_merge(tmp_path: Path, index: lookalike.Index) -> None:
    other = lookalike.Index.create(tmp_path / "other")
    other.add([{"id": "rose", "text": "a rose is no rose at all"}, {"id": "be", "text": "to be or not to be"}])
    third = lookalike.Index.create(tmp_path / "third")
    done = index.merge(other, third)
    assert (done[0].added, done[0].updated, done[0].documents) == (2, 1, 3) and done[1].documents == 3
    assert index.get("rose")["text"] == "a rose is no rose at all"
    with pytest.raises(lookalike.InputError, match="documents.shingle: it has 4, and 5 is needed") as raised:
        index.merge(lookalike.Index.create(tmp_path / "fourth", shingle=4))
    assert raised.value.code == "index_differs"
    # The lock was released.
    index.compact()
    assert index.stats()["segments"][0]["documents"] == 3


def test_deletes(index: lookalike.Index) -> None:
    documents = [
        {"id": f"d{n}", "text": f"{n} bottles of beer on the wall", "url": f"http://www.b.example/{n}", "date": f"2024-0{n}-01"}
        for n in range(1, 6)
    ]
    index.add(documents)
    assert index.delete(urls="http://www.b.example/1", dry_run=True) == (1, []) and len(index) == 7
    assert index.delete(urls="http://www.b.example/1") == (1, []) and len(index) == 6
    assert index.delete(before=datetime.date(2024, 3, 1)) == (1, []) and "d2" not in index
    assert index.delete(site="b.example") == (3, []) and len(index) == 2
    assert index.delete(["fish", "carp"]) == (1, ["carp"])
    with pytest.raises(TypeError, match="name the documents"):
        index.delete()


def test_documents_expire(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "i", ttl="1d")
    index.add([{"id": "fish", "text": FISH}])
    index.add([{"id": "rose", "text": ROSE}], ttl=datetime.timedelta(seconds=1))
    time.sleep(2.1)
    assert len(index) == 2
    index.compact()
    assert index.documents()["id"].to_pylist() == ["fish"]


def test_a_block_is_one_commit_or_none(index: lookalike.Index) -> None:
    before = index.last_commit
    with index.writer() as writer:
        assert writer.add([{"id": "a", "text": "to be or not to be"}]) == (1, 0, 0, [])
        committed = writer.commit()
        assert (committed.commit, committed.added, committed.documents) == (before + 1, 1, 3) and "a" in index
        writer.delete("a")
        writer.rollback()
        writer.add([{"id": "b", "text": "that is the question"}])
    assert index.last_commit >= before + 2 and "a" in index and "b" in index
    with pytest.raises(lookalike.ResourceError, match="the writer is closed") as raised:
        writer.delete("a")
    assert raised.value.code == "closed"
    writer.close()


def test_a_step_that_failed_ends_the_group(index: lookalike.Index) -> None:
    with pytest.raises(lookalike.ResourceError, match=r"call rollback\(\)") as raised, index.writer() as writer:
        writer.delete("rose")
        with pytest.raises(lookalike.DataError):
            writer.add([{"id": "x", "text": None}], strict=True)
        # What was given up with it must not be committed in part.
        writer.add([{"id": "b", "text": "that is the question"}])
    assert raised.value.code == "given_up" and "rose" in index and "b" not in index
    with index.writer() as writer:
        writer.delete("rose")
        with pytest.raises(lookalike.DataError):
            writer.add(["no ids"])
        writer.rollback()
        writer.add([{"id": "b", "text": "that is the question"}])
    assert "rose" in index and "b" in index


def test_a_closed_index_says_so(index: lookalike.Index) -> None:
    with lookalike.Index.open(index.path) as other:
        assert other.query(FISH).ids() == ["fish"]
    for call in [lambda: other.query(FISH), lambda: len(other), other.dedup, other.check]:
        with pytest.raises(lookalike.ResourceError, match="the index is closed"):
            call()
    other.close()
    assert index.query(FISH).ids() == ["fish"]


def test_an_index_without_texts(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "i", no_text=True)
    index.add([{"id": "fish", "text": FISH}, {"id": "more", "text": f"{FISH} and more"}])
    assert index.query(FISH).ids() == ["fish", "more"] and index.query(id="fish").ids() == ["more"]
    assert [(row["removed_id"], row["kept_id"]) for row in index.dedup().ledger.to_pylist()] == [("more", "fish")]
    for call in [index.documents, lambda: index.get("fish")]:
        with pytest.raises(lookalike.SettingsError, match="stores no texts"):
            call()


def test_tables_pickle_and_results_write(index: lookalike.Index, tmp_path: Path) -> None:
    import pickle

    index.add([{"id": "copy", "text": ROSE.upper()}])
    result = index.dedup()
    again = pickle.loads(pickle.dumps(result))
    assert again.ledger.to_pydict() == result.ledger.to_pydict() and result.ledger["kept_id"].to_pylist() == ["rose"]
    assert result.mask().to_pylist() == [True, True, False]
    pairs = index.cluster().pairs.to_pydict()
    assert pairs == lookalike.cluster(index.documents(), name="documents.jsonl").pairs.to_pydict() and pairs["shared"] == [3]
    table = index.query_batch([ROSE])
    assert pickle.loads(pickle.dumps(table)).to_pydict() == table.to_pydict()
    assert len(index.query_batch([])) == 0 and "query" in index.query_batch([]).column_names


def test_stats_read_as_the_commands(index: lookalike.Index) -> None:
    stats = index.stats()
    assert stats["documents"] == stats["kept"] == 2 and stats["settings"]["texts"] is True
    assert repr(stats).splitlines()[0].split() == ["documents", "2"]
    assert index.last_commit == stats["commit"]


def test_a_text_of_several_fields_has_no_shingle_of_two(tmp_path: Path) -> None:
    words = "one two three four five six seven eight nine ten eleven twelve"
    first, last = words.split(" six ")
    records = [
        {"id": "both", "question": first, "answer": "six " + last},
        {"id": "same", "question": first, "answer": "six " + last},
        {"id": "other", "question": first + " six", "answer": last},
    ]
    index = lookalike.Index.create(tmp_path / "fields.index", text="question,answer", shingle=4)
    assert index.settings.text == "question,answer"
    added = index.add(records, text="question,answer")
    assert added.added == 3
    batch = lookalike.dedup(records, text="question,answer", shingle=4)
    assert [index.dedup().ledger["removed_id"].to_pylist(), batch.ledger["removed_id"].to_pylist()] == [["same"], ["same"]]


def test_a_copy_has_the_last_commit_and_goes_its_own_way(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "pages.index")
    index.add([{"id": str(at), "text": text} for at, text in enumerate(variants(60))], sweep="may")
    copy = index.copy(tmp_path / "copy.index")
    assert (len(copy), [tuple(sweep) for sweep in copy.sweeps]) == (60, [("may", 60, None)])
    assert copy.dedup().ledger.to_pylist() == index.dedup().ledger.to_pylist()
    index.delete(["3"])
    assert (len(index), len(copy), copy.check(deep=True)) == (59, 60, [])
    with pytest.raises(lookalike.SettingsError, match="something of this name"):
        index.copy(tmp_path / "copy.index")
