"""A filter of a stream of messages, by what people reported about earlier ones."""

from __future__ import annotations

import json
import os
from contextlib import closing
from os import PathLike, fspath
from types import TracebackType
from typing import Any, Literal, NamedTuple

from lookalike import _lookalike
from lookalike._documents import Documents, Opener, opener
from lookalike._index_query import Ask
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import COLUMNS, Settings, Threshold, threshold_text


class Rule(NamedTuple):
    """Which prototypes a message matches; the names are those of the extension module's struct."""

    ask: str | None
    threshold: str | None
    min_words: int | None


class Verdict(NamedTuple):
    """What is said about a message, and why."""

    #: The id of the message.
    id: str
    #: Whether it matches prototypes that enough people called spam; one that somebody called legitimate (``ham``);
    #: others (``unsure``); none; or could not be read (``error``).
    verdict: Literal["none", "ham", "unsure", "spam", "error"]
    #: How well it matches the prototype that decided, from 0 to 1.
    score: float
    #: The prototype that decided: ``id``, ``resemblance``, ``query_in_document``, ``document_in_query``, ``shared``,
    #: ``size``.
    match: dict[str, Any] | None = None
    #: What was reported about it: ``spam`` and ``ham`` reporters, ``first`` and ``last`` time.
    reports: dict[str, Any] | None = None
    #: The rarest terms of the signature that agreed, for methods that select terms.
    terms: list[str] = []
    #: The longest passages in common: ``words`` and ``text``.
    passages: list[dict[str, Any]] = []
    #: Why the message could not be read.
    problem: str | None = None


class Reported(NamedTuple):
    """What became of a report."""

    #: The id of the message.
    id: str
    #: Whether the message became the prototype.
    new: bool
    #: Whether the counts changed: not if this reporter said the same before.
    counted: bool
    #: What was reported about the prototype, this report included.
    reports: dict[str, Any]
    #: The prototype for which the report counts; None if there was nothing to take back, or the message has no words.
    prototype: str | None = None


