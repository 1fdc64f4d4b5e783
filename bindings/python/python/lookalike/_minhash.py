"""Min-hash sketches of sets, in the shape of datasketch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lookalike._errors import SettingsError
from lookalike._lookalike import Array, Sketch

#: Most minima of a sketch.
_MOST = 4096


class MinHash:
    """A sketch of a set: `num_perm` minima, of which two sets share as many as they resemble each other.

    The names are those of datasketch, the numbers are not: elements are hashed by the fixed hash of this package, and
    the minima are those of the method ``minhash-lsh``. One of datasketch's sketches cannot be compared with one of
    these.

    Parameters
    ----------
    num_perm : int, default 128
        Number of minima, at most 4096. The standard error of :meth:`jaccard` is at most ``0.5 / sqrt(num_perm)``.
    seed : int, default 1
        Which random orders of all elements are used. Sketches of one seed can be compared; 1 is that of the methods.
    keep_set : bool, default False
        Keep the set itself, 64 bits an element, so that :class:`MinHashLSH` can compare sets exactly.

    Examples
    --------
    >>> import lookalike
    >>> a, b = lookalike.MinHash(num_perm=256), lookalike.MinHash(num_perm=256)
    >>> a.update_batch(f"word{n}" for n in range(80))
    >>> b.update_batch(f"word{n}" for n in range(20, 100))
    >>> abs(a.jaccard(b) - 60 / 100) < 0.1
    True
    >>> a.merge(b)
    >>> abs(a.count() - 100) < 25
    True
    """

    __slots__ = ("_sketch", "num_perm", "seed")

    #: Number of minima.
    num_perm: int
    seed: int

    def __init__(self, num_perm: int = 128, seed: int = 1, *, keep_set: bool = False) -> None:
        if not 1 <= num_perm <= _MOST:
            raise SettingsError(f"num_perm={num_perm} is not between 1 and {_MOST}", "num_perm")
        if not 0 <= seed < 1 << 64:
            raise SettingsError(f"seed={seed} is not a whole number of 64 bits", "seed")
        self._become(Sketch(num_perm, seed, keep_set), num_perm, seed)

    def _become(self, sketch: Sketch, num_perm: int, seed: int) -> None:
        self._sketch, self.num_perm, self.seed = sketch, num_perm, seed

    def update(self, element: bytes | str) -> None:
        """Adds an element: its bytes, or a text, which is the same as its UTF-8 bytes."""
        self._sketch.update(element)

    def update_batch(self, elements: Iterable[bytes | str]) -> None:
        """Adds elements; much faster than one at a time."""
        self._sketch.update_batch(elements)

    def update_features(self, features: Iterable[int]) -> None:
        """Adds elements that are fingerprints of 64 bits already, such as a row of :meth:`Signer.features`.

        They have to be well mixed: small consecutive numbers are not; write those as bytes.

        Examples
        --------
        >>> import lookalike
        >>> text = "a rose is a rose is a rose"
        >>> m = lookalike.MinHash()
        >>> m.update_features(lookalike.Signer().features([text])[0])
        >>> signatures = lookalike.Signer("minhash-lsh").sign([text])
        >>> m.digest().to_pylist() == signatures.sketches()[0]
        True
        """
        self._sketch.update_features(list(features))

    def jaccard(self, other: MinHash) -> float:
        """An estimate of the resemblance |A∩B| / |A∪B|: the share of equal minima.

        Raises
        ------
        SettingsError
            Another number of minima, or another seed.
        TypeError
            A sketch of another library.
        """
        return self._sketch.equal(comparable(self, other)) / self.num_perm

    def merge(self, other: MinHash) -> None:
        """Adds the elements of another set. The sets themselves are still kept if they were of both."""
        self._sketch.merge(comparable(self, other))

    @classmethod
    def union(cls, *sketches: MinHash) -> MinHash:
        """The sketch of the union of sets."""
        if not sketches:
            raise TypeError("union() takes one sketch or more")
        whole = sketches[0].copy()
        for sketch in sketches[1:]:
            whole.merge(sketch)
        return whole

    def count(self) -> float:
        """An estimate of the number of distinct elements; its relative standard error is about 1 / sqrt(num_perm)."""
        return self._sketch.count()

    def digest(self) -> Array:
        """The minima. Those of an empty set are the largest number."""
        return self._sketch.digest()

    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return self._sketch.is_empty()

    def clear(self) -> None:
        """Removes all elements."""
        self._sketch = Sketch(self.num_perm, self.seed, self._sketch.keeps_set())

    def copy(self) -> MinHash:
        """A sketch of the same set, which is changed on its own."""
        made = MinHash.__new__(type(self))
        made._become(self._sketch.copy(), self.num_perm, self.seed)
        return made

    @classmethod
    def generator(cls, sets: Iterable[Iterable[bytes | str]], **parameters: Any) -> Iterator[MinHash]:
        """Sketches of sets, one after the other; `parameters` are those of :class:`MinHash`."""
        for elements in sets:
            sketch = cls(**parameters)
            sketch.update_batch(elements)
            yield sketch

    @classmethod
    def bulk(cls, sets: Iterable[Iterable[bytes | str]], **parameters: Any) -> list[MinHash]:
        """Sketches of sets.

        Examples
        --------
        >>> import lookalike
        >>> a, b = lookalike.MinHash.bulk([["to", "be"], [b"be", b"to", b"be"]], num_perm=64)
        >>> a == b, len(a)
        (True, 64)
        """
        return list(cls.generator(sets, **parameters))

    def __len__(self) -> int:
        """Number of minima."""
        return self.num_perm

    def __eq__(self, other: object) -> bool:
        """Whether two sketches have the same minima: equal sets do."""
        return isinstance(other, MinHash) and self._sketch.same(other._sketch)

    # A sketch changes.
    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> MinHash:
        return self.copy()

    def __deepcopy__(self, memory: dict[int, Any]) -> MinHash:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), *self._sketch.parts())

    def __repr__(self) -> str:
        return f"<lookalike.MinHash: {self.num_perm} minima, about {self.count():.0f} elements>"


def _unpickled(kind: type[MinHash], num_perm: int, seed: int, minima: list[int], kept: set[int] | None) -> MinHash:
    made = MinHash.__new__(kind)
    made._become(Sketch.of_parts(num_perm, seed, minima, kept), num_perm, seed)
    return made


def comparable(sketch: MinHash, other: object) -> Sketch:
    """What the extension module compares a sketch with.

    Raises
    ------
    TypeError
        What is no sketch of this package.
    SettingsError
        Another number of minima, or another seed.
    """
    given = checked(other)
    for name in ("num_perm", "seed"):
        own, its = getattr(sketch, name), getattr(given, name)
        if own != its:
            raise SettingsError(f"sketches with {name}={own} and {name}={its} cannot be compared", name)
    return given._sketch


def checked(given: object) -> MinHash:
    """A sketch of this package.

    Raises
    ------
    TypeError
        Anything else.
    """
    if isinstance(given, MinHash):
        return given
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    if library == "datasketch":
        raise TypeError(f"a {library}.{kind.__name__}; sign the text again")
    raise TypeError(f"a lookalike.MinHash is wanted, not {kind.__name__}")
