"""Sketches that are found by bands of minima, in the shape of datasketch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, KeysView
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import Any, Literal, NamedTuple

from lookalike import _lookalike
from lookalike._errors import DataError, SettingsError
from lookalike._minhash import MinHash, checked
from lookalike._settings import Threshold, threshold_text

Verification = Literal["exact", "sketch", "none"]


class _Entry(NamedTuple):
    #: By which results are ordered.
    number: int
    minhash: MinHash


class MinHashLSH:
    """Sketches by key, of which :meth:`query` finds those that resemble another one.

    Two sketches are candidates if all minima of a band agree. The bands are chosen so that a pair *exactly at* the
    threshold is found with probability `recall`. Candidates are verified: by the sets, where they were kept, which gives
    those that reach the threshold and no others; else by the number of equal minima, of which so many are asked for that
    few pairs at the threshold are lost, so that some that are a little less similar pass. For an exact answer about
    documents, there are :func:`dedup` and :func:`cluster`.

    Parameters
    ----------
    threshold : float, default 0.9
        Resemblance that sets have to reach; a decimal as it is written.
    num_perm : int, default 128
        Number of minima of the sketches.
    weights : (float, float), optional
        Choose bands as datasketch does: the least sum of false candidates and missed pairs with these weights. Many
        pairs near the threshold are missed then.
    params : (int, int), optional
        Number of bands, and of minima in each.
    recall : float, default 0.95
        Probability that a pair exactly at the threshold is found.
    seed : int, default 1
        That of the sketches.

    Examples
    --------
    >>> import lookalike
    >>> texts = {"a": "one fish two fish red fish blue fish", "b": "one fish two fish red fish big fish", "c": "to be or not"}
    >>> sketches = {key: lookalike.MinHash() for key in texts}
    >>> for key, text in texts.items():
    ...     sketches[key].update_batch(text.split())
    >>> lsh = lookalike.MinHashLSH(threshold=0.5, num_perm=128)
    >>> for key in "ac":
    ...     lsh.insert(key, sketches[key])
    >>> lsh.query(sketches["b"])
    ['a']
    """

    def __init__(
        self,
        threshold: Threshold = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] | None = None,
        params: tuple[int, int] | None = None,
        *,
        recall: float = 0.95,
        seed: int = 1,
    ) -> None:
        # The parameters of a sketch, which checks them.
        self._like = MinHash(num_perm, seed)
        self._text = threshold_text(threshold)
        at = float(Fraction(self._text))
        if not 0 < at <= 1:
            raise SettingsError(f"threshold={threshold} is not above 0 and at most 1", "threshold")
        if not 0 < recall < 1:
            raise SettingsError(f"recall={recall} is not between 0 and 1", "recall")
        #: As it was given.
        self.threshold, self.recall = threshold, recall
        #: Number of bands, and of minima in each.
        self.b, self.r = self._bands(at, weights, params)
        self._least = _lookalike.least_equal(at, num_perm, recall)
        self._entries: dict[Hashable, _Entry] = {}
        self._added = 0
        self._band_keys: dict[int, list[Hashable]] = defaultdict(list)
        # Of several threads one works at a time.
        self._lock = RLock()

    def _bands(
        self, at: float, weights: tuple[float, float] | None, params: tuple[int, int] | None
    ) -> tuple[int, int]:
        if params is not None:
            b, r = params
            if b < 1 or r < 1 or b * r > self.num_perm:
                raise SettingsError(f"params={params}: {b} bands of {r} need more than num_perm={self.num_perm}", "params")
            return b, r
        if weights is not None and (min(weights) < 0 or max(weights) == 0):
            raise SettingsError(f"weights={weights} are not two numbers from 0 on", "weights")
        found = _lookalike.lsh_bands(at, self.num_perm, self.recall, weights)
        if found is None:
            raise SettingsError(
                f"num_perm={self.num_perm} minima cannot find pairs at {self._text} with recall={self.recall}; take more",
                "num_perm",
            )
        return found

    @property
    def num_perm(self) -> int:
        """Number of minima of the sketches."""
        return self._like.num_perm

    @property
    def seed(self) -> int:
        """Seed of the sketches."""
        return self._like.seed

    def probability(self, resemblance: float) -> float:
        """The probability that sets of this resemblance are candidates: 1 − (1 − s^r)^b.

        >>> import lookalike
        >>> round(lookalike.MinHashLSH(0.8).probability(0.8), 3), round(lookalike.MinHashLSH(0.8).probability(0.3), 4)
        (0.963, 0.0031)
        """
        return _lookalike.lsh_probability(self.b, self.r, resemblance)

    def insert(self, key: Hashable, minhash: MinHash, check_duplication: bool = True) -> None:
        """Adds a sketch under a key. The sketch is copied, and can be changed afterwards.

        Raises
        ------
        DataError
            A key that is there, unless `check_duplication` is False: then the sketch replaces the other one.
        """
        self._check(minhash)
        with self._lock:
            if key in self._entries:
                if check_duplication:
                    raise DataError(f"the key {key!r} is there already", "duplicate_key")
                self.remove(key)
            self._entries[key] = _Entry(self._added, minhash.copy())
            self._added += 1
            for band_key in self._keys(minhash):
                self._band_keys[band_key].append(key)

    def query(self, minhash: MinHash, *, verify: Verification | None = None) -> list[Hashable]:
        """The keys of the sketches that resemble this one, in the order in which they were added.

        Parameters
        ----------
        minhash : MinHash
            The sketch. An empty set resembles none.
        verify : {"exact", "sketch", "none"}, optional
            What decides about candidates: the sets (both sketches were made with ``keep_set=True``), the number of equal
            minima, or nothing, as of datasketch. By default the sets where they were kept, else the sketches.

        Raises
        ------
        SettingsError
            ``verify="exact"``, and a set that was not kept.
        """
        if verify not in (None, "exact", "sketch", "none"):
            raise SettingsError(f"verify={verify!r}: exact, sketch or none", "verify")
        self._check(minhash)
        with self._lock:
            found: dict[Hashable, None] = {}
            for band_key in self._keys(minhash):
                found.update(dict.fromkeys(self._band_keys.get(band_key, ())))
            keys = sorted(found, key=lambda key: self._entries[key].number)
            return keys if verify == "none" else [key for key in keys if self._matches(key, minhash, verify)]

    def _matches(self, key: Hashable, minhash: MinHash, verify: Verification | None) -> bool:
        known, given = self._entries[key].minhash._sketch, minhash._sketch
        overlap = None if verify == "sketch" else known.overlap(given)
        if overlap is None:
            if verify == "exact":
                raise SettingsError("verify='exact' compares sets; make the sketches with keep_set=True", "verify")
            return known.equal(given) >= self._least
        shared, a, b = overlap
        least = Fraction(self._text)
        return shared * least.denominator >= (a + b - shared) * least.numerator

    def remove(self, key: Hashable) -> None:
        """Removes a sketch.

        Raises
        ------
        DataError
            A key that is not there.
        """
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is None:
                raise DataError(f"the key {key!r} is not there", "no_such_key")
            for band_key in self._keys(entry.minhash):
                others = self._band_keys[band_key]
                others.remove(key)
                if not others:
                    del self._band_keys[band_key]

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Adds the sketches of another one with the same bands; of common keys those of `other`, unless
        `check_overlap` refuses them.
        """
        if (self.num_perm, self.seed, self.b, self.r) != (other.num_perm, other.seed, other.b, other.r):
            raise SettingsError("both need the same num_perm, seed and bands", "params")
        with other._lock:
            entries = list(other._entries.items())
        with self._lock:
            both = next((key for key, _ in entries if key in self._entries), None)
            if check_overlap and both is not None:
                raise DataError(f"the key {both!r} is in both", "duplicate_key")
            for key, entry in entries:
                self.insert(key, entry.minhash, check_duplication=False)

    @contextmanager
    def insertion_session(self, buffer_size: int = 50000) -> Iterator[MinHashLSH]:
        """``with lsh.insertion_session() as session: session.insert(key, minhash)``, as of datasketch. Nothing is
        buffered.
        """
        yield self

    def is_empty(self) -> bool:
        """Whether there is no sketch."""
        return not self._entries

    @property
    def keys(self) -> KeysView[Hashable]:
        """The keys, in the order in which they were added."""
        return self._entries.keys()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        """Number of sketches."""
        return len(self._entries)

    def _keys(self, minhash: MinHash) -> list[int]:
        return minhash._sketch.keys(self.b, self.r)

    def _check(self, minhash: object) -> None:
        given = checked(minhash)
        for name in ("num_perm", "seed"):
            if getattr(given, name) != getattr(self, name):
                message = f"a sketch with {name}={getattr(given, name)}, where {name}={getattr(self, name)}"
                raise SettingsError(message, name)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"<lookalike.MinHashLSH: {len(self)} sketches, {self.b} bands of {self.r}, threshold {self._text}>"
