"""Passages that documents of an index have in common with a text."""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike._index_query import FoundDocuments


class CommonPassage(NamedTuple):
    """A passage of a text and a stored document, as long as it can be. Words are numbered from 0, bytes are those of
    UTF-8."""

    #: Number of words.
    words: int
    #: Its first word in the text.
    query_word: int
    #: Its first byte in the text, and the byte behind it.
    query_bytes: tuple[int, int]
    #: Its first word in the document.
    document_word: int
    #: Its first byte in the document, and the byte behind it.
    document_bytes: tuple[int, int]


class PassageMatch(NamedTuple):
    """A stored document that has passages of a text."""

    id: str
    #: Words of the text that are in a passage in common.
    words_in_common: int
    #: Their share of the words of the text.
    share: float
    #: In the order in which they stand in the text, then in the document.
    passages: list[CommonPassage]
    #: Whether leader clustering keeps it.
    kept: bool
    url: str | None = None
    date: str | None = None
    sweep: str | None = None


class PassageMatches(FoundDocuments[PassageMatch]):
    """The documents that have passages of a text, those with most words of it first; made by
    :meth:`Index.query_passages`.

    Attributes
    ----------
    total : int
        How many there are, those beyond the limit included.
    length : int
        The fewest words of a passage.
    words : int
        Words of the text.
    words_in_common : int
        Words of the text that are in a passage of any of the documents, those beyond the limit included.
    share : float
        Their share of the words.
    commit : int
        The commit that was asked.
    data : dict
        The whole answer, as ``lookalike query --ask passages --format json`` prints it.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data, [_match(found) for found in data["documents"]])
        self.length: int = data["length"]
        self.words: int = data["words"]
        self.words_in_common: int = data["words_in_common"]
        self.share: float = data["share"]

    def __repr__(self) -> str:
        lines = [
            f"{found.id}: {found.words_in_common} of {self.words} words, in {len(found.passages)} "
            f"passage{'' if len(found.passages) == 1 else 's'}"
            for found in self
        ]
        if self.total > len(self):
            lines.append(f"{len(self)} of {self.total} documents")
        return "\n".join(lines) or "no document"


def _match(found: dict[str, Any]) -> PassageMatch:
    passages = [
        CommonPassage(
            **{
                **passage,
                "query_bytes": tuple(passage["query_bytes"]),
                "document_bytes": tuple(passage["document_bytes"]),
            }
        )
        for passage in found["passages"]
    ]
    return PassageMatch(**{**found, "passages": passages})
