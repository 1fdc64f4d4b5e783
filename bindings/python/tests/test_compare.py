"""`compare` and `explain`: the counts of a run, for any two texts or rows."""

from __future__ import annotations

import pickle

import pytest

import lookalike
from conftest import shingles, variants


def test_counts_are_those_of_the_sets() -> None:
    texts = variants(60, seed=6)
    for a, b in zip(texts, texts[7:]):
        x, y = shingles(a), shingles(b)
        found = lookalike.compare(a, b, threshold=0.5)
        assert (found.shared, found.size_a, found.size_b) == (len(x & y), len(x), len(y))
        assert found.resemblance == len(x & y) / len(x | y)
        assert found.containment_a_in_b == len(x & y) / len(x)
        assert found.reaches == (2 * len(x & y) >= len(x | y))
        assert found.cosine == pytest.approx(len(x & y) / (len(x) * len(y)) ** 0.5)
    empty = lookalike.compare("", "")
    assert (empty.resemblance, empty.cosine, empty.reaches) == (0.0, 0.0, False)


def test_differences_are_shown() -> None:
    a = "the quick brown fox jumps over the lazy dog and runs away"
    found = lookalike.compare(a, a.replace("lazy", "<sleepy>"), shingle=3)
    assert "[-lazy-]" in found.diff(width=80) and "<{+sleepy+}>" in repr(found)
    assert "&lt;{+sleepy+}&gt;" in found._repr_html_() and "\x1b[" in found.diff(colour=True)
    assert found.data["differences_found"] == 2


def test_rows_of_a_result_are_explained() -> None:
    text = "one two three four five six seven eight nine ten"
    documents = {"id": ["a", "b", "c", "d"], "text": [text, text + " eleven", "something else entirely", None]}
    result = lookalike.dedup(documents, threshold=0.6)
    for a, b in [(1, 0), ("b", "a"), (1, "a"), ("b", 0)]:
        found = result.explain(a, b)
        assert (found.shared, found.size_a, found.size_b) == (6, 7, 6)
        assert found.decision == "b was removed as near to a."
    assert result.explain(1).data["b"]["id"] == "a" and result.explain("b").decision
    assert result.explain(0, 1).decision == "b was removed as near to a."
    other = result.explain(0, 2)
    assert (other.shared, other.decision) == (0, None)
    for wrong in [(0, None), (2, 17), ("a", "nosuch"), (0, 3)]:
        with pytest.raises(lookalike.DataError) as raised:
            result.explain(*wrong)
        assert raised.value.code == "no_such_document"
    with pytest.raises(lookalike.DataError, match="cannot be read again"):
        lookalike.dedup(iter(documents["text"]), threshold=0.6).explain(1)
    with pytest.raises(lookalike.DataError, match="cannot be read again"):
        pickle.loads(pickle.dumps(result)).explain(1)


def test_the_witness_may_be_protected() -> None:
    text = "one two three four five six seven"
    result = lookalike.dedup({"id": ["x"], "text": [text]}, against={"id": ["y"], "text": [text]})
    # The witness is in the other collection, which is not a row of this one.
    with pytest.raises(lookalike.DataError, match="`y`"):
        result.explain("x")


def test_common_features_are_removed_as_the_call_did() -> None:
    head = "all pages begin with this very same long and boring header line "
    texts = [head + " ".join(f"w{page}x{word}" for word in range(12)) for page in range(8)]
    result = lookalike.dedup(texts, threshold=0.3, ignore_common=5)
    assert len(result.removed()) == 0
    assert lookalike.compare(texts[0], texts[1]).shared > 0
    assert result.explain(0, 1).shared == 0
