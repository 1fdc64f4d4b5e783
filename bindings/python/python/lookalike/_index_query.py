"""Questions to an index, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, overload

from lookalike._settings import Threshold, threshold_text

#: What is measured between the query Q and a stored document D; or the name of a method of the index.
Ask = Literal["resembles", "containing", "contained-in", "cosine", "cluster"] | str


class Question(NamedTuple):
    """What the extension module takes; the names are those of its struct."""

    ask: str
    threshold: str | None
    limit: int | None
    site: str | None
    since: str | None
    before: str | None
    sweep: str | None
    kept: bool
    passages: bool


class About(NamedTuple):
    """What a question is about; the names are those of the extension module's struct."""

    text: str | None
    id: str | None
    url: str | None

    @classmethod
    def one(cls, caller: str, text: str | None, id: str | None, url: str | None) -> About:
        """One of them.

        Raises
        ------
        TypeError
            None or several, or no text.
        """
        about = cls(text, id, url)
        if sum(value is not None for value in about) != 1:
            raise TypeError(f"{caller}() takes a text, id= or url=, one of them")
        if not all(value is None or isinstance(value, str) for value in about):
            raise TypeError(
                f"{caller}() is about a text, an id or an address, which are str; query_batch() takes tables"
            )
        return about


def question(
    *,
    ask: Ask = "resembles",
    threshold: Threshold | None = None,
    limit: int | None = None,
    site: str | None = None,
    since: object = None,
    before: object = None,
    sweep: str | None = None,
    kept: bool = False,
    passages: bool = False,
) -> Question:
    """Checks what a caller asks."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise ValueError(f"limit={limit!r}: a number of documents, from 1")
    if ask == "passages":
        raise ValueError("ask='passages': Index.query_passages() says which documents have a passage of a text")
    return Question(
        ask=ask,
        threshold=None if threshold is None else threshold_text(threshold),
        limit=limit,
        site=site,
        since=date_text(since),
        before=date_text(before),
        sweep=sweep,
        kept=kept,
        passages=passages,
    )


def date_text(date: object) -> str | None:
    """A date as text: what has ``isoformat`` is written in that way."""
    written = getattr(date, "isoformat", None)
    return written() if written is not None else None if date is None else str(date)


class _Stored(Protocol):
    @property
    def id(self) -> str: ...


_Document = TypeVar("_Document", bound=_Stored)


class FoundDocuments(Sequence[_Document]):
    """The documents that answer a question, the best first."""

    def __init__(self, data: dict[str, Any], documents: list[_Document]) -> None:
        self.data = data
        self._documents = documents
        self.total: int = data["total"]
        self.commit: int = data["commit"]

    @property
    def cost(self) -> dict[str, int]:
        """What the answer cost: lookups, entries of postings that were read, candidates, verified documents."""
        cost: dict[str, int] = self.data["cost"]
        return cost

    def ids(self) -> list[str]:
        """The ids, the best first."""
        return [found.id for found in self._documents]

    @overload
    def __getitem__(self, at: int) -> _Document: ...
    @overload
    def __getitem__(self, at: slice) -> list[_Document]: ...
    def __getitem__(self, at: int | slice) -> _Document | list[_Document]:
        return self._documents[at]

    def __len__(self) -> int:
        return len(self._documents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.data == other.data


class Match(NamedTuple):
    """A stored document D that answers a question about a query Q, with the counts that prove it."""

    id: str
    #: |Q∩D| / |Q∪D|.
    resemblance: float
    #: |Q∩D| / |Q|.
    query_in_document: float
    #: |Q∩D| / |D|.
    document_in_query: float
    #: |Q∩D| / √(|Q|·|D|).
    cosine: float
    #: |Q∩D|.
    shared: int
    #: |D|.
    size: int
    #: Whether leader clustering keeps it.
    kept: bool
    #: The id of its cluster: that of the kept document that leads it.
    cluster: str
    url: str | None = None
    date: str | None = None
    sweep: str | None = None
    #: What the method says, where a method was asked.
    method: str | None = None
    #: Passages in common, where they were asked for.
    passages: list[dict[str, Any]] | None = None


class Matches(FoundDocuments[Match]):
    """The documents that answer a question, the best first; made by :meth:`Index.query`.

    Attributes
    ----------
    total : int
        How many there are; with a limit, at least so many.
    total_exact : bool
        Whether `total` is exact.
    size : int
        Features of the query.
    commit : int
        The commit that was asked.
    data : dict
        The whole answer, as ``lookalike query --format json`` prints it.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data, [Match(**found) for found in data["matches"]])
        self.total_exact: bool = data["total_exact"]
        self.size: int = data["size"]

    def __repr__(self) -> str:
        if not self:
            return "no document"
        header = ("id", "resemblance", "query in it", "it in query", "shared", "size", "kept", "url")
        rows = [
            (
                found.id,
                f"{found.resemblance:.4f}",
                f"{found.query_in_document:.4f}",
                f"{found.document_in_query:.4f}",
                str(found.shared),
                str(found.size),
                "kept" if found.kept else "",
                found.url or "",
            )
            for found in self
        ]
        widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [header, *rows]]
        if self.total > len(self) or not self.total_exact:
            lines.append(f"{len(self)} of {'' if self.total_exact else 'at least '}{self.total} documents")
        return "\n".join(lines)
