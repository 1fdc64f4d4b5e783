"""Near-duplicates as an estimator in the style of scikit-learn, which need not be installed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from lookalike._dedup import dedup
from lookalike._documents import listed
from lookalike._result import Result
from lookalike._settings import Threshold


class NearDuplicates:
    """Labels texts so that those of one cluster of near-duplicates have the same label.

    Parameters
    ----------
    threshold, keep, linkage, measure, shingle, method, threads
        As of :func:`lookalike.dedup`.

    Attributes
    ----------
    labels_ : numpy.ndarray of int
        For each text the number of the text that stays for it in `kept_`, or -1 where there is no text:
        ``kept_[labels_[row]]`` is the row of the one that stays. Lists where NumPy is not installed.
    kept_ : numpy.ndarray of int
        Rows of the texts that stay, ascending.
    result_ : lookalike.Result
        The evidence.

    Examples
    --------
    >>> from lookalike.sklearn import NearDuplicates
    >>> texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!", "to be or not", "To be or not?"]
    >>> found = NearDuplicates(threshold=0.7).fit(texts)
    >>> list(map(int, found.labels_)), list(map(int, found.kept_))
    ([0, 0, 1, 1], [0, 2])
    """

    labels_: Any
    kept_: Any
    result_: Result

    def __init__(
        self, threshold: Threshold = 0.8, *, keep: Any = "first", linkage: str = "leaders", measure: str = "resemblance",
        shingle: int | None = 5, method: str | None = None, threads: int | None = None,
    ) -> None:  # fmt: skip
        self.threshold, self.keep, self.linkage, self.measure = threshold, keep, linkage, measure
        self.shingle, self.method, self.threads = shingle, method, threads

    def fit(self, X: Iterable[str], y: object = None) -> NearDuplicates:
        """Finds the near-duplicates among texts; `y` is not used."""
        texts = listed(X)
        self.result_ = dedup(texts, **self.get_params())
        ledger = self.result_.ledger
        kept = self.result_.kept().to_pylist()
        labels = {row: label for label, row in enumerate(kept)}
        labels |= {row - 1: labels[stays - 1] for row, stays in zip(ledger["removed_record"], ledger["kept_record"])}
        self.labels_ = _array([labels.get(row, -1) for row in range(len(texts))])
        self.kept_ = _array(kept)
        return self

    def fit_predict(self, X: Iterable[str], y: object = None) -> Any:
        """The labels of the texts."""
        return self.fit(X).labels_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> NearDuplicates:
        """Sets parameters by name."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError(f"{name!r} is no parameter of NearDuplicates")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn, which calls this, needs to know: a clusterer of texts."""
        utils = import_module("sklearn.utils")
        inputs = utils.InputTags(one_d_array=True, two_d_array=False, string=True)
        return utils.Tags(estimator_type="clusterer", target_tags=utils.TargetTags(required=False), input_tags=inputs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"


def _array(numbers: list[int]) -> Any:
    """Whole numbers as scikit-learn has them."""
    try:
        return import_module("numpy").array(numbers, dtype="int64")
    except ImportError:
        return numbers
