"""Near-duplicates as an estimator in the style of scikit-learn, which need not be installed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
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
    labels_ : list of int
        For each text the row of the text that stays for it: its own where it stays.
    kept_ : list of int
        Rows of the texts that stay.
    result_ : lookalike.Result
        The evidence.

    Examples
    --------
    >>> from lookalike.sklearn import NearDuplicates
    >>> NearDuplicates(threshold=0.7).fit_predict(["a rose is a rose is a rose", "to be or not", "A rose is a rose is a rose!"])
    [0, 1, 0]
    """

    labels_: list[int]
    kept_: list[int]
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
        stays = {row - 1: kept - 1 for row, kept in zip(ledger["removed_record"], ledger["kept_record"])}
        self.labels_ = [stays.get(row, row) for row in range(len(texts))]
        self.kept_ = self.result_.kept().to_pylist()
        return self

    def fit_predict(self, X: Iterable[str], y: object = None) -> list[int]:
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

    def __repr__(self) -> str:
        return f"NearDuplicates({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"
