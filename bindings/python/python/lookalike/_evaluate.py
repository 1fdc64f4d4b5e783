"""Recall, precision and cost of methods on documents of one's own."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

from lookalike import _lookalike
from lookalike._documents import Documents, opener
from lookalike._errors import DataError
from lookalike._labels import Labels, classes_of, true_pairs
from lookalike._lexicon import Lexicon
from lookalike._lookalike import Table
from lookalike._options import PlainKeywords, Unpack
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import Settings, Threshold, shows, threshold_text, with_columns


class Trials(NamedTuple):
    """What the extension module takes; the names are those of its struct."""

    methods: list[str]
    lexicons: list[str]
    truth: Labels | None
    list_from: str | None
    classes: Labels | None
    spam: str
    legit: str
    cost: int
    sample: int | None
    seed: int


class Evaluation:
    """What methods find and what they cost; made by :func:`evaluate`. Tables speak Arrow, as those of a result."""

    #: A row for each method: recall, precision, clusters, ignored documents, bytes.
    methods: Table
    #: Recall by similarity, with the expectation from theory.
    deciles: Table
    #: Documents that could not be used, and why.
    problems: Table

    def __init__(
        self, summary: str, headline: str, rows: list[list[str]], methods: Table, deciles: Table, problems: Table
    ) -> None:
        self.methods, self.deciles, self.problems = methods, deciles, problems
        #: The content of ``evaluation.json``; what depends on the machine is under ``run``.
        self.summary: dict[str, Any] = json.loads(summary)
        self._headline, self._rows = headline, rows

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._rows)]
        lines = (
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
            for row in self._rows
        )
        return "\n".join([self._headline, *lines])

    def _repr_html_(self) -> str:
        header, *rows = self._rows
        names = "".join(f"<th scope='col'>{html.escape(name)}</th>" for name in header)
        body = "".join(
            f"<tr><th scope='row' align='left'>{html.escape(row[0])}</th>"
            + "".join(f"<td align='right'>{html.escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        )
        return f"<table><caption>{html.escape(self._headline)}</caption><tr>{names}</tr>{body}</table>"


@shows(PlainKeywords)
def evaluate(
    data: Documents,
    methods: str | Sequence[str] = (),
    /,
    *,
    truth: Any = None,
    list_from: Threshold | None = None,
    sample: int | None = None,
    seed: int = 1,
    lexicons: Lexicon | str | PathLike[str] | Sequence[Lexicon | str | PathLike[str]] = (),
    classes: Any = None,
    spam: str = "spam",
    legit: str = "ham",
    cost: int = 100,
    settings: Settings | None = None,
    name: str = "table",
    max_pairs: int = 10_000_000,
    strict: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress = None,
    **keywords: Unpack[PlainKeywords],
) -> Evaluation:
    """Measures methods on documents: what each finds of the true pairs, and what it costs.

    Parameters
    ----------
    data : as of :func:`dedup`
        The documents, which are read once for each method: no stream.
    methods : str or sequence of str
        Methods, ``"name:parameter=value,…"``, each with ``@exact``, ``@sketch`` (default) or ``@none`` behind it for
        what decides about its candidates; ``"exact"`` is the exact join. One parameter may be a range ``LOW..=HIGH``
        or a list ``A|B|C``. By default one or two of each family.
    truth : optional
        What is true, instead of all pairs that reach the threshold: pairs of ids or of row numbers; a label for each
        row (None for none), where rows with equal ones are pairs; a table or columns by name with ``a_id`` and
        ``b_id``, or ``id`` and ``cluster`` (and ``a_file``, ``a_record``, … as ``pairs`` and ``clusters`` of a result
        have them); or the path of such a tab-separated file.
    list_from : float or str, optional
        Similarity from which pairs are listed, for recall by similarity; by default 0.5 for resemblance.
    sample, seed : int, optional
        Take the true pairs of so many random documents with all others.
    lexicons : Lexicon, path, or sequence of them
        Document frequencies for the methods that need them; by default they are counted in the documents.
    classes : dict, table or path, optional
        Classes of documents by id, for filters of spam: of these, `spam` is to be removed and `legit` is not; `cost`
        is that of a removed legitimate document.
    settings, name, strict, threads, memory, scratch, progress
        As of :func:`dedup`.
    max_pairs : int
        More pairs end the call with an error: recall would be that of a part.

    Returns
    -------
    Evaluation
        Its figures are those of ``lookalike evaluate`` over the same rows.

    Raises
    ------
    DataError
        Labels that cannot be used, or a column that is missing.
    SettingsError
        Methods that do not exist; documents that are a stream.

    Examples
    --------
    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!", "to be or not to be", "to be, or to be"]
    >>> found = lookalike.evaluate(texts, ["exact", "minhash-lsh@none"], truth=[(0, 1), (2, 3)])
    >>> [(row["method"], row["recall"], row["precision"]) for row in found.methods.to_pylist()]
    [('exact', 0.5, 1.0), ('minhash-lsh@none', 0.5, 1.0)]
    """
    settings, named = with_columns(settings, keywords)
    limits = options(
        threads=threads, memory=memory, scratch=scratch, progress=progress, strict=strict, max_pairs=max_pairs
    )
    documents = opener(data, settings, name, named)
    labels, labelled = (None, None) if truth is None else true_pairs(truth, name)
    given = [lexicons] if isinstance(lexicons, (Lexicon, str, PathLike)) else lexicons
    trials = Trials(
        methods=[methods] if isinstance(methods, str) else list(methods),
        lexicons=[fspath(each) for each in given],
        truth=labels,
        list_from=None if list_from is None else threshold_text(list_from),
        classes=None if classes is None else classes_of(classes),
        spam=spam,
        legit=legit,
        cost=cost,
        sample=sample,
        seed=seed,
    )
    found = Evaluation(*_lookalike.evaluate(documents, settings.to_json(), trials, limits))
    rows = found.summary["documents"] + found.summary["problems"]
    if labelled is not None and labelled != rows:
        raise DataError(f"truth has {labelled} labels, and there are {rows} documents", "labels")
    return found
