"""Feature sets and signatures of texts, for pipelines of one's own."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from lookalike._documents import Documents, opener, row_count
from lookalike._errors import DataError, SettingsError
from lookalike._lookalike import Array, Signing, Table
from lookalike._options import SettingsKeywords, Unpack
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import Settings, shows, with_columns


class Signatures:
    """The signatures of documents by a method, one a row; made by :meth:`Signer.sign`."""

    def __init__(self, keys: Array, sketches: Array) -> None:
        self._keys, self._sketches = keys, sketches

    def keys(self) -> Array:
        """Lists of whole numbers: documents with a common one are candidates. None for what cannot be signed."""
        return self._keys

    def sketches(self) -> Array:
        """Lists of whole numbers: the sketch by which the method compares two documents."""
        return self._sketches

    def matrix(self) -> Any:
        """The sketches as a NumPy array of shape (rows, values), of type uint64; needs NumPy.

        Raises
        ------
        DataError
            Sketches of different lengths, or rows without one.
        """
        import numpy

        rows = self._sketches.to_pylist()
        missing = next((row for row, sketch in enumerate(rows) if sketch is None), None)
        if missing is not None:
            raise DataError(f"row {missing} has no sketch: it could not be read, or not be signed", "no_sketch")
        lengths = {len(sketch) for sketch in rows}
        if len(lengths) > 1:
            raise DataError(f"the method's sketches have {min(lengths)} to {max(lengths)} values", "no_matrix")
        return numpy.array(rows, dtype=numpy.uint64).reshape(len(rows), max(lengths, default=0))

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"<lookalike.Signatures: {len(self)} rows>"


class Signer:
    """Signs texts as a run with the same settings does, batch by batch and in any process.

    Picklable: its state is its settings, so it goes to workers of ``map_batches``, ``mapInArrow`` and
    ``Dataset.map``.

    Parameters
    ----------
    method : str, optional
        A method of the papers, ``"name:parameter=value,…"``, whose signatures are made. Those that need document
        frequencies need ``lexicon=``. Without one, only :meth:`features` can be called.
    settings : Settings, optional
        How texts become features; or any keyword of :class:`Settings`.

    Examples
    --------
    >>> import lookalike
    >>> signer = lookalike.Signer("minhash-lsh:bands=4,rows=2")
    >>> texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!", "to be or not to be"]
    >>> keys = signer.sign(texts).keys().to_pylist()
    >>> len(keys[0]), keys[0] == keys[1], set(keys[0]) & set(keys[2])
    (4, True, set())
    >>> [len(features) for features in signer.features(texts)]
    [3, 3, 2]
    """

    @shows(SettingsKeywords)
    def __init__(
        self, method: str | None = None, /, *, settings: Settings | None = None, **keywords: Unpack[SettingsKeywords]
    ) -> None:
        named = keywords.get("method") if settings is None else settings.method
        if method is not None and named is not None:
            raise SettingsError(f"method={named!r} of the settings, and {method!r}; give one", "method")
        if method is not None and settings is None:
            keywords["method"] = method
        given, _ = with_columns(settings, keywords)
        if method is not None:
            given = given.replace(method=method)
        #: The settings, with the method.
        self.settings = given

    @cached_property
    def _signing(self) -> Signing:
        return Signing(self.settings.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self.settings,)

    def sign(self, data: Documents, /, *, threads: int | None = None, progress: Progress = None) -> Signatures:
        """The signatures of documents, in their order.

        Parameters
        ----------
        data : as of :func:`dedup`
        threads, progress
            As of :func:`dedup`.
        """
        keys, sketches = self._signing.signatures(*self._call(data, threads, progress))
        return Signatures(keys, sketches)

    def features(self, data: Documents, /, *, threads: int | None = None, progress: Progress = None) -> Array:
        """The exact feature sets of documents: ascending lists of whole numbers of 64 bits.

        Two sets have as many numbers in common as :func:`compare` counts. None for texts that have no features.
        """
        return self._signing.features(*self._call(data, threads, progress))

    def _call(self, data: Documents, threads: int | None, progress: Progress) -> tuple[Any, Any]:
        limits = options(threads=threads, memory=None, scratch=None, progress=progress, rows=row_count(data))
        return opener(data, self.settings, "texts", [self.settings.text]), limits

    def batch(self, batch: Documents, /) -> Table:
        """The keys and sketches of a batch as a table of two columns, on one thread.

        For functions that get a batch and return one: ``map_batches`` of Ray and Polars, ``mapInArrow`` of Spark,
        ``Dataset.map(batched=True)``.
        """
        signed = self.sign(batch, threads=1)
        return Table.of_columns(["keys", "sketch"], [signed.keys(), signed.sketches()])

    def __repr__(self) -> str:
        return f"<lookalike.Signer: {self.settings.method or 'feature sets'}>"


def _made_again(settings: Settings) -> Signer:
    return Signer(settings=settings)
