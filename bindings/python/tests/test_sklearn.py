"""The estimator, alone and in scikit-learn."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from typing import Any

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
        assert list(estimator.kept_) == result.kept().to_pylist()
        witness = {row["removed_record"] - 1: row["kept_record"] - 1 for row in result.ledger.to_pylist()}
        stays = [estimator.kept_[label] for label in labels]
        assert stays == [witness.get(row, row) for row in range(len(TEXTS))] and list(labels) == list(estimator.labels_)
        assert set(labels) == set(range(len(estimator.kept_))) and len(estimator.kept_) < len(TEXTS)
        assert estimator.fit(TEXTS) is estimator
    numpy = pytest.importorskip("numpy")
    labels = NearDuplicates().fit_predict(TEXTS)
    assert labels.dtype == "int64"
    assert list(NearDuplicates().fit_predict(numpy.array(TEXTS, dtype=object))) == list(labels)


def test_what_has_no_text_has_no_label() -> None:
    found = NearDuplicates().fit(["a rose is a rose is a rose", None, "A rose is a rose is a rose!", "to be"])
    assert (list(found.labels_), list(found.kept_)) == ([0, -1, 0, 1], [0, 3])


def test_labels_without_numpy_are_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = list(NearDuplicates().fit_predict(TEXTS))
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = NearDuplicates().fit(TEXTS)
    assert found.labels_ == labels and isinstance(found.kept_, list)


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
    assert list(steps.fit_predict(TEXTS)) == list(estimator.labels_)
    steps.set_params(near__threshold=0.9)
    assert list(steps.fit_predict(TEXTS)) == list(NearDuplicates(threshold=0.9, keep="longest").fit_predict(TEXTS))


try:
    from sklearn.base import BaseEstimator, ClusterMixin
except ImportError:
    BaseEstimator = ClusterMixin = object


class OfNumbers(NearDuplicates, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Is fed with rows of numbers, as most checks of scikit-learn do, and writes them as texts."""

    def fit(self, X: Any, y: object = None) -> NearDuplicates:
        from sklearn.utils.validation import validate_data

        rows = validate_data(self, X)
        return super().fit([" ".join(f"{at}x{math.floor(value)}" for at, value in enumerate(row)) for row in rows])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array, tags.input_tags.string = False, True, False
        return tags


def suite() -> list[Any]:
    """The checks of scikit-learn: those of an estimator of texts, and all of them for one of numbers."""
    if BaseEstimator is object:
        return []
    from sklearn.utils.estimator_checks import estimator_checks_generator

    with warnings.catch_warnings():
        # That most of its checks cannot be about texts.
        warnings.simplefilter("ignore")
        return [*estimator_checks_generator(NearDuplicates()), *estimator_checks_generator(OfNumbers())]


@pytest.mark.parametrize(("estimator", "check"), suite(), ids=lambda value: getattr(value, "func", type(value)).__name__)
def test_the_suite_of_scikit_learn(estimator: NearDuplicates, check: Any) -> None:
    check(estimator)


def test_the_suite_is_whole() -> None:
    pytest.importorskip("sklearn")
    names = [check.func.__name__ for _, check in suite()]
    assert len(names) > 40 and {"check_estimator_cloneable", "check_clustering", "check_fit_idempotent"} <= set(names)


def test_what_scikit_learn_is_told() -> None:
    utils = pytest.importorskip("sklearn.utils")
    tags = utils.get_tags(NearDuplicates())
    assert tags.estimator_type == "clusterer" and not tags.target_tags.required
    assert tags.input_tags.string and tags.input_tags.one_d_array and not tags.input_tags.two_d_array


def test_it_is_not_needed() -> None:
    code = "import sys; import lookalike.sklearn; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
