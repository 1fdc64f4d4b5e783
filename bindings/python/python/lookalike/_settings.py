"""What decides: everything that changes an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from os import PathLike, fspath
from typing import Any, Literal, TypeVar

from lookalike import _lookalike
from lookalike._errors import SettingsError
from lookalike._options import PATHS, ChangeKeywords, SettingFields, SettingsKeywords, Threshold as Threshold, Unpack

Measure = Literal["resemblance", "containment", "cosine"]
Linkage = Literal["leaders", "components"]


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
class Settings(SettingFields):
    __doc__ = SettingFields.__doc__

    def __post_init__(self) -> None:
        rules: Any = self.keep
        if rules is False:
            raise SettingsError(
                "keep=False would remove documents without one that stays; use keep='first', 'longest', 'newest',"
                " 'max:FIELD', …",
                "keep_rule",
            )
        keep = (rules,) if isinstance(rules, str) else tuple(rules)
        lexicon: Any = self.lexicon
        distinct = self.distinct_by
        ignored: Any = self.ignore_text
        values = {
            "threshold": threshold_text(self.threshold),
            "keep": keep,
            "distinct_by": (distinct,) if isinstance(distinct, str) else tuple(distinct),
            "contained_only": None if self.contained_only is None else threshold_text(self.contained_only),
            "max_lost": None if self.max_lost is None else str(self.max_lost),
            "boilerplate": None if self.boilerplate is None else str(self.boilerplate),
            "ignore_text": tuple(map(fspath, (ignored,) if isinstance(ignored, str | PathLike) else ignored)),
            "extract": (self.extract,) if isinstance(self.extract, str) else tuple(self.extract),
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
        try:
            checked = json.loads(_lookalike.checked_settings(self.to_json()))
        except SettingsError as error:
            raise self._named(error) from None
        # "prefer(a=b),longest" is two rules, as of the command.
        object.__setattr__(self, "keep", tuple(checked["keep"]))
        object.__setattr__(self, "distinct_by", tuple(checked.get("distinct_by", ())))
        object.__setattr__(self, "shingle", checked.get("shingle"))
        object.__setattr__(self, "min_features", checked["min_features"])

    def _named(self, error: SettingsError) -> SettingsError:
        """The error with the keyword that it is about, where it names none: the one that is wrong by itself."""
        message = str(error)
        if any(f"{name}=" in message for name in PATHS):
            return error
        given = json.loads(self.to_json())
        for name, (first, *rest) in PATHS.items():
            if first not in given or (rest and rest[0] not in given[first]):
                continue
            usual = json.loads(Settings().to_json())
            alone = {**usual.get(first, {}), rest[0]: given[first][rest[0]]} if rest else given[first]
            try:
                _lookalike.checked_settings(json.dumps({**usual, first: alone}))
            except SettingsError as wrong:
                if str(wrong) == message:
                    return SettingsError(f"{name}={getattr(self, name)!r}: {message}", error.code)
        return error

    def replace(self, **changes: Unpack[ChangeKeywords]) -> Settings:
        """These settings with other values.

        Defaults that follow from another setting follow again: with ``measure="cosine"``, `shingle` does.
        """
        if ("measure" in changes or "features" in changes) and "shingle" not in changes:
            if self.shingle == Settings(measure=self.measure, features=self.features).shingle:
                changes["shingle"] = ...
        if "lexicon" in changes:
            changes.setdefault("lexicon_checksum", None)
        if "shingle" in changes and "min_features" not in changes:
            usual = Settings(measure=self.measure, features=self.features, shingle=self.shingle).min_features
            if self.min_features == usual:
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
    def preset(cls, name: str, **changes: Unpack[SettingsKeywords]) -> Settings:
        """The settings of a well-known data set or tool, with changes; ``lookalike presets`` lists them.

        Calls take it as ``preset=``, and parameters of their method as ``num_perm=``, ``bands=``, ``rows=``, ``seed=``.

        >>> import lookalike
        >>> lookalike.Settings.preset("fineweb", bands=20).method
        'minhash-lsh:bands=20,k=160,rows=8,t=0.75,w=5'
        """
        return given_settings(None, {"preset": name, **changes})

    def to_json(self) -> str:
        """The settings as ``summary.json`` states them."""
        value: dict[str, Any] = {"fields": {"extra": []}}
        for name, path in PATHS.items():
            given = getattr(self, name)
            if given is ... or (given is None and name != "shingle") or (path[0] == "method" and self.method is None):
                continue
            place = value if len(path) == 1 else value.setdefault(path[0], {})
            place[path[-1]] = fspath(given) if name == "lexicon" else given
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that :meth:`to_json` wrote, or those of a run: ``summary["settings"]["job"]["settings"]``."""
        checked = json.loads(_lookalike.checked_settings(text))
        given: dict[str, Any] = {"shingle": None}
        for name, path in PATHS.items():
            place = checked if len(path) == 1 else checked.get(path[0]) or {}
            if path[-1] in place:
                given[name] = place[path[-1]]
        return cls(**given)


#: Options of single formats of files.
FORMATS = tuple(name for name, path in PATHS.items() if path[0] == "formats")

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


def given_settings(settings: Settings | None, keywords: Mapping[str, Any]) -> Settings:
    """The settings of a call, given as such or by keywords."""
    keywords = dict(keywords)
    unknown = sorted(set(keywords) - SettingsKeywords.__optional_keys__)
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument and no setting; the settings are {', '.join(sorted(PATHS))}")
    if settings is None:
        preset = keywords.pop("preset", None)
        if preset is not None:
            return _from_preset(preset, keywords)
        knobs = tuple(keywords.pop(knob, None) for knob in KNOBS)
        keywords = {**keywords, "method": _with_knobs(keywords.get("method"), knobs)}
        return Settings(**keywords)
    if keywords:
        first = next(iter(keywords))
        raise TypeError(f"both settings= and {first}=; use settings.replace({first}=…)")
    return settings


def has_sections(settings: Settings) -> bool:
    """Whether a text is several fields, or the elements of a list."""
    return bool(_lookalike.text_fields(settings.to_json()) != [settings.text])


def with_columns(settings: Settings | None, keywords: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """The settings of a call whose names of columns may be given beside them, and the columns that it names."""
    keywords = dict(keywords)
    columns = {name: keywords.pop(name) for name in COLUMNS if keywords.get(name) is not None}
    given = given_settings(settings, keywords)
    settings = given.replace(**columns) if columns else given
    # A text of several fields is no column, but where it is.
    sections = has_sections(settings)
    return settings, [column for name, column in columns.items() if name != "text" or not sections]


Function = TypeVar("Function", bound=Callable[..., Any])


def shows(keywords: type) -> Callable[[Function], Function]:
    """Has `inspect.signature` and the completion of notebooks list these keywords of a function."""
    defaults = {field.name: field.default for field in fields(SettingFields)}
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=getattr(of, "__forward_arg__", of))
        for name, of in keywords.__annotations__.items()
    ]

    def shown(function: Function) -> Function:
        own = signature(function)
        named = [parameter for parameter in own.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
        others = [parameter for parameter in added if parameter.name not in own.parameters]
        setattr(function, "__signature__", own.replace(parameters=[*named, *others]))
        return function

    return shown
