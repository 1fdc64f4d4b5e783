"""The settings of an index."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from os import PathLike, fspath
from typing import Any

from lookalike._errors import SettingsError
from lookalike._settings import COLUMNS, FORMATS, Settings, Threshold, has_sections, threshold_text

#: Settings of a run that an index does not have, and what has them.
_OF_A_RUN = {
    "linkage": "an index keeps leader clusters; give linkage= to Index.cluster or Index.export",
    "witness": "give witness= to Index.dedup or Index.export",
    "method": "an index keeps documents by the exact measure; give method= to Index.create to store the keys of a"
    " method beside it",
    "format": "give format= to Index.add_files",
    "max_record": "give max_record= to Index.add_files",
    **{name: f"give {name}= to Index.add_files" for name in FORMATS if name != "mail_attachments"},
    **{
        name: f"give {name}= where documents are added, to Index.add"
        for name in COLUMNS
    },
}

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def index_json(
    settings: Settings,
    *,
    method: str | Sequence[str],
    lexicon: str | PathLike[str] | None,
    lexicon_checksum: str | None,
    no_text: bool,
    lean: Threshold | None,
    passages: int | None,
    ttl: int | str | timedelta | None,
) -> str:
    """The settings of an index as its directory states them.

    Raises
    ------
    SettingsError
        What an index does not have.
    """
    if settings.linkage == "leaders":
        # What every index does: the settings of a run or of another index say so.
        settings = settings.replace(linkage=None)
    usual = Settings()
    # Of how many fields a text is, every question has to know.
    refused = {name: advice for name, advice in _OF_A_RUN.items() if name != "text" or not has_sections(settings)}
    for name, advice in refused.items():
        if getattr(settings, name) != getattr(usual, name):
            raise SettingsError(f"{name}={getattr(settings, name)!r} is no setting of an index: {advice}", "settings")
    specs = [method] if isinstance(method, str) else list(method)
    if not specs and (lexicon is not None or lexicon_checksum is not None):
        raise SettingsError("lexicon= is for a method; name one with method=", "settings")
    beside: dict[str, Any] = {"verify": "sketch"}
    if lexicon is not None:
        beside["lexicon"] = fspath(lexicon)
    if lexicon_checksum is not None:
        beside["lexicon_checksum"] = lexicon_checksum
    documents = json.loads(settings.to_json())
    if settings.min_features == settings.replace(min_features=None).min_features:
        # As the command writes it: indexes with equal settings can be merged.
        documents["min_features"] = None
    value: dict[str, Any] = {
        "documents": documents,
        "methods": [{"spec": spec, **beside} for spec in specs],
        "texts": not no_text,
    }
    if lean is not None:
        value["lean"] = threshold_text(lean)
    if passages is not None:
        if isinstance(passages, bool) or not isinstance(passages, int) or not 0 < passages < 1 << 32:
            raise SettingsError(f"passages={passages!r}: the fewest words of a passage, from 1", "settings")
        value["passages"] = passages
    if ttl is not None:
        value["ttl"] = seconds(ttl)
    return json.dumps(value)


def seconds(time: int | str | timedelta) -> int:
    """A time in seconds.

    >>> seconds(60), seconds("90d"), seconds(timedelta(hours=12))
    (60, 7776000, 43200)
    >>> seconds("a while")
    Traceback (most recent call last):
      ...
    lookalike._errors.SettingsError: 'a while' is no time; write 12h, 90d, 2w, a number of seconds or a timedelta
    """
    found = 0
    if isinstance(time, timedelta):
        found = int(time.total_seconds())
    elif isinstance(time, int) and not isinstance(time, bool):
        found = time
    elif isinstance(time, str) and (match := re.fullmatch(r"(\d+)([smhdw])", time)):
        found = int(match[1]) * _SECONDS[match[2]]
    if not 0 < found < 1 << 63:
        raise SettingsError(
            f"{time!r} is no time; write 12h, 90d, 2w, a number of seconds or a timedelta", "settings"
        )
    return found
