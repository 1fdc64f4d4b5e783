"""The namespace ``lookalike`` of Polars expressions; importing this module registers it.

>>> import polars
>>> import lookalike.polars
>>> frame = polars.DataFrame({"text": ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"]})
>>> frame.filter(polars.col("text").lookalike.is_kept(threshold=0.8))["text"].to_list()
['a rose is a rose is a rose', 'to be or not to be']

Texts are read where Polars holds them, in eager and in lazy frames. For the evidence (ledger, pairs, clusters) give the
collected frame to :func:`lookalike.dedup`.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import polars

from lookalike._dedup import dedup
from lookalike._options import SettingsKeywords, Unpack
from lookalike._settings import Settings, shows, with_columns
from lookalike._signer import Signer

_NUMBERS = polars.List(polars.UInt64)


@polars.api.register_expr_namespace("lookalike")
class LookalikeExpressions:
    """What expressions of texts can be asked: ``polars.col("text").lookalike``.

    An expression of a struct is asked as well: its fields are the columns of the documents, for what needs more than the
    text, such as ``keep="newest"``.
    """

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    @shows(SettingsKeywords)
    def is_kept(
        self,
        *,
        settings: Settings | None = None,
        strict: bool = False,
        drop_problems: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        scratch: str | PathLike[str] | None = None,
        **keywords: Unpack[SettingsKeywords],
    ) -> polars.Expr:
        """For each document of the column whether :func:`lookalike.dedup` keeps it.

        The whole column is compared, so a streaming query collects it here; ``.over("source")`` compares the documents
        of each source with each other only.

        Parameters
        ----------
        settings : Settings, optional
            What decides; or any keyword of :class:`lookalike.Settings`, such as ``threshold``.
        strict, drop_problems, threads, memory, scratch
            As of :func:`lookalike.dedup`. Without `drop_problems`, a row without text is kept.

        Returns
        -------
        polars.Expr
            Of type Boolean.

        Examples
        --------
        >>> import polars
        >>> import lookalike.polars
        >>> frame = polars.DataFrame({"text": ["a b c d e f", "a b c d e f", None], "date": ["2024", "2025", "2026"]})
        >>> frame.select(polars.col("text").lookalike.is_kept())["text"].to_list()
        [True, False, True]
        >>> newest = polars.struct("text", "date").lookalike.is_kept(keep="newest", drop_problems=True)
        >>> frame.select(newest.alias("kept"))["kept"].to_list()
        [False, True, False]
        """
        # Wrong ones are said here and not by the query.
        given, _ = with_columns(settings, keywords)

        def kept(column: polars.Series) -> polars.Series:
            documents = _documents(column, given)
            found = dedup(
                documents, settings=given, strict=strict, drop_problems=drop_problems, threads=threads, memory=memory,
                scratch=scratch,
            )  # fmt: skip
            return polars.Series(found.mask())

        return self._expression.map_batches(kept, return_dtype=polars.Boolean)

    @shows(SettingsKeywords)
    def features(
        self, *, settings: Settings | None = None, threads: int | None = None, **keywords: Unpack[SettingsKeywords]
    ) -> polars.Expr:
        """The feature set of each document, as :meth:`lookalike.Signer.features` gives it.

        Elementwise: a streaming query computes it batch by batch.

        Parameters
        ----------
        settings : Settings, optional
            How texts become features; or any keyword of :class:`lookalike.Settings`, such as ``shingle``.
        threads : int, optional
            As of :func:`lookalike.dedup`. A streaming query calls from several threads at once: 1 is enough for each.

        Returns
        -------
        polars.Expr
            Ascending lists of UInt64; null for texts that have no features.

        Examples
        --------
        >>> import polars
        >>> import lookalike.polars
        >>> frame = polars.DataFrame({"text": ["a rose is a rose is a rose", "to be or not to be"]})
        >>> frame.select(polars.col("text").lookalike.features(shingle=4).list.len())["text"].to_list()
        [3, 3]
        """
        signer = Signer(settings=settings, **keywords)
        return self._signed(signer, lambda documents: signer.features(documents, threads=threads))

    @shows(SettingsKeywords)
    def keys(
        self,
        method: str,
        /,
        *,
        settings: Settings | None = None,
        threads: int | None = None,
        **keywords: Unpack[SettingsKeywords],
    ) -> polars.Expr:
        """The keys of each document by a method of the papers: documents with a common one are candidates.

        Elementwise: a streaming query computes it batch by batch.

        Parameters
        ----------
        method : str
            As of :class:`lookalike.Signer`.
        settings, threads
            As of :meth:`features`.

        Returns
        -------
        polars.Expr
            Lists of UInt64; null for texts that cannot be signed.

        Examples
        --------
        Candidates, by a join on the keys:

        >>> import polars
        >>> import lookalike.polars
        >>> frame = polars.DataFrame({"row": [0, 1, 2], "text": ["a b c d e f", "to be or not to be", "a b c d e f"]})
        >>> keys = frame.select("row", keys=polars.col("text").lookalike.keys("minhash-lsh:bands=4,rows=2")).explode("keys")
        >>> keys.join(keys, on="keys").filter(polars.col("row") < polars.col("row_right")).select("row", "row_right").unique().rows()
        [(0, 2)]
        """
        signer = Signer(method, settings=settings, **keywords)
        return self._signed(signer, lambda documents: signer.sign(documents, threads=threads).keys())

    @shows(SettingsKeywords)
    def sketch(
        self,
        method: str,
        /,
        *,
        settings: Settings | None = None,
        threads: int | None = None,
        **keywords: Unpack[SettingsKeywords],
    ) -> polars.Expr:
        """The sketch of each document, by which a method of the papers compares two of them; else as :meth:`keys`.

        Examples
        --------
        >>> import polars
        >>> import lookalike.polars
        >>> frame = polars.DataFrame({"text": ["a rose is a rose is a rose", "to be or not to be"]})
        >>> frame.select(polars.col("text").lookalike.sketch("minhash-lsh:bands=16,rows=8").list.len())["text"].to_list()
        [128, 128]
        """
        signer = Signer(method, settings=settings, **keywords)
        return self._signed(signer, lambda documents: signer.sign(documents, threads=threads).sketches())

    def _signed(self, signer: Signer, sign: Callable[[polars.DataFrame], Any]) -> polars.Expr:
        def signed(column: polars.Series) -> polars.Series:
            return polars.Series(sign(_documents(column, signer.settings)), dtype=_NUMBERS)

        # What cannot be signed with shall be said here and not by the query.
        signed(polars.Series("", [], dtype=polars.String))
        return self._expression.map_batches(signed, return_dtype=_NUMBERS, is_elementwise=True)


def _documents(column: polars.Series, settings: Settings) -> polars.DataFrame:
    """The documents of a column, which are not copied."""
    if isinstance(column.dtype, polars.Struct):
        return column.struct.unnest()
    return column.alias(settings.text).to_frame()
