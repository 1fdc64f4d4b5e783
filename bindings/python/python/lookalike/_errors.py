"""Exceptions of the package, and the messages of the library in Python's words."""

from __future__ import annotations

import re
from os import PathLike

# Names that the library uses, where those of the package are others.
_NAMES = {
    "text_field": "text",
    "html_field": "html",
    "id_field": "id",
    "url_field": "url",
    "title_field": "title",
    "date_field": "date",
    "features_field": "features",
    "input_format": "format",
}

# Commands that the library names, and what the package has.
_COMMANDS = {"`index create`": "Index.create()"}

_SETTING = re.compile(r"\b[Tt]he setting (\w+)(=(?:'[^']*'|\([^)]*\)|[^\s;,()`:]|:(?=\w))*(?<!\.))?")


class LookalikeError(Exception):
    """Base of all errors of this package.

    Attributes
    ----------
    code : str
        A stable name of the failure in snake case, for programs: ``"threshold"``, ``"source"``, …
    """

    code: str

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[LookalikeError], tuple[str, str]]:
        return type(self), (str(self), self.code)


class SettingsError(LookalikeError, ValueError):
    """Settings that do not exist, make no sense or exclude each other."""


class DataError(LookalikeError, ValueError):
    """Documents that cannot be used: a missing column, a bad record with ``strict=True``, a broken stream."""


class InputError(LookalikeError, OSError):
    """A file or a directory that cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


class ResourceError(LookalikeError, RuntimeError):
    """Threads, temporary files or a limit; or a fault of this package."""


class Cancelled(LookalikeError):
    """The call was ended by :meth:`CancelScope.cancel`."""


_CLASSES: dict[str, type[LookalikeError]] = {
    "cancelled": Cancelled,
    "source": DataError,
    "input_changed": DataError,
    "bad_record": DataError,
    "keep_field": DataError,
    "missing_field": DataError,
    "skipped_files": DataError,
    "guard": DataError,
    "labels": DataError,
    "no_such_document": DataError,
    "ambiguous_document": DataError,
    "limit": ResourceError,
    "threads": ResourceError,
    "scratch": ResourceError,
    "index_locked": ResourceError,
    "writer_in_use": ResourceError,
    "forked": ResourceError,
    "closed": ResourceError,
    "internal": ResourceError,
}


def in_python(message: str) -> str:
    """Writes ``the setting NAME`` of the library's messages as ``NAME=``.

    >>> in_python("name the text with the setting text_field; see the setting keep=newest")
    "name the text with text=; see keep='newest'"
    >>> in_python("the setting contained_only=-0.5: `-0.5` is no share. The setting keep=max:score.")
    "contained_only='-0.5': `-0.5` is no share. keep='max:score'."
    >>> print(in_python("the setting keep=prefer(a=b|c): no document; the setting extract=pdf='cat {}', or"))
    keep='prefer(a=b|c)': no document; extract="pdf='cat {}'", or
    """

    def keyword(match: re.Match[str]) -> str:
        name, value = match.groups()
        name = _NAMES.get(name, name)
        return f"{name}={value[1:]!r}" if value is not None else f"{name}="

    for command, own in _COMMANDS.items():
        message = message.replace(command, own)
    return _SETTING.sub(keyword, message)


def exception(kind: str, code: str, message: str, kept: PathLike[str] | None = None) -> LookalikeError:
    """The exception for an error of the library; called by the extension module."""
    usual = SettingsError if kind == "usage" else InputError
    made = _CLASSES.get(code, usual)(in_python(message), code)
    if kept is not None:
        made.kept = kept  # type: ignore[attr-defined]
    return made
