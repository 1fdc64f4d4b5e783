"""Signing outside of a run: the same sets and keys as in one, in any process."""

from __future__ import annotations

import multiprocessing
import pickle

import pytest

import lookalike
from conftest import shingles, variants

TEXTS: list[str | None] = [*variants(400, seed=11), None, "", "a b"]
#: Those that have a shingle: a method cannot sign others.
LONG = [text for text in TEXTS if text and len(text.split()) >= 5]


def test_sets_are_those_that_are_compared() -> None:
    sets = lookalike.Signer().features(TEXTS).to_pylist()
    assert sets[-3] is None and sets[-2] is None and len(sets) == len(TEXTS)
    for a, b in zip(range(0, 400), range(1, 400)):
        x, y = shingles(TEXTS[a]), shingles(TEXTS[b])
        assert (len(sets[a]), len(set(sets[a]) & set(sets[b]))) == (len(x), len(x & y))
        assert sets[a] == sorted(sets[a])


def test_keys_are_those_of_a_run() -> None:
    method = "minhash-lsh:bands=10,rows=3"
    texts = LONG
    keys = [set(keys or ()) for keys in lookalike.Signer(method).sign(texts).keys()]
    candidates = {(a, b) for b in range(len(texts)) for a in range(b) if keys[a] & keys[b]}
    pairs = lookalike.cluster(texts, method=method, verify="none").pairs.to_pylist()
    found = {tuple(sorted((row["a_record"] - 1, row["b_record"] - 1))) for row in pairs}
    assert found == candidates and len(found) > 50


def test_sketches_are_a_matrix() -> None:
    numpy = pytest.importorskip("numpy")
    texts = LONG
    signatures = lookalike.Signer("minhash-lsh:bands=16,rows=8").sign(texts)
    matrix = signatures.matrix()
    assert matrix.shape == (len(texts), 128) and matrix.dtype == numpy.uint64 and len(signatures) == len(texts)
    # Equal values estimate the resemblance: 128 draws have a standard error below 0.045.
    close = [
        abs(numpy.mean(matrix[a] == matrix[b]) - len(x & y) / len(x | y)) < 0.2
        for a, b in zip(range(100), range(1, 101))
        for x, y in [(shingles(texts[a]), shingles(texts[b]))]
    ]
    assert all(close)
    with pytest.raises(lookalike.DataError, match=r"row \d+ has no sketch"):
        lookalike.Signer("minhash-lsh").sign(TEXTS).matrix()
    assert lookalike.Signer("minhash-lsh").sign([]).matrix().shape == (0, 0)


def sign(signer: lookalike.Signer) -> list[list[int] | None]:
    return signer.sign(TEXTS).keys().to_pylist()


def test_signers_pickle_and_work_in_other_processes() -> None:
    signer = lookalike.Signer("minhash-lsh:t=0.7", shingle=3)
    again = pickle.loads(pickle.dumps(signer))
    assert again.settings == signer.settings and sign(again) == sign(signer)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(sign, (signer,)) == sign(signer)


def test_a_batch_of_arrow_gives_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    signer = lookalike.Signer("minhash-lsh:t=0.7", text="body")
    batch = pyarrow.record_batch({"body": TEXTS})
    signed = pyarrow.table(signer.batch(batch))
    assert signed.column_names == ["keys", "sketch"] and signed.num_rows == len(TEXTS)
    assert signed["keys"].to_pylist() == signer.sign(TEXTS).keys().to_pylist()
    datasets = pytest.importorskip("datasets")
    documents = datasets.Dataset.from_dict({"body": TEXTS})
    mapped = documents.with_format("arrow").map(lambda rows: pyarrow.table(signer.batch(rows)), batched=True)
    assert mapped.with_format(None)["keys"][:] == signed["keys"].to_pylist()


def test_what_cannot_be_signed_is_refused() -> None:
    with pytest.raises(lookalike.SettingsError, match="lexicon="):
        lookalike.Signer("imatch").sign(["a"])
    with pytest.raises(lookalike.SettingsError, match="ignore_common="):
        lookalike.Signer(ignore_common=3).features(["a"])
    with pytest.raises(lookalike.SettingsError, match="method="):
        lookalike.Signer().sign(["a"])
    with pytest.raises(lookalike.SettingsError, match="give one"):
        lookalike.Signer("minhash-lsh", method="simhash")
    with pytest.raises(lookalike.SettingsError, match="no method"):
        lookalike.Signer("nosuch")
