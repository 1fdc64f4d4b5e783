"""The settings as keywords. Generated from crates/options by its test with BLESS=1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from types import EllipsisType
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

Threshold = float | str | Fraction | Decimal


class LexiconLike(Protocol):
    """A :class:`Lexicon`: a file with its checksum."""

    @property
    def checksum(self) -> str: ...
    def __fspath__(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class SettingFields:
    """Everything that decides an answer: equal settings over equal documents give equal bytes.

    Settings are immutable, hashable and picklable, and are checked when they are made. :meth:`to_json` writes what
    ``summary.json`` of a run states, which also names the `linkage` that is the default of what was done.

    Parameters
    ----------
    threshold : number or str, default "0.8"
        What `measure` has to reach, above 0 and at most 1. A decimal as it is written: 0.8 is 4/5.
    measure : {"resemblance", "containment", "cosine"}, default "resemblance"
        |A∩B| / |A∪B|, |A∩B| / |A|, or the cosine, of the sets of features.
    witness : {"first", "best"}, default "first"
        Which kept match of a removed document is named as its witness: the first one in the order of precedence, or
        the one of the highest measure.
    shingle : int | None
        Tokens in a shingle; ``None`` compares the distinct terms of documents. By default 5, and ``None`` with
        ``measure="cosine"``.
    shingle_unit : {"word", "char"}, default "word"
        Token unit.
    terms : {"all", "kolcz"}, default "all"
        Terms compared by `measure` cosine; kolcz: at least four characters and at most one digit.
    normalize : {"none", "nfc", "nfkc", "confusables"}, default "nfc"
        Unicode normalisation; zero-width and other default-ignorable characters are always ignored. confusables:
        letters that look alike are one, Cyrillic and Latin a, 1 and l, 0 and o.
    tokens : {"words", "symbols"}, optional
        With ``"symbols"``, each symbol and punctuation character outside of a word is a token too, so that ``a <
        b`` and ``a > b`` differ. By default words, and symbols in runs over files that are all source code.
    case : {"fold", "keep"}, default "fold"
        Upper and lower case: fold to lower case, or keep (compare as written).
    short_documents : {"whole", "ignore"}, default "whole"
        Texts with fewer tokens than one shingle: use the whole text as the shingle, or match nothing.
    min_features : int, optional
        Documents with fewer features match only documents with the same words. By default 10 where terms are
        compared, else 1.
    ignore_common : int, optional
        Features that more distinct sets than this have are removed from all sets.
    boilerplate : int | str, optional
        Shingles in more distinct documents of one site than this are removed from all sets: a number, a share
        (``"5%"``) or ``"auto"``. Documents that reach the threshold only with them match if the rest reaches 0.3.
    site_field : str, optional
        Field that names the site of a document for `boilerplate`.
    ignore_text : str | PathLike[str] | Sequence[str | PathLike[str]], default ()
        Files with texts whose shingles are removed from all documents: handouts, templates, licence headers, system
        prompts. They are read as files of documents are.
    distinct_by : str | Sequence[str], default ()
        Match only documents that have this in common: ``numbers``, ``identifiers``, ``title``, ``title+numbers``,
        ``names``, ``symbols``, the name of a field, a ``/REGEX/``; one or several.
    separate_by : str, optional
        Match only documents with the same value of this field: a language, a site, a security label.
    across : str, optional
        Match only documents with different values of this field, or of different inputs (``"inputs"``): train and
        test data, sources, owners.
    keep : str | Sequence[str], default "first"
        Which duplicate to keep: ``first``, ``last``, ``longest``, ``shortest``, ``newest``, ``oldest``,
        ``max:FIELD``, ``min:FIELD`` or ``prefer(FIELD=VALUE|VALUE)``; several, also in one text with commas
        between, are applied in order.
    keep_n : int, default 1
        Documents of each cluster that are kept; 0 for none, so that only documents without a duplicate are left.
    contained_only : number or str, optional
        Remove a document only if the kept one contains this share of its features (above 0, at most 1), besides
        reaching `threshold`; with `linkage` leaders.
    max_lost : int | str, optional
        Most words of a removed document that the kept one may lack: a number (``10``), or a share of its words
        (``"2%"``). Each word counts as often as it occurs. The documents are read one more time.
    label_field : str, optional
        Field with labels, equal for what a person calls one document. They decide nothing: the summary says how
        many removed documents have another label than the kept one, and which `distinct_by` and `max_lost` would
        keep them.
    linkage : {"leaders", "components"}, optional
        Every removed document matches a kept one, or is connected with it by matches. By default leaders where
        documents are removed, and components where pairs and clusters are listed (leaders with `contained_only` and
        `max_lost`).
    method : str, optional
        A method of the papers instead of the exact join, ``"name:parameter=value,…"``; see :func:`methods`.
    verify : {"exact", "sketch", "none"}, default "exact"
        Verifier of the method's candidates: exact (complete feature sets), sketch (the method's sketches) or none
        (a common key suffices).
    lexicon : str | PathLike[str] | LexiconLike, optional
        Document frequencies for `method`; by default they are counted in the documents.
    lexicon_checksum : str, optional
        Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`).
    key_limit : int, optional
        Keys of `method` that more distinct documents have are ignored.
    text : str, default "text"
        Column or field that holds the text. In tables with structs and records in records this and the other names
        may be paths: ``text="doc.text"``. Several fields are separated by commas, and
        ``messages[role=user].content`` leads into lists: no shingle has words of two texts.
    id : str, default "id"
        Field that holds the id of the document; a document without an id is named FILE:RECORD.
    html : str, default "html"
        Field that holds HTML, read if a record has no text field.
    url : str, default "url"
        Field that holds the URL.
    title : str, default "title"
        Field that holds the title.
    date : str, default "date"
        Field that holds the date, for `keep` newest and oldest: ISO 8601, a mail date, 14 digits (CDX), or seconds
        or milliseconds since 1970.
    format : str, optional
        Format of all inputs (default: by file name; mbox also by content).
    max_record : int, optional
        Longest record of files in bytes.
    join_lists : str, optional
        Lists of strings in `text`, `html` and `title` are joined with this separator. By default a list is no text.
    features : str, optional
        Field with a list of integers or strings that is the feature set of the document in place of its text: any
        object with features.
    text_encoding : str, optional
        Encoding of text and Markdown files that are not UTF-8 and have no byte order mark [default: malformed bytes
        are replaced].
    csv_delimiter : str, optional
        Character between the columns of CSV files, such as ';' or tab [default: a comma, or that of a first line
        sep=].
    csv_quote : str, optional
        Character around fields of CSV and TSV files, or none: quotes are text [default: " in CSV, none in TSV].
    csv_escape : str, optional
        Character that makes a quote inside of a field text: a backslash in files that Spark has written.
    warc_status : str, default "2xx"
        Responses of WARC files that are documents, by HTTP status: 200, 2xx, 200-299, several with commas, or all.
    mail_quotes : {"keep", "drop"}, default "keep"
        Quoted text in mail messages, with the lines that attribute it: keep or drop.
    mail_signatures : {"keep", "drop"}, default "keep"
        Signatures in mail messages (after a line `-- `): keep or drop.
    mail_html : {"keep", "drop"}, default "keep"
        HTML parts of mail messages: keep or drop.
    mail_attachments : {"compare", "ignore", "text"}, optional
        Attachments of mail messages: compare (messages with different ones do not match; the default), ignore, or
        text (their text counts where it can be read: text, HTML, DOCX, ODT).
    extract : str | Sequence[str], default ()
        Commands that extract the text of files of other formats, one for an extension: ``("pdf=pdftotext -q {}
        -",)``.
    extract_timeout : int, optional
        Seconds that a command of `extract` may take for a file, at least 1. By default 60.

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
    measure: Literal["resemblance", "containment", "cosine"] = "resemblance"
    witness: Literal["first", "best"] = "first"
    shingle: int | None | EllipsisType = ...
    shingle_unit: Literal["word", "char"] = "word"
    terms: Literal["all", "kolcz"] = "all"
    normalize: Literal["none", "nfc", "nfkc", "confusables"] = "nfc"
    tokens: Literal["words", "symbols"] | None = None
    case: Literal["fold", "keep"] = "fold"
    short_documents: Literal["whole", "ignore"] = "whole"
    min_features: int | None = None
    ignore_common: int | None = None
    boilerplate: int | str | None = None
    site_field: str | None = None
    ignore_text: str | PathLike[str] | Sequence[str | PathLike[str]] = ()
    distinct_by: str | Sequence[str] = ()
    separate_by: str | None = None
    across: str | None = None
    keep: str | Sequence[str] = "first"
    keep_n: int = 1
    contained_only: Threshold | None = None
    max_lost: int | str | None = None
    label_field: str | None = None
    linkage: Literal["leaders", "components"] | None = None
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
    format: str | None = None
    max_record: int | None = None
    join_lists: str | None = None
    features: str | None = None
    text_encoding: str | None = None
    csv_delimiter: str | None = None
    csv_quote: str | None = None
    csv_escape: str | None = None
    warc_status: str = "2xx"
    mail_quotes: Literal["keep", "drop"] = "keep"
    mail_signatures: Literal["keep", "drop"] = "keep"
    mail_html: Literal["keep", "drop"] = "keep"
    mail_attachments: Literal["compare", "ignore", "text"] | None = None
    extract: str | Sequence[str] = ()
    extract_timeout: int | None = None


class TextKeywords(TypedDict, total=False):
    """Settings but for those of a method."""

    threshold: Threshold
    measure: Literal["resemblance", "containment", "cosine"]
    witness: Literal["first", "best"]
    shingle: int | None | EllipsisType
    shingle_unit: Literal["word", "char"]
    terms: Literal["all", "kolcz"]
    normalize: Literal["none", "nfc", "nfkc", "confusables"]
    tokens: Literal["words", "symbols"] | None
    case: Literal["fold", "keep"]
    short_documents: Literal["whole", "ignore"]
    min_features: int | None
    ignore_common: int | None
    boilerplate: int | str | None
    site_field: str | None
    ignore_text: str | PathLike[str] | Sequence[str | PathLike[str]]
    distinct_by: str | Sequence[str]
    separate_by: str | None
    across: str | None
    keep: str | Sequence[str]
    keep_n: int
    contained_only: Threshold | None
    max_lost: int | str | None
    label_field: str | None
    linkage: Literal["leaders", "components"] | None
    text: str
    id: str
    html: str
    url: str
    title: str
    date: str
    format: str | None
    max_record: int | None
    join_lists: str | None
    features: str | None
    text_encoding: str | None
    csv_delimiter: str | None
    csv_quote: str | None
    csv_escape: str | None
    warc_status: str
    mail_quotes: Literal["keep", "drop"]
    mail_signatures: Literal["keep", "drop"]
    mail_html: Literal["keep", "drop"]
    mail_attachments: Literal["compare", "ignore", "text"] | None
    extract: str | Sequence[str]
    extract_timeout: int | None


class ChangeKeywords(TextKeywords, total=False):
    """All settings."""

    method: str | None
    verify: Literal["exact", "sketch", "none"]
    lexicon: str | PathLike[str] | LexiconLike | None
    lexicon_checksum: str | None
    key_limit: int | None


class PlainKeywords(ChangeKeywords, total=False):
    """Settings, a preset, and parameters of the method."""

    preset: str | None
    num_perm: int | None
    bands: int | None
    rows: int | None


class SettingsKeywords(PlainKeywords, total=False):
    """The same with the seed of the method."""

    seed: int | None


class ReclusterKeywords(TypedDict, total=False):
    """Settings that a finished run can be clustered anew by."""

    threshold: Threshold
    measure: Literal["resemblance", "containment", "cosine"]
    witness: Literal["first", "best"]
    keep: str | Sequence[str]
    contained_only: Threshold | None
    linkage: Literal["leaders", "components"] | None


#: Where each setting is in the settings as JSON.
PATHS: dict[str, tuple[str, ...]] = {
    "threshold": ("threshold",),
    "measure": ("measure",),
    "witness": ("witness",),
    "shingle": ("shingle",),
    "shingle_unit": ("analysis", "unit"),
    "terms": ("terms",),
    "normalize": ("analysis", "normalize"),
    "tokens": ("analysis", "tokens"),
    "case": ("analysis", "case"),
    "short_documents": ("short_documents",),
    "min_features": ("min_features",),
    "ignore_common": ("ignore_common",),
    "boilerplate": ("boilerplate",),
    "site_field": ("site_field",),
    "ignore_text": ("ignore_text",),
    "distinct_by": ("distinct_by",),
    "separate_by": ("separate_by",),
    "across": ("across",),
    "keep": ("keep",),
    "keep_n": ("keep_n",),
    "contained_only": ("contained_only",),
    "max_lost": ("max_lost",),
    "label_field": ("label_field",),
    "linkage": ("linkage",),
    "method": ("method", "spec"),
    "verify": ("method", "verify"),
    "lexicon": ("method", "lexicon"),
    "lexicon_checksum": ("method", "lexicon_checksum"),
    "key_limit": ("method", "key_limit"),
    "text": ("fields", "text"),
    "id": ("fields", "id"),
    "html": ("fields", "html"),
    "url": ("fields", "url"),
    "title": ("fields", "title"),
    "date": ("fields", "date"),
    "format": ("format",),
    "max_record": ("max_record",),
    "join_lists": ("fields", "join_lists"),
    "features": ("fields", "features"),
    "text_encoding": ("formats", "text_encoding"),
    "csv_delimiter": ("formats", "csv_delimiter"),
    "csv_quote": ("formats", "csv_quote"),
    "csv_escape": ("formats", "csv_escape"),
    "warc_status": ("formats", "warc_status"),
    "mail_quotes": ("formats", "mail_quotes"),
    "mail_signatures": ("formats", "mail_signatures"),
    "mail_html": ("formats", "mail_html"),
    "mail_attachments": ("formats", "mail_attachments"),
    "extract": ("formats", "extract"),
    "extract_timeout": ("formats", "extract_timeout"),
}
