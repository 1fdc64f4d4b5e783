"""Document frequencies of terms, for the methods that use them."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Literal

from lookalike import _lookalike
from lookalike._documents import Documents, opener
from lookalike._errors import InputError
from lookalike._lookalike import LexiconFile
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import Settings


class Lexicon:
    """The document frequencies of the terms of a collection, which never change once they are counted.

    For ``lexicon=`` of :class:`Settings`, :func:`dedup` and :class:`Signer`, and for ``lexicons=`` of
    :func:`evaluate`. Made by :meth:`build` or :meth:`open`. One that was built lies in a temporary file, which is
    removed with the last object that uses it, and pickles with its content; one that was opened pickles as path and
    checksum. Two are equal if their checksums are.

    Examples
    --------
    >>> import lookalike
    >>> lexicon = lookalike.Lexicon.build(["to be or not to be", "to do is to be", "do be do be do"])
    >>> lexicon.documents, len(lexicon), lexicon.terms(1)
    (3, 6, [('be', 3)])
    >>> signer = lookalike.Signer("imatch", lexicon=lexicon)
    """

    def __init__(self, file: LexiconFile, *, problems: int = 0) -> None:
        self._file = file
        #: Documents that could not be used when it was built.
        self.problems = problems

    @classmethod
    def build(
        cls,
        data: Documents,
        /,
        *,
        text: str = "text",
        html: str = "html",
        terms: str = "all",
        normalize: Literal["none", "nfc", "nfkc", "confusables"] = "nfc",
        tokens: Literal["words", "symbols"] | None = None,
        case: Literal["fold", "keep"] = "fold",
        strict: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        scratch: str | PathLike[str] | None = None,
        progress: Progress = None,
    ) -> Lexicon:
        """Counts in how many documents each term occurs.

        The bytes are those of ``lookalike lexicon build`` over the same rows, in any order.

        Parameters
        ----------
        data : as of :func:`dedup`
        text, html : str
            Names of columns or fields; `html` is read where there is no text.
        terms : str
            Which terms are counted: ``"all"``, or rules joined by ``+``: ``stop``, ``tg5``, ``tl25``, ``nosc``,
            ``stem``, ``kolcz``, ``no-numbers``, ``no-dates``. Each method needs those that it selects from.
        normalize : {"none", "nfc", "nfkc", "confusables"}
            Unicode normalisation of texts; ``"confusables"`` also makes letters that look alike one.
        tokens : {"words", "symbols"}, optional
        case : {"fold", "keep"}
            As of :class:`Settings`.
        strict : bool
            Raise at the first document that cannot be used.
        memory : int or str, optional
            Memory for terms, 256 MiB by default; beyond it, they go to temporary files.
        scratch : path, optional
            Directory of the file, and of temporary ones.
        threads, progress
            As of :func:`dedup`.

        Raises
        ------
        SettingsError
            Rules that do not exist.
        """
        settings = Settings(text=text, html=html, normalize=normalize, tokens=tokens, case=case)
        required = [name for name, usual in ((text, "text"), (html, "html")) if name != usual]
        limits = options(threads=threads, memory=memory, scratch=scratch, progress=progress, strict=strict)
        documents = opener(data, settings, "documents", required)
        file, problems = _lookalike.build_lexicon(documents, settings.to_json(), terms, limits)
        return cls(file, problems=problems)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Lexicon:
        """Opens a file, of this package or of the command, and checks all of it.

        Raises
        ------
        InputError
            No lexicon, one of another version, or a damaged one.
        """
        return cls(LexiconFile.open(fspath(path)))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it to a file, which appears whole or not at all, and replaces another one."""
        self._file.save(fspath(path))

    @property
    def checksum(self) -> str:
        """Checksum of the content, 32 hexadecimal digits; signatures made with equal ones can be compared."""
        return self._file.checksum

    @property
    def documents(self) -> int:
        """Number of documents that were counted."""
        return self._file.documents

    @property
    def description(self) -> tuple[str, str]:
        """How terms were made of texts, and the rules by which they were chosen."""
        return self._file.description()

    def terms(self, count: int = 20, *, rarest: bool = False) -> list[tuple[str, int]]:
        """The most frequent terms, or the rarest ones, with their document frequencies."""
        return self._file.ranked(count, rarest)

    def __len__(self) -> int:
        """Number of terms."""
        return len(self._file)

    def __fspath__(self) -> str:
        return fspath(self._file.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self.checksum == other.checksum

    def __hash__(self) -> int:
        return hash(self.checksum)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._file.is_temporary:
            return _of_bytes, (self._file.bytes(), self.problems)
        return _of_path, (fspath(self), self.checksum)

    def __repr__(self) -> str:
        return f"<lookalike.Lexicon: {self.documents} documents, {len(self)} terms, {self.checksum}>"


def _of_bytes(content: bytes, problems: int) -> Lexicon:
    return Lexicon(LexiconFile.of_bytes(content), problems=problems)


def _of_path(path: str, checksum: str) -> Lexicon:
    found = Lexicon.open(path)
    if found.checksum != checksum:
        message = f"the lexicon {path} has the checksum {found.checksum}, and not {checksum}, as when it was pickled"
        raise InputError(message, "lexicon_checksum")
    return found
