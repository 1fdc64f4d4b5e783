"""An index after histories of adds, updates and deletes: every answer against brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

import lookalike
from conftest import shingles

THRESHOLDS = ["0.2", "0.5", "0.75", "0.8", "1"]
ASKS = ["resembles", "containing", "contained-in", "cosine"]


class Model:
    """The documents of an index in the order in which their ids were first added; compares all pairs."""

    def __init__(self, threshold: str) -> None:
        self.threshold = Fraction(threshold)
        self.texts: dict[str, str] = {}

    def add(self, documents: list[dict[str, str]]) -> None:
        for document in documents:
            # A dictionary keeps the place of a key that is there.
            self.texts[document["id"]] = document["text"]

    def delete(self, ids: list[str]) -> None:
        for id in ids:
            self.texts.pop(id, None)

    def leaders(self) -> dict[str, str]:
        """For each document the kept one that it belongs to: itself, or the first kept one that it resembles enough."""
        leader: dict[str, str] = {}
        kept: list[str] = []
        for id, text in self.texts.items():
            found = next((other for other in kept if measure("resembles", text, self.texts[other]) >= self.threshold), id)
            leader[id] = found
            if found == id:
                kept.append(id)
        return leader

    def query(self, text: str, ask: str, threshold: str, without: str | None = None) -> list[str]:
        least = Fraction(threshold) ** (2 if ask == "cosine" else 1)
        found = []
        for order, (id, stored) in enumerate(self.texts.items()):
            value = measure(ask, text, stored)
            if id != without and value >= least:
                found.append((-value, order, id))
        return [id for _, _, id in sorted(found)]


def measure(ask: str, query: str, stored: str) -> Fraction:
    """The measure of a question as a fraction; for cosine its square."""
    q, d = shingles(query), shingles(stored)
    shared = len(q & d)
    if ask == "cosine":
        return Fraction(shared * shared, len(q) * len(d))
    whole = {"resembles": len(q | d), "containing": len(q), "contained-in": len(d)}[ask]
    return Fraction(shared, whole)


class Texts:
    """Texts of which many share parts, at all resemblances."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.known: list[str] = []

    def next(self) -> str:
        chance = self.chance
        words = [f"w{chance.randrange(60)}" for _ in range(chance.randrange(5, 30))]
        if self.known and chance.random() < 0.7:
            words = chance.choice(self.known).split()
            for _ in range(chance.randrange(4)):
                at = chance.randrange(len(words) + 1)
                words[at : at + chance.randrange(3)] = [f"w{chance.randrange(60)}"] * chance.randrange(2)
            if chance.random() < 0.3:
                words = words[: max(5, len(words) // 2)]
            words = words or ["w1"]
        text = " ".join(words)
        self.known.append(text)
        return text


def checked(index: lookalike.Index, model: Model, texts: Texts) -> None:
    chance = texts.chance
    assert len(index) == len(model.texts)
    stored = index.documents()
    assert stored["id"].to_pylist() == list(model.texts) and stored["text"].to_pylist() == list(model.texts.values())
    leaders = model.leaders()
    for threshold in chance.sample(THRESHOLDS, 2):
        for ask in ASKS:
            text = chance.choice(texts.known)
            found = index.query(text, ask=ask, threshold=threshold)
            expected = model.query(text, ask, threshold)
            assert found.ids() == expected and found.total == len(expected) and found.total_exact
            assert [(match.kept, match.cluster) for match in found] == [(leaders[id] == id, leaders[id]) for id in expected]
            for match in found:
                q, d = shingles(text), shingles(model.texts[match.id])
                assert (match.shared, found.size, match.size) == (len(q & d), len(q), len(d))
            if model.texts:
                id = chance.choice(list(model.texts))
                assert index.query(id=id, ask=ask, threshold=threshold).ids() == model.query(
                    model.texts[id], ask, threshold, without=id
                )
            asked = [text, texts.next(), "unheard of words which nobody has stored"]
            table = index.query_batch(asked, ask=ask, threshold=threshold)
            rows = [(row["query"], row["id"]) for row in table.to_pylist()]
            assert rows == [(at, id) for at, one in enumerate(asked) for id in model.query(one, ask, threshold)]
            best = index.query(text, ask=ask, threshold=threshold, limit=2).ids()
            assert best == expected[:2]
    if model.texts:
        id = chance.choice(list(model.texts))
        members = [other for other in model.texts if leaders[other] == leaders[id] and other != id]
        assert sorted(index.query(id=id, ask="cluster").ids()) == sorted(members)
        expected_run = lookalike.dedup(stored, threshold=str(float(model.threshold)), name="documents.jsonl")
        assert index.dedup().ledger.to_pydict() == expected_run.ledger.to_pydict()
        assert index.dedup().kept().to_pylist() == expected_run.kept().to_pylist()
        assert index.dedup().kept().to_pylist() == [at for at, id in enumerate(model.texts) if leaders[id] == id]


@pytest.mark.parametrize("seed", range(6))
def test_answers_equal_brute_force_after_any_history(seed: int, tmp_path: Path) -> None:
    texts = Texts(seed)
    chance = texts.chance
    threshold = chance.choice(["0.5", "0.8"])
    index = lookalike.Index.create(tmp_path / "i", threshold=threshold)
    model = Model(threshold)

    def some(number: int) -> list[dict[str, str]]:
        # Half of the ids are known, so that documents are replaced; some twice in a call.
        return [{"id": f"d{chance.randrange(1 + len(model.texts) * 2)}", "text": texts.next()} for _ in range(number)]

    for step in range(8):
        kind = chance.choice(["add", "add", "delete", "group", "rollback", "compact"])
        if kind == "add" or step == 0:
            documents = some(chance.randrange(1, 30))
            every = chance.choice([None, None, 7])
            added = index.add(documents, commit_every=every, threads=chance.choice([1, 2]))
            assert added.read == added.added == len(documents) and added.documents == len({*model.texts, *(d["id"] for d in documents)})
            model.add(documents)
        elif kind == "delete":
            ids = chance.sample(sorted(model.texts), min(len(model.texts), chance.randrange(1, 8)))
            deleted = index.delete([*ids, "never"])
            assert deleted == (len(ids), ["never"])
            model.delete(ids)
        elif kind == "group":
            before = index.last_commit
            with index.writer() as writer:
                ids = chance.sample(sorted(model.texts), len(model.texts) // 4)
                if ids:
                    writer.delete(ids)
                    model.delete(ids)
                for _ in range(chance.randrange(1, 4)):
                    documents = some(chance.randrange(1, 8))
                    assert writer.add(documents).read == len(documents)
                    model.add(documents)
                assert index.last_commit == before
            # Merging segments afterwards is one, too.
            assert index.last_commit > before
        elif kind == "rollback":
            with pytest.raises(ZeroDivisionError), index.writer() as writer:
                writer.add(some(5))
                if model.texts:
                    writer.delete(next(iter(model.texts)))
                1 / 0
        else:
            index.compact()
        checked(index, model, texts)
    assert index.check(deep=True) == []


def test_a_lean_index_answers_what_it_can_and_refuses_the_rest(tmp_path: Path) -> None:
    texts = Texts(9)
    documents = [{"id": f"d{n}", "text": texts.next()} for n in range(80)]
    sample = [{"id": f"s{n}", "text": texts.next()} for n in range(50)]
    for name, options in [("plain", {}), ("sample", {"sample": sample}), ("sets", {"no_text": True})]:
        index = lookalike.Index.create(tmp_path / name, lean=0.8, **options)
        index.add(documents)
        model = Model("0.8")
        model.add(documents)
        for text in texts.known[::7]:
            for ask in ["resembles", "contained-in"]:
                for threshold in ["0.8", "0.95"]:
                    assert index.query(text, ask=ask, threshold=threshold).ids() == model.query(text, ask, threshold)
        with pytest.raises(lookalike.SettingsError, match="lean index cannot answer `containing`") as raised:
            index.query("a b c d e f", ask="containing")
        assert raised.value.code == "index_lean" and "  " not in str(raised.value)
        with pytest.raises(lookalike.SettingsError, match="0.5"):
            index.query("a b c d e f", threshold=0.5)


def test_documents_that_are_known_already_are_left_out(tmp_path: Path) -> None:
    texts = Texts(3)
    documents = [{"id": f"d{n}", "text": texts.next()} for n in range(60)]
    index = lookalike.Index.create(tmp_path / "i", threshold="0.5")
    stored: list[dict[str, str]] = []
    for at in range(0, 60, 20):
        for document in documents[at : at + 20]:
            # Compared with kept documents only, and no two that are stored resemble each other so much.
            if all(measure("resembles", document["text"], other["text"]) < Fraction(1, 2) for other in stored):
                stored.append(document)
        index.add(documents[at : at + 20], unless_duplicate=0.5)
    assert index.documents()["id"].to_pylist() == [document["id"] for document in stored]