class MessageFilter:
    """Gives verdicts on messages, by the documents of an index (*prototypes*) that people reported as spam or as
    legitimate.

    Verdicts are given by the last commit, and change nothing. A report is durable when the call returns. A filter
    pickles by its path, and a process that was forked opens it again by itself.

    Parameters
    ----------
    path : path or Index
        The index, or its directory.
    ask : str, optional
        Which prototypes a message matches: ``"resembles"``, ``"contained-in"`` (it contains the prototype),
        ``"containing"``, ``"cosine"``, or a method of the index. By default that of :meth:`set_rule`, else
        ``"resembles"``.
    threshold : float or str, optional
        What the measure has to reach; by default that of :meth:`set_rule`, else 0.4, 0.5, 0.8 or 0.7.
    min_words : int, optional
        A message with fewer words matches only one with the same words and title; by default that of
        :meth:`set_rule`, else 64.
    reports : int, optional
        How many different reporters make a prototype spam; by default that of :meth:`set_rule`, else 3.
    reasons : int
        How many passages or terms a verdict gives.

    Examples
    --------
    >>> import lookalike, pathlib, tempfile
    >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "spam.index", ttl="90d")
    >>> offer = " ".join(f"reason {n} to buy it" for n in range(20))
    >>> messages = lookalike.MessageFilter(index)
    >>> for reporter in ["ann", "bob", "carl"]:
    ...     _ = messages.report("spam", [{"id": "m1", "text": offer}], reporter=reporter)
    >>> verdict = messages.verdict(f"Dear friend, {offer} Yours, E.", id="m2")
    >>> verdict.verdict, verdict.match["id"], verdict.reports["spam"]
    ('spam', 'm1', 3)
    >>> messages.verdict("Shall we meet at noon?").verdict
    'none'
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        ask: Ask | None = None,
        threshold: Threshold | None = None,
        min_words: int | None = None,
        reports: int | None = None,
        reasons: int = 3,
    ) -> None:
        #: The directory.
        self.path = os.path.abspath(fspath(path))
        self._rule = Rule(ask, None if threshold is None else threshold_text(threshold), min_words)
        self._reports, self._reasons = reports, reasons
        self._filter = _lookalike.MessageFilter(self.path, self._rule, reports, reasons)

    def verdict(self, text: str, /, *, id: str | None = None, title: str | None = None) -> Verdict:
        """The verdict on a message; its title is the subject."""
        return Verdict(**json.loads(self._filter.verdict(text, id, title)))

    def verdicts(
        self,
        data: Documents,
        /,
        *,
        name: str = "messages",
        strict: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> list[Verdict]:
        """The verdicts on messages in their order, all by one commit.

        Parameters
        ----------
        data : as of :func:`dedup`
            The messages.
        name : str
            Messages without an id are called ``name:record``.
        strict : bool
            Raise at the first message without a text, whose verdict else is ``error``.
        threads, progress
            As of :func:`dedup`.
        **columns
            Names of columns: ``text="body"``, ``title="subject"``.
        """
        fields, messages = _messages(data, name, columns)
        limits = options(threads=threads, memory=None, scratch=None, progress=progress, strict=strict)
        verdicts = json.loads(self._filter.verdicts(messages, fields.to_json(), limits))
        return [Verdict(**verdict) for verdict in verdicts]

    def report(
        self,
        report: Literal["spam", "ham", "revoke"],
        data: Documents | str,
        /,
        *,
        reporter: str,
        time: int | None = None,
        name: str = "messages",
        strict: bool = False,
        progress: Progress = None,
        **columns: Any,
    ) -> list[Reported]:
        """Reports messages, durably: each counts for the prototype that it matches best, or becomes one.

        Parameters
        ----------
        report : {"spam", "ham", "revoke"}
            ``revoke`` takes back what the reporter said.
        data : as of :func:`dedup`, or str
            The messages, or the text of one.
        reporter : str
            Who says so, who counts once for a prototype. Only a digest of the name is stored.
        time : int, optional
            When, in seconds since 1970; by default now.
        name, strict, progress, **columns
            As of :meth:`verdicts`.

        Raises
        ------
        ResourceError
            Another writer has the index (``code == "index_locked"``).
        """
        fields, messages = _messages([data] if isinstance(data, str) else data, name, columns)
        limits = options(threads=None, memory=None, scratch=None, progress=progress, strict=strict)
        with closing(_lookalike.IndexWriter(self.path, limits.threads)) as writer:
            reported = _lookalike.index_report(
                writer, report, reporter, messages, fields.to_json(), self._rule, time, limits
            )
        return [Reported(**one) for one in json.loads(reported)]

    def rule(self) -> dict[str, Any]:
        """The rule that is kept with the prototypes: what was set of ``ask``, ``threshold``, ``min_words`` and ``reports``."""
        with closing(_lookalike.IndexReader(self.path)) as reader:
            rule: dict[str, Any] = json.loads(_lookalike.index_filter_rule(reader))
        return rule

    def set_rule(
        self,
        *,
        ask: Ask | None = None,
        threshold: Threshold | None = None,
        min_words: int | None = None,
        reports: int | None = None,
    ) -> dict[str, Any]:
        """Changes the rule that is kept with the prototypes, for filters and reports that do not give their own.

        What is None stays as it is. Filters that are open keep their rule until they are opened again.
        """
        change = Rule(ask, None if threshold is None else threshold_text(threshold), min_words)
        limits = options(threads=None, memory=None, scratch=None, progress=None, strict=False)
        with closing(_lookalike.IndexWriter(self.path, limits.threads)) as writer:
            rule: dict[str, Any] = json.loads(_lookalike.index_set_filter_rule(writer, change, reports, limits))
        return rule

    def prototypes(self) -> list[dict[str, Any]]:
        """The prototypes in the order in which they were added: ``id``, ``reports``, and ``expires`` where they do."""
        with closing(_lookalike.IndexReader(self.path)) as reader:
            prototypes: list[dict[str, Any]] = json.loads(_lookalike.index_prototypes(reader))
        return prototypes

    def close(self) -> None:
        """Releases the files."""
        self._filter.close()

    def __enter__(self) -> MessageFilter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened_again, (self.path, self._rule, self._reports, self._reasons)

    def __repr__(self) -> str:
        return f"<lookalike.MessageFilter: {self.path}>"


def _opened_again(path: str, rule: Rule, reports: int | None, reasons: int) -> MessageFilter:
    return MessageFilter(
        path, ask=rule.ask, threshold=rule.threshold, min_words=rule.min_words, reports=reports, reasons=reasons
    )


def _messages(data: Documents, name: str, columns: dict[str, Any]) -> tuple[Settings, Opener]:
    unknown = sorted(set(columns) - set(COLUMNS))
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument, and no name of a column: {', '.join(COLUMNS)}")
    fields = Settings(**columns)
    return fields, opener(data, fields, name, list(columns.values()))
