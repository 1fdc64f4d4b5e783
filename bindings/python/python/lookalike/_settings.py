"""What decides: everything that changes an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from os import PathLike, fspath
from types import EllipsisType
from typing import Any, Literal, Protocol

from lookalike import _lookalike
from lookalike._errors import SettingsError

Threshold = float | str | Fraction | Decimal
Measure = Literal["resemblance", "containment", "cosine"]
Linkage = Literal["leaders", "components"]


class LexiconLike(Protocol):
    """A :class:`Lexicon`: a file with its checksum."""

    @property
    def checksum(self) -> str: ...
    def __fspath__(self) -> str: ...


#: Decimals that a threshold can have.
_DECIMALS = 9


def threshold_text(threshold: Threshold) -> str:
    """A threshold as a decimal, as it is written.

    >>> threshold_text(0.8), threshold_text(Fraction(4, 5)), threshold_text("0.80")
    ('0.8', '0.8', '0.80')
    >>> threshold_text(0.1 + 0.2)
    Traceback (most recent call last):
      ...
    lookalike._errors.SettingsError: threshold=0.30000000000000004 has more than 9 decimals; write '0.3'
    """
    if isinstance(threshold, str):
        return threshold
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float, Fraction, Decimal)):
        raise TypeError(f"threshold is a number or its decimal as text, not {type(threshold).__name__}")
    if isinstance(threshold, Fraction):
        exact = Decimal(threshold.numerator) / Decimal(threshold.denominator)
        if Fraction(exact) != threshold:
            raise SettingsError(f"threshold={threshold!r} is no decimal; round it", "threshold")
    else:
        # As it is written: 0.8 and not the nearest number of 53 bits.
        exact = Decimal(repr(threshold)) if isinstance(threshold, float) else Decimal(threshold)
    text = format(exact, "f") if exact.is_finite() else str(exact)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text.partition(".")[2]) > _DECIMALS:
        rounded = format(round(exact, _DECIMALS).normalize(), "f")
        message = f"threshold={threshold!s} has more than {_DECIMALS} decimals; write {rounded!r}"
        raise SettingsError(message, "threshold")
    return text


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that decides an answer: equal settings over equal documents give equal bytes.

    Settings are immutable, hashable and picklable, and are checked when they are made. :meth:`to_json` writes what
    ``summary.json`` of a run states, which also names the `linkage` that is the default of what was done.

    Parameters
    ----------
    threshold : float, str, Fraction or Decimal, default 0.8
        What `measure` has to reach, above 0 and at most 1. A decimal as it is written: 0.8 is 4/5.
    measure : {"resemblance", "containment", "cosine"}
        |A∩B| / |A∪B|, |A∩B| / |A|, or the cosine, of the sets of features.
    witness : {"first", "best"}
        Which kept match of a removed document is named as its witness: the first one in the order of precedence, or
        the one of the highest measure.
    shingle : int or None
        Tokens in a shingle; ``None`` compares the distinct terms of documents. By default 5, and ``None`` with
        ``measure="cosine"``.
    shingle_unit : {"word", "char"}
        What a token is.
    normalize : {"none", "nfc", "nfkc", "confusables"}
        Unicode normalisation of texts; ``"confusables"`` also makes letters that look alike one.
    tokens : {"words", "symbols"}, optional
        With ``"symbols"``, each symbol and punctuation character outside of a word is a token too, so that ``a < b`` and
        ``a > b`` differ. By default words, and symbols in runs over files that are all source code.
    case : {"fold", "keep"}
        Whether tokens are lower-cased or compared as written.
    terms : {"all", "kolcz"}
        Which terms count, where documents are compared by terms.
    short_documents : {"whole", "ignore"}
        Texts with fewer tokens than a shingle are one shingle, or match nothing.
    min_features : int, optional
        Documents with fewer features match only documents with the same words. By default 10 where terms are
        compared, else 1.
    ignore_common : int, optional
        Features that more distinct sets than this have are removed from all sets.
    boilerplate : int or str, optional
        Shingles in more distinct documents of one site than this are removed from all sets: a number, a share
        (``"5%"``) or ``"auto"``. Documents that reach the threshold only with them match if the rest reaches 0.3.
    site_field : str, optional
        Field that names the site of a document; by default it is the host of its URL, else its file.
    separate_by : str, optional
        Column whose value documents must have in common to match, such as a language or a security label. Documents
        without a value have one in common.
    keep : str or sequence of str, default "first"
        Which duplicate to keep: ``first``, ``longest``, ``shortest``, ``newest``, ``oldest``, ``max:FIELD``,
        ``min:FIELD``, ``prefer(FIELD=VALUE|VALUE)``; several, also in one text with commas between, are applied in order.
    keep_n : int, default 1
        Documents of each cluster that are kept; 0 for none, so that only documents without a duplicate are left.
    contained_only : float or str, optional
        A document is removed only if the kept one contains this share of its features.
    linkage : {"leaders", "components"}, optional
        Every removed document matches a kept one, or is connected with it by matches. By default leaders where documents
        are removed, and components where pairs and clusters are listed (leaders with `contained_only`).
    method : str, optional
        A method of the papers instead of the exact join, ``"name:parameter=value,…"``; see :func:`methods`.
    verify : {"exact", "sketch", "none"}
        What decides about the candidates of `method`.
    lexicon : Lexicon or path, optional
        Document frequencies for `method`; by default they are counted in the documents.
    lexicon_checksum : str, optional
        Other document frequencies than those with this checksum are refused.
    key_limit : int, optional
        Keys of `method` that more distinct documents have are ignored.
    text, id, html, url, title, date : str
        Names of columns or fields. `html` is read where there is no text; `date` is for ``keep="newest"``.
        In tables with structs and records in records a name may be a path: ``text="doc.text"``.
    join_lists : str, optional
        Lists of strings in `text`, `html` and `title` are joined with this separator. By default a list is no text.
    features : str, optional
        Column with lists of integers or strings: ready-made feature sets, compared in place of texts.
    format : str, optional
        Format of files, where it does not follow from their names.
    max_record : int, optional
        Longest record of files in bytes.
    csv_delimiter : str, optional
        Character between the columns of CSV files, or ``"tab"``. By default a comma, or what a first line ``sep=`` says.
    csv_quote : str, optional
        Character around fields of CSV and TSV files, or ``"none"``. By default ``'"'`` in CSV, and none in TSV.
    csv_escape : str, optional
        Character that makes a quote inside of a field text: a backslash in files that Spark has written.
    warc_status : str, default "2xx"
        Responses of WARC files that are documents, by HTTP status: ``"200"``, ``"2xx"``, ``"200-299"``, several with
        commas, or ``"all"``.
    mail_quotes, mail_signatures, mail_html : {"keep", "drop"}
        Whether quoted text, signatures and HTML parts of mail messages are part of their texts.
    mail_attachments : {"compare", "ignore", "text"}, optional
        Whether mail messages with different attachments do not match (``"compare"``, the default), attachments are not
        read, or their text counts where it can be read. An index fixes it when it is created.
    extract : sequence of str
        Commands that extract the text of files of other formats, one for an extension: ``("pdf=pdftotext -q {} -",)``.
    extract_timeout : int, optional
        Seconds that such a command may take for a file, at least 1. By default 60.

    Raises
    ------
    SettingsError
        A value that cannot be used.

    Examples
    --------
    >>> import lookalike
    >>> settings = lookalike.Settings(threshold=0.9, keep="longest")
    >>> settings == lookalike.Settings.from_json(settings.to_json())
    True
    >>> settings.replace(threshold=0.7).threshold
    '0.7'
    """

    threshold: Threshold = "0.8"
    measure: Measure = "resemblance"
    witness: Literal["first", "best"] = "first"
    shingle: int | None | EllipsisType = ...
    shingle_unit: Literal["word", "char"] = "word"
    normalize: Literal["none", "nfc", "nfkc", "confusables"] = "nfc"
    tokens: Literal["words", "symbols"] | None = None
    case: Literal["fold", "keep"] = "fold"
    terms: str = "all"
    short_documents: Literal["whole", "ignore"] = "whole"
    min_features: int | None = None
    ignore_common: int | None = None
    boilerplate: int | str | None = None
    site_field: str | None = None
    separate_by: str | None = None
    keep: str | Sequence[str] = "first"
    keep_n: int = 1
    contained_only: Threshold | None = None
    linkage: Linkage | None = None
    method: str | None = None
    verify: Literal["exact", "sketch", "none"] = "exact"
    lexicon: str | PathLike[str] | LexiconLike | None = None
    lexicon_checksum: str | None = None
    key_limit: int | None = None
    text: str = "text"
    id: str = "id"
    html: str = "html"
    url: str = "url"
    title: str = "title"
    date: str = "date"
    join_lists: str | None = None
    features: str | None = None
    format: str | None = None
    max_record: int | None = None
    csv_delimiter: str | None = None
    csv_quote: str | None = None
    csv_escape: str | None = None
    warc_status: str = "2xx"
    mail_quotes: Literal["keep", "drop"] = "keep"
    mail_signatures: Literal["keep", "drop"] = "keep"
    mail_html: Literal["keep", "drop"] = "keep"
    mail_attachments: Literal["compare", "ignore", "text"] | None = None
    extract: Sequence[str] = ()
    extract_timeout: int | None = None

    def __post_init__(self) -> None:
        rules: Any = self.keep
        if rules == "last" or rules is False:
            raise SettingsError(
                "keep='last' depends on the order of rows only, and keep=False would remove documents without one that"
                " stays; use keep='first', 'longest', 'newest', 'max:FIELD', …",
                "keep_rule",
            )
        keep = (rules,) if isinstance(rules, str) else tuple(rules)
        shingle = self.shingle
        if shingle is ...:
            shingle = self._usual_shingle()
        usual = self._usual_min_features(shingle)
        lexicon: Any = self.lexicon
        values = {
            "threshold": threshold_text(self.threshold),
            "keep": keep,
            "contained_only": None if self.contained_only is None else threshold_text(self.contained_only),
            "boilerplate": None if self.boilerplate is None else str(self.boilerplate),
            "extract": (self.extract,) if isinstance(self.extract, str) else tuple(self.extract),
            "shingle": shingle,
            "min_features": usual if self.min_features is None else self.min_features,
        }
        if hasattr(lexicon, "checksum"):
            # The object is held, as its file may be a temporary one.
            values["lexicon_checksum"] = self.lexicon_checksum or lexicon.checksum
        elif lexicon is not None:
            values["lexicon"] = fspath(lexicon)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.method is None:
            wrong = [name for name in ("lexicon", "lexicon_checksum", "key_limit") if getattr(self, name) is not None]
            if self.verify != "exact":
                wrong.append("verify")
            if wrong:
                raise SettingsError(f"{wrong[0]}= is for a method; name one with method=", "settings")
        checked = json.loads(_lookalike.checked_settings(self.to_json()))
        # "prefer(a=b),longest" is two rules, as of the command.
        object.__setattr__(self, "keep", tuple(checked["keep"]))

    def _usual_shingle(self) -> int | None:
        return None if self.measure == "cosine" or self.features is not None else 5

    def _usual_min_features(self, shingle: int | None) -> int:
        return 10 if shingle is None and self.features is None else 1

    def replace(self, **changes: Any) -> Settings:
        """These settings with other values.

        Defaults that follow from another setting follow again: with ``measure="cosine"``, `shingle` does.
        """
        if ("measure" in changes or "features" in changes) and "shingle" not in changes:
            if self.shingle == self._usual_shingle():
                changes["shingle"] = ...
        if "lexicon" in changes:
            changes.setdefault("lexicon_checksum", None)
        if "shingle" in changes and "min_features" not in changes:
            shingle = None if self.shingle is ... else self.shingle
            if self.min_features == self._usual_min_features(shingle):
                changes["min_features"] = None
        return replace(self, **changes)

    def _deciding(self) -> tuple[Any, ...]:
        """What is compared: of a lexicon with a known checksum not where it is."""
        left_out = {"lexicon"} if self.lexicon_checksum is not None else set()
        return tuple(getattr(self, field.name) for field in fields(self) if field.name not in left_out)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._deciding() == other._deciding()

    def __hash__(self) -> int:
        return hash(self._deciding())

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Settings:
        """The settings of a well-known data set or tool, with changes; ``lookalike presets`` lists them.

        Calls take it as ``preset=``, and parameters of their method as ``num_perm=``, ``bands=``, ``rows=``, ``seed=``.

        >>> import lookalike
        >>> lookalike.Settings.preset("fineweb", bands=20).method
        'minhash-lsh:bands=20,k=160,rows=8,t=0.75,w=5'
        """
        return given_settings(None, {"preset": name, **changes})

    def to_json(self) -> str:
        """The settings as ``summary.json`` states them."""
        names = ("text", "id", "html", "url", "title", "date")
        optional = {name: getattr(self, name) for name in ("join_lists", "features")}
        given_fields = {name: value for name, value in optional.items() if value is not None}
        analysis: dict[str, Any] = {"normalize": self.normalize, "unit": self.shingle_unit}
        if self.tokens is not None:
            analysis["tokens"] = self.tokens
        if self.case != "fold":
            analysis["case"] = self.case
        value: dict[str, Any] = {
            "measure": self.measure,
            "threshold": self.threshold,
            "shingle": self.shingle,
            "terms": self.terms,
            "short_documents": self.short_documents,
            "min_features": self.min_features,
            "analysis": analysis,
            "keep": list(self.keep),
            "linkage": self.linkage,
            "witness": self.witness,
            "fields": {**{name: getattr(self, name) for name in names}, **given_fields, "extra": []},
            "format": self.format,
            "max_record": self.max_record,
        }
        if self.keep_n != 1:
            value["keep_n"] = self.keep_n
        if self.contained_only is not None:
            value["contained_only"] = self.contained_only
        given = {name: getattr(self, name) for name in FORMATS if getattr(self, name) != _USUAL[name]}
        if given:
            value["formats"] = given
        if self.ignore_common is not None:
            value["ignore_common"] = self.ignore_common
        if self.boilerplate is not None:
            value["boilerplate"] = str(self.boilerplate)
        if self.site_field is not None:
            value["site_field"] = self.site_field
        if self.separate_by is not None:
            value["separate_by"] = self.separate_by
        if self.method is not None:
            lexicon = None if self.lexicon is None else fspath(self.lexicon)
            optional = {"lexicon": lexicon, "lexicon_checksum": self.lexicon_checksum, "key_limit": self.key_limit}
            method = {name: given for name, given in optional.items() if given is not None}
            value["method"] = {"spec": self.method, "verify": self.verify, **method}
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that :meth:`to_json` wrote, or those of a run: ``summary["settings"]["job"]["settings"]``."""
        value = json.loads(_lookalike.checked_settings(text))
        method = value.pop("method", None) or {}
        analysis, columns = value.pop("analysis"), value.pop("fields")
        columns.pop("extra", None)
        value["method"] = method.pop("spec", None)
        value |= value.pop("formats", {})
        analysis["shingle_unit"] = analysis.pop("unit")
        return cls(**value, **method, **columns, **analysis)


#: Options of single formats of files.
FORMATS = (
    "csv_delimiter",
    "csv_quote",
    "csv_escape",
    "warc_status",
    "mail_quotes",
    "mail_signatures",
    "mail_html",
    "mail_attachments",
    "extract",
    "extract_timeout",
)

#: Their defaults, which are not written.
_USUAL = {field.name: field.default for field in fields(Settings) if field.name in FORMATS}

#: Names of all settings.
NAMES = frozenset(field.name for field in fields(Settings))

#: Settings that name columns: those that a caller names have to be there.
COLUMNS = ("text", "id", "html", "url", "title", "date", "features")


#: Parameters of `method` under familiar names, in the order of the library.
KNOBS = ("num_perm", "bands", "rows", "seed")


def _from_preset(name: str, keywords: dict[str, Any]) -> Settings:
    """The settings of a preset with others in their place: its method follows `shingle` and `threshold`."""
    knobs = tuple(keywords.pop(knob, None) for knob in KNOBS)
    threshold = threshold_text(keywords["threshold"]) if "threshold" in keywords else None
    shingle = keywords.get("shingle")
    if "method" in keywords:
        if keywords["method"] is not None:
            keywords["method"] = _with_knobs(keywords["method"], knobs)
            knobs = (None,) * len(KNOBS)
    number = shingle if isinstance(shingle, int) else None
    return Settings.from_json(_lookalike.preset_settings(name, number, threshold, knobs)).replace(**keywords)


def _with_knobs(method: str | None, knobs: tuple[Any, ...]) -> str | None:
    """A method with parameters under familiar names."""
    given = [name for name, value in zip(KNOBS, knobs, strict=True) if value is not None]
    if given and method is None:
        message = f"{given[0]}= sets a parameter of a method, and the exact join has none; add method='minhash-lsh'"
        raise SettingsError(message, "settings")
    return _lookalike.method_with(method, knobs) if method is not None and given else method


def given_settings(settings: Settings | None, keywords: dict[str, Any]) -> Settings:
    """The settings of a call, given as such or by keywords."""
    unknown = sorted(set(keywords) - NAMES - {"preset", *KNOBS})
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument and no setting; the settings are {', '.join(sorted(NAMES))}")
    if settings is None:
        preset = keywords.pop("preset", None)
        if preset is not None:
            return _from_preset(preset, dict(keywords))
        knobs = tuple(keywords.pop(knob, None) for knob in KNOBS)
        keywords = {**keywords, "method": _with_knobs(keywords.get("method"), knobs)}
        return Settings(**keywords)
    if keywords:
        first = next(iter(keywords))
        raise TypeError(f"both settings= and {first}=; use settings.replace({first}=…)")
    return settings


def with_columns(settings: Settings | None, keywords: dict[str, Any]) -> tuple[Settings, list[str]]:
    """The settings of a call whose names of columns may be given beside them, and the columns that it names."""
    columns = {name: keywords.pop(name) for name in COLUMNS if keywords.get(name) is not None}
    given = given_settings(settings, keywords)
    return (given.replace(**columns) if columns else given), list(columns.values())
