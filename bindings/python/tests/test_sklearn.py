"""The estimator, alone and in scikit-learn."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lookalike
from conftest import variants
from lookalike.sklearn import NearDuplicates

TEXTS = variants(300, seed=51)


def test_labels_are_those_of_dedup() -> None:
    for parameters in [{}, {"threshold": 0.5, "linkage": "components", "keep": "longest"}]:
        estimator = NearDuplicates(**parameters)
        labels = estimator.fit_predict(TEXTS)
        result = lookalike.dedup(TEXTS, **parameters)
        assert [row for row, label in enumerate(labels) if row == label] == result.kept().to_pylist() == estimator.kept_
        witness = {row["removed_record"] - 1: row["kept_record"] - 1 for row in result.ledger.to_pylist()}
        assert labels == [witness.get(row, row) for row in range(len(TEXTS))] == estimator.labels_
        assert len(set(labels)) < len(labels) and estimator.fit(TEXTS) is estimator
    numpy = pytest.importorskip("numpy")
    assert NearDuplicates().fit_predict(numpy.array(TEXTS, dtype=object)) == NearDuplicates().fit_predict(TEXTS)


def test_parameters_are_got_and_set() -> None:
    estimator = NearDuplicates(0.7)
    assert estimator.get_params()["threshold"] == 0.7 and estimator.set_params(threshold=0.9) is estimator
    assert NearDuplicates(**estimator.get_params()).get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="'nosuch' is no parameter"):
        estimator.set_params(nosuch=1)
    assert repr(estimator).startswith("NearDuplicates(threshold=0.9, keep='first'")


def test_scikit_learn_takes_it() -> None:
    base, pipeline = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.pipeline")
    estimator = NearDuplicates(threshold=0.6, keep="longest")
    again = base.clone(estimator.fit(TEXTS))
    assert again.get_params() == estimator.get_params() and not hasattr(again, "labels_")
    steps = pipeline.Pipeline([("near", again)])
    assert list(steps.fit_predict(TEXTS)) == estimator.labels_
    steps.set_params(near__threshold=0.9)
    assert list(steps.fit_predict(TEXTS)) == NearDuplicates(threshold=0.9, keep="longest").fit_predict(TEXTS)


def test_it_is_not_needed() -> None:
    code = "import sys; import lookalike.sklearn; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
