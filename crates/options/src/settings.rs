//! The settings, in groups that commands take as a whole.

use crate::{Item, Kind};

/// Defaults of the fields of an item.
const MATCHING: Item = Item {
    name: "",
    aliases: &[],
    hidden_aliases: &[],
    short: None,
    value: "",
    kind: Kind::Text,
    default: None,
    default_in_help: false,
    help: "",
    long_help: None,
    heading: "Matching",
    needs: &[],
    excludes: &[],
    path: "",
    keyword: "",
    python_type: None,
    python_help: None,
};
const INPUT: Item = Item { heading: "Input", ..MATCHING };
const SURVIVORS: Item = Item { heading: "Which duplicate to keep", ..MATCHING };
const OF_METHOD: Item = Item { heading: "Method", ..MATCHING };

/// All settings, group by group, in the order of the documentation.
pub const SETTINGS: [&[Item]; 20] = [
    CRITERION,
    WITNESS,
    ANALYSIS,
    MIN_FEATURES,
    COMMON,
    BOILERPLATE,
    IGNORED,
    SEPARATE,
    SEPARATE_BY,
    ACROSS,
    KEEP,
    KEEP_N,
    CONTAINED,
    LOST,
    LABELS,
    LINKAGE,
    METHOD,
    METHOD_OPTIONS,
    FIELDS,
    FORMATS,
];

/// The measure and its threshold.
pub const CRITERION: &[Item] = &[
    Item {
        name: "threshold",
        short: Some('t'),
        value: "RATIO",
        kind: Kind::Ratio,
        default: Some("0.8"),
        help: "Documents are near-duplicates if --measure reaches this value (above 0, at most 1)",
        python_help: Some(
            "What `measure` has to reach, above 0 and at most 1. A decimal as it is written: 0.8 is 4/5.",
        ),
        ..MATCHING
    },
    Item {
        name: "measure",
        value: "MEASURE",
        kind: Kind::Choice(&["resemblance", "containment", "cosine"]),
        default: Some("resemblance"),
        help: "Similarity measure",
        python_help: Some("|A∩B| / |A∪B|, |A∩B| / |A|, or the cosine, of the sets of features."),
        ..MATCHING
    },
];

/// From text to features.
pub const ANALYSIS: &[Item] = &[
    Item {
        name: "shingle",
        aliases: &["ngram"],
        hidden_aliases: &["ngram-size"],
        value: "N",
        kind: Kind::Count(0),
        help: "Tokens per shingle [default: 5; --measure cosine compares terms instead]",
        python_type: Some(("int | None | EllipsisType", "...")),
        python_help: Some(
            "Tokens in a shingle; ``None`` compares the distinct terms of documents. By default 5, and ``None`` with \
             ``measure=\"cosine\"``.",
        ),
        ..MATCHING
    },
    Item {
        name: "shingle-unit",
        value: "SHINGLE_UNIT",
        kind: Kind::Choice(&["word", "char"]),
        default: Some("word"),
        help: "Token unit",
        path: "analysis.unit",
        ..MATCHING
    },
    Item {
        name: "terms",
        value: "TERMS",
        kind: Kind::Choice(&["all", "kolcz"]),
        default: Some("all"),
        help: "Terms compared by --measure cosine; kolcz: at least four characters and at most one digit",
        ..MATCHING
    },
    Item {
        name: "normalize",
        value: "NORMALIZE",
        kind: Kind::Choice(&["none", "nfc", "nfkc", "confusables"]),
        default: Some("nfc"),
        help: "Unicode normalisation; zero-width and other default-ignorable characters are always ignored. \
               confusables: letters that look alike are one, Cyrillic and Latin a, 1 and l, 0 and o",
        path: "analysis.normalize",
        ..MATCHING
    },
    Item {
        name: "tokens",
        value: "TOKENS",
        kind: Kind::Choice(&["words", "symbols"]),
        help: "What tokens are: words, or also each symbol and punctuation character, so that a < b and a > b \
               differ [default: words; symbols if all inputs are source code]",
        long_help: Some(
            "What tokens are. words: words only, symbols and punctuation are compared with nothing. symbols: \
             also each symbol and punctuation character outside of a word, so that a < b and a > b, 12 + 4 \
             and 12 - 4, C and C++ differ. White space is never a token. Without this option, words; and \
             symbols if all inputs are source code: text files by their endings (.py, .c, .tex, …, with \
             --input-format text), or files of whose first 100 records each has a field such as language or \
             path that names a programming language or a source file",
        ),
        path: "analysis.tokens",
        python_help: Some(
            "With ``\"symbols\"``, each symbol and punctuation character outside of a word is a token too, so that \
             ``a < b`` and ``a > b`` differ. By default words, and symbols in runs over files that are all source code.",
        ),
        ..MATCHING
    },
    Item {
        name: "case",
        value: "CASE",
        kind: Kind::Choice(&["fold", "keep"]),
        default: Some("fold"),
        help: "Upper and lower case: fold to lower case, or keep (compare as written)",
        path: "analysis.case",
        ..MATCHING
    },
    Item {
        name: "short-documents",
        value: "SHORT_DOCUMENTS",
        kind: Kind::Choice(&["whole", "ignore"]),
        default: Some("whole"),
        help: "Texts with fewer tokens than one shingle: use the whole text as the shingle, or match nothing",
        ..MATCHING
    },
];

/// The minimum size of a feature set.
pub const MIN_FEATURES: &[Item] = &[Item {
    name: "min-features",
    value: "N",
    kind: Kind::Count(1),
    help: "Match documents with fewer than N features (shingles or terms) only with documents of the same words \
           [default: 10 if terms are compared (--measure cosine without --shingle), else 1]",
    python_help: Some(
        "Documents with fewer features match only documents with the same words. By default 10 where terms are \
         compared, else 1.",
    ),
    ..MATCHING
}];

/// The filter of common features.
pub const COMMON: &[Item] = &[Item {
    name: "ignore-common",
    value: "N",
    kind: Kind::Count(1),
    help: "Ignore shingles that occur in more than N distinct documents",
    long_help: Some(
        "Ignore shingles (terms, for --measure cosine) that occur in more than N distinct feature sets of \
         INPUT and --against together. They are removed from every set and sketch before documents \
         are compared, so that shared headers, footers and licences make no two documents similar. \
         Documents without any other shingle match nothing, and are counted. The inputs are read one \
         more time to count.",
    ),
    python_help: Some("Features that more distinct sets than this have are removed from all sets."),
    ..MATCHING
}];

/// The boilerplate of sites.
pub const BOILERPLATE: &[Item] = &[
    Item {
        name: "boilerplate",
        value: "N|P%|auto",
        kind: Kind::Limit,
        help: "Ignore shingles in more than N, or P% of the, distinct documents of one site (host of the URL, else \
               input file or directory); auto: 5%",
        long_help: Some(
            "Ignore shingles that occur in more than N, or more than P % of the, distinct documents of one site: \
             headers, navigation, footers. The site of a document is the host of its URL; without one, the \
             file of many documents or the directory of a file that is one document. A share counts only \
             beyond 10 documents; auto is 5%. The shingles are removed from the sets of all \
             documents before they are compared. Documents that reach the threshold only with them match if \
             the rest reaches 0.3. Documents of nothing else match only documents of the same words. The summary shows what was removed as text, and the tables have the resemblance of \
             complete documents in the column whole_resemblance. The inputs are read two more times.",
        ),
        excludes: &["method"],
        python_help: Some(
            "Shingles in more distinct documents of one site than this are removed from all sets: a number, a share \
             (``\"5%\"``) or ``\"auto\"``. Documents that reach the threshold only with them match if the rest reaches 0.3.",
        ),
        ..MATCHING
    },
    Item {
        name: "site-field",
        value: "NAME",
        help: "Field that names the site of a document for --boilerplate",
        needs: &["boilerplate"],
        ..MATCHING
    },
];

/// Texts whose shingles are ignored.
pub const IGNORED: &[Item] = &[Item {
    name: "ignore-text",
    value: "FILE",
    kind: Kind::Files,
    help: "Ignore the shingles of the texts in this file: an exercise handout, a template, a licence header, a system \
           prompt (repeatable)",
    long_help: Some(
        "Ignore the shingles of the texts in this file, in all documents: an exercise handout, a template, a licence header, a system \
         prompt (repeatable). Files are read as inputs are: a text or HTML file is one text, and each record of a \
         JSONL file is one. Documents match by what remains of them; the tables have the resemblance of complete documents \
         in the column whole_resemblance. Documents of nothing else match only documents of the same words. The inputs are read one more time.",
    ),
    python_type: Some(("str | PathLike[str] | Sequence[str | PathLike[str]]", "()")),
    python_help: Some(
        "Files with texts whose shingles are removed from all documents: handouts, templates, licence headers, system prompts. \
         They are read as files of documents are.",
    ),
    ..MATCHING
}];

/// What documents need to have in common besides.
pub const SEPARATE: &[Item] = &[Item {
    name: "distinct-by",
    value: "WHAT",
    kind: Kind::Distinctions,
    help: "Match only documents with the same numbers, identifiers, title, title+numbers, names or symbols, the same values of a \
               field, or the same finds of a /REGEX/; several are separated by commas",
    long_help: Some(
        "Match only documents that have this in common: numbers, identifiers (a_b, aB, CVE-2024-1, versions), title (its words \
             without numbers; without a title field, of the first line), title+numbers, names (words with a capital inside sentences), \
             symbols (that change what a text says, as operators), FIELD (its values), /REGEX/ (what it finds; of an expression with groups, the \
             groups). Several are separated by commas, or given one by one, and all count. Texts are \
             compared as multisets, in any order, with --normalize. A condition of the match: no pair, cluster or \
             removal is of documents that differ in it, whatever the method is. `show --differs` \
             tells in what removed documents differ.",
    ),
    python_type: Some(("str | Sequence[str]", "()")),
    python_help: Some(
        "Match only documents that have this in common: ``numbers``, ``identifiers``, ``title``, ``title+numbers``, ``names``, \
             ``symbols``, the name of a field, a ``/REGEX/``; one or several.",
    ),
    ..MATCHING
}];

/// The field whose values keep documents apart.
pub const SEPARATE_BY: &[Item] = &[Item {
    name: "separate-by",
    value: "NAME",
    help: "Match only documents with the same value of this field: a language, a site, a security label",
    long_help: Some(
        "Match only documents with the same value of this field: a language, a site, a security label. \
         No pair, cluster, removal or passage is of documents with different values, whatever the method is. \
         Documents without the field have one value in common, and the distinct elements of a list are \
         one value.",
    ),
    ..MATCHING
}];

/// By what documents have to differ.
pub const ACROSS: &[Item] = &[Item {
    name: "across",
    value: "NAME|inputs",
    kind: Kind::Name,
    help: "Match only documents with different values of this field, or of different inputs: train and test data, \
           sources, owners",
    long_help: Some(
        "Match only documents with different values of this field, such as split or source; `inputs` for the input \
         arguments that documents come from. No pair, cluster or removal is of two documents with the same \
         value, identical ones included, whatever the method is; components connect them through others. The \
         summary has the numbers for each pair of values: the overlap of train and test data. Documents without the field have one value in common, and the distinct elements of a list are one value.",
    ),
    python_help: Some(
        "Match only documents with different values of this field, or of different inputs (``\"inputs\"``): train and test data, \
         sources, owners.",
    ),
    ..MATCHING
}];

/// Which duplicate is kept.
pub const KEEP: &[Item] = &[Item {
    name: "keep",
    value: "RULE",
    kind: Kind::KeepRules,
    default: Some("first"),
    help: "Which duplicate to keep. Rules apply in order; ties are broken by id",
    long_help: Some(
        "Which duplicate to keep: KEEP_RULES. Rules apply in order, separated by commas or given one by \
         one; ties are broken by id. With \
         --measure containment the larger feature set comes first, and the rules decide between sets of equal \
         size. Documents of --against come before all others.",
    ),
    python_type: Some(("str | Sequence[str]", "\"first\"")),
    python_help: Some(
        "Which duplicate to keep: KEEP_RULES; several, also in one text with commas between, are applied in order.",
    ),
    ..SURVIVORS
}];

/// How many documents of a cluster are kept.
pub const KEEP_N: &[Item] = &[Item {
    name: "keep-n",
    value: "N",
    kind: Kind::Count(1),
    help: "Keep N documents of each cluster, the first in order of precedence [default: 1]",
    python_type: Some(("int", "1")),
    python_help: Some(
        "Documents of each cluster that are kept; 0 for none, so that only documents without a duplicate are left.",
    ),
    ..SURVIVORS
}];

/// Removals that lose little.
pub const CONTAINED: &[Item] = &[Item {
    name: "contained-only",
    value: "RATIO",
    kind: Kind::Ratio,
    help: "Remove a document only if the kept one contains this share of its features (above 0, at most 1), besides \
           reaching --threshold; with --linkage leaders",
    ..SURVIVORS
}];

/// Removals that lose few words.
pub const LOST: &[Item] = &[Item {
    name: "max-lost",
    value: "N|P%",
    kind: Kind::MaxLost,
    help: "Remove a document only if the kept one lacks at most N of its words, or P % of them; 0 loses no word",
    long_help: Some(
        "Remove a document only if the kept one lacks at most N of its words, or P % of them, besides reaching --threshold. \
         Each word counts as often as it occurs; order, case and punctuation do not count. 0 removes \
         documents only if all their words are in the kept one. The number is in the column `lost` of the ledger. The inputs are read one more time.",
    ),
    python_help: Some(
        "Most words of a removed document that the kept one may lack: a number (``10``), or a share of its words (``\"2%\"``). \
         Each word counts as often as it occurs. The documents are read one more time.",
    ),
    python_type: Some(("int | str | None", "None")),
    ..SURVIVORS
}];

/// What a person calls one document.
pub const LABELS: &[Item] = &[Item {
    name: "label-field",
    value: "FIELD",
    help: "Field with labels, equal for what a person calls one document: rules that separate the others are recommended by them",
    long_help: Some(
        "Field with labels, equal for what a person calls one document: a page, a licence, a product. They decide nothing. \
         Of removed documents that have another label than the kept one, the summary and the report say how many there are, and which \
         --distinct-by and --max-lost would keep them. Without labels they say which differences recur.",
    ),
    python_help: Some(
        "Field with labels, equal for what a person calls one document. They decide nothing: the summary says how many \
         removed documents have another label than the kept one, and which `distinct_by` and `max_lost` would keep them.",
    ),
    ..SURVIVORS
}];

/// How pairs become clusters.
pub const LINKAGE: &[Item] = &[Item {
    name: "linkage",
    value: "LINKAGE",
    kind: Kind::Choice(&["leaders", "components"]),
    help: "How pairs become clusters",
    python_help: Some(
        "Every removed document matches a kept one, or is connected with it by matches. By default leaders where \
         documents are removed, and components where pairs and clusters are listed (leaders with `contained_only` and `max_lost`).",
    ),
    ..SURVIVORS
}];

/// The witness rule.
pub const WITNESS: &[Item] = &[Item {
    name: "witness",
    value: "RULE",
    kind: Kind::Choice(&["first", "best"]),
    help: "With --linkage leaders: the kept document named for a removed one, the first match in order of precedence \
           or the best by --measure (ties by precedence) [default: first]",
    long_help: Some(
        "With --linkage leaders: the kept document named for a removed one, the first match in order of precedence \
         or the best by --measure (ties by precedence) [default: first]\n\n\
         Both rules remove the same documents. `best` verifies every kept match instead of stopping at the first: \
         on collections with many versions of one text it takes several times as long.",
    ),
    python_type: Some(("Literal[\"first\", \"best\"]", "\"first\"")),
    python_help: Some(
        "Which kept match of a removed document is named as its witness: the first one in the order of precedence, or \
         the one of the highest measure.",
    ),
    ..SURVIVORS
}];

/// The method that finds candidates.
pub const METHOD: &[Item] = &[Item {
    name: "method",
    value: "METHOD",
    help: "Generate candidates by a method of the papers, NAME:PARAMETER=VALUE,… (`lookalike methods` lists \
               them) [default: exact, the exact join]",
    path: "method.spec",
    python_help: Some(
        "A method of the papers instead of the exact join, ``\"name:parameter=value,…\"``; see :func:`methods`.",
    ),
    ..OF_METHOD
}];

/// What decides about its candidates, and what it is told.
pub const METHOD_OPTIONS: &[Item] = &[
    Item {
        name: "verify",
        value: "BY",
        kind: Kind::Choice(&["exact", "sketch", "none"]),
        default: Some("exact"),
        help: "Verifier of the method's candidates: exact (complete feature sets), sketch (the method's sketches) or \
               none (a common key suffices)",
        needs: &["method"],
        path: "method.verify",
        ..OF_METHOD
    },
    Item {
        name: "lexicon",
        value: "FILE",
        kind: Kind::Name,
        help: "Lexicon of document frequencies for the method, from `lookalike lexicon build` [default: counted in \
               INPUT]",
        needs: &["method"],
        path: "method.lexicon",
        python_type: Some(("str | PathLike[str] | LexiconLike | None", "None")),
        python_help: Some(
            "Document frequencies for `method`; by default they are counted in the documents.",
        ),
        ..OF_METHOD
    },
    Item {
        name: "lexicon-checksum",
        value: "HEX",
        kind: Kind::Checksum,
        help: "Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`)",
        needs: &["lexicon"],
        path: "method.lexicon_checksum",
        ..OF_METHOD
    },
    Item {
        name: "key-limit",
        value: "N",
        kind: Kind::Count(0),
        help: "Ignore keys that more than N distinct documents have, and count them. Feature sets and sketches are \
               not changed (--ignore-common changes them)",
        needs: &["method"],
        path: "method.key_limit",
        python_help: Some("Keys of `method` that more distinct documents have are ignored."),
        ..OF_METHOD
    },
];

/// Fields of records, and what is read of files.
pub const FIELDS: &[Item] = &[
    Item {
        name: "text-field",
        aliases: &["text-column"],
        hidden_aliases: &["text-key"],
        value: "NAME",
        default: Some("text"),
        help: "Field or column that holds the text; several are separated by commas: instruction,output or messages[].content",
        long_help: Some(
            "Field or column that holds the text. Several are separated by commas, as instruction,output: no shingle has words of \
             two. messages[].content is the member of each object of a list, messages[role=user].content of those with that role, \
             paragraphs[] the strings of a list.",
        ),
        path: "fields.text",
        keyword: "text",
        python_help: Some(
            "Column or field that holds the text. In tables with structs and records in records this and the \
             other names may be paths: ``text=\"doc.text\"``. Several fields are separated by commas, and \
             ``messages[role=user].content`` leads into lists: no shingle has words of two texts.",
        ),
        ..INPUT
    },
    Item {
        name: "id-field",
        aliases: &["id-column"],
        value: "NAME",
        default: Some("id"),
        help: "Field that holds the id of the document; a document without an id is named FILE:RECORD",
        path: "fields.id",
        keyword: "id",
        ..INPUT
    },
    Item {
        name: "html-field",
        value: "NAME",
        default: Some("html"),
        help: "Field that holds HTML, read if a record has no text field",
        path: "fields.html",
        keyword: "html",
        ..INPUT
    },
    Item {
        name: "url-field",
        value: "NAME",
        default: Some("url"),
        help: "Field that holds the URL",
        path: "fields.url",
        keyword: "url",
        ..INPUT
    },
    Item {
        name: "title-field",
        value: "NAME",
        default: Some("title"),
        help: "Field that holds the title",
        path: "fields.title",
        keyword: "title",
        ..INPUT
    },
    Item {
        name: "date-field",
        value: "NAME",
        default: Some("date"),
        help: "Field that holds the date, for --keep newest and oldest: ISO 8601, a mail date, 14 digits (CDX), or \
               seconds or milliseconds since 1970",
        path: "fields.date",
        keyword: "date",
        ..INPUT
    },
    Item {
        name: "input-format",
        value: "FORMAT",
        kind: Kind::Format,
        help: "Format of all inputs (default: by file name; mbox also by content)",
        path: "format",
        keyword: "format",
        python_type: Some(("str | None", "None")),
        ..INPUT
    },
    Item {
        name: "max-record",
        value: "SIZE",
        kind: Kind::Size,
        default: Some("256MiB"),
        help: "Skip records longer than this, and list them in `problems`",
        python_type: Some(("int | None", "None")),
        python_help: Some("Longest record of files in bytes."),
        ..INPUT
    },
    Item {
        name: "join-lists",
        value: "SEPARATOR",
        kind: Kind::Separator,
        help: "Join lists of strings in text, HTML and title fields with this separator (default: a list is not a \
               text); \\n is a line end, \\t a tab",
        path: "fields.join_lists",
        python_help: Some(
            "Lists of strings in `text`, `html` and `title` are joined with this separator. By default a list is no text.",
        ),
        ..INPUT
    },
    Item {
        name: "features-field",
        value: "NAME",
        kind: Kind::Name,
        help: "Field with a list of integers or strings that is the feature set of the document in place of its \
               text: any object with features",
        path: "fields.features",
        keyword: "features",
        ..INPUT
    },
];

/// Options of single formats.
pub const FORMATS: &[Item] = &[
    Item {
        name: "text-encoding",
        value: "windows-1251|gb18030|…",
        kind: Kind::Encoding,
        help: "Encoding of text and Markdown files that are not UTF-8 and have no byte order mark [default: malformed \
               bytes are replaced]",
        long_help: Some(
            "Encoding of text and Markdown files that are not UTF-8 and have no byte order mark: big5, cp437, cp850, \
             cp852, cp866, euc-jp, euc-kr, gb18030, gbk, iso-8859-1, -2, -5, -7, -9 or -15, koi8-r, koi8-u, \
             macintosh, shift_jis, windows-1250 to windows-1258, or another name of one of them. Without it, malformed bytes are replaced",
        ),
        path: "formats.text_encoding",
        ..INPUT
    },
    Item {
        name: "csv-delimiter",
        value: "CHAR",
        kind: Kind::CsvChar,
        help: "Character between the columns of CSV files, such as ';' or tab [default: a comma, or that of a first \
               line sep=]",
        path: "formats.csv_delimiter",
        ..INPUT
    },
    Item {
        name: "csv-quote",
        value: "CHAR|none",
        kind: Kind::CsvQuote,
        help: "Character around fields of CSV and TSV files, or none: quotes are text [default: \" in CSV, none in \
               TSV]",
        path: "formats.csv_quote",
        ..INPUT
    },
    Item {
        name: "csv-escape",
        value: "CHAR",
        kind: Kind::CsvChar,
        help: "Character that makes a quote inside of a field text, such as '\\\\' in files that Spark has written (a \
               doubled quote is text as well)",
        path: "formats.csv_escape",
        python_help: Some(
            "Character that makes a quote inside of a field text: a backslash in files that Spark has written.",
        ),
        ..INPUT
    },
    Item {
        name: "warc-status",
        value: "STATUS",
        kind: Kind::Status,
        default: Some("2xx"),
        help: "Responses of WARC files that are documents, by HTTP status: 200, 2xx, 200-299, several with commas, or \
               all",
        path: "formats.warc_status",
        ..INPUT
    },
    Item {
        name: "mail-quotes",
        help: "Quoted text in mail messages, with the lines that attribute it: keep or drop",
        path: "formats.mail_quotes",
        ..DROPPED
    },
    Item {
        name: "mail-signatures",
        help: "Signatures in mail messages (after a line `-- `): keep or drop",
        path: "formats.mail_signatures",
        ..DROPPED
    },
    Item {
        name: "mail-html",
        help: "HTML parts of mail messages: keep or drop",
        path: "formats.mail_html",
        ..DROPPED
    },
    Item {
        name: "mail-attachments",
        value: "compare|ignore|text",
        kind: Kind::Choice(&["compare", "ignore", "text"]),
        help: "Attachments of mail messages: compare (messages with different ones do not match; the default), ignore, \
               or text (their text counts where it can be read: text, HTML, DOCX, ODT)",
        path: "formats.mail_attachments",
        ..INPUT
    },
    Item {
        name: "extract",
        value: "EXT=COMMAND",
        kind: Kind::Extractors,
        help: "Extract the text of files with this extension by a command, such as pdf='pdftotext -q {} -': {} is the \
               file; no shell; UTF-8 on standard output (repeatable, once for an extension)",
        path: "formats.extract",
        python_type: Some(("str | Sequence[str]", "()")),
        python_help: Some(
            "Commands that extract the text of files of other formats, one for an extension: \
             ``(\"pdf=pdftotext -q {} -\",)``.",
        ),
        ..INPUT
    },
    Item {
        name: "extract-timeout",
        value: "SECONDS",
        kind: Kind::Count(1),
        default: Some("60"),
        help: "Longest time of such a command for one file, in seconds",
        path: "formats.extract_timeout",
        python_type: Some(("int | None", "None")),
        python_help: Some(
            "Seconds that a command of `extract` may take for a file, at least 1. By default 60.",
        ),
        ..INPUT
    },
];

const DROPPED: Item = Item {
    value: "keep|drop",
    kind: Kind::Choice(&["keep", "drop"]),
    default: Some("keep"),
    default_in_help: true,
    ..INPUT
};

/// A preset; it is no setting by itself.
pub const PRESET: &[Item] = &[Item {
    name: "preset",
    value: "NAME",
    kind: Kind::Preset,
    help: "Settings of a well-known data set or tool, which other options override (`lookalike presets` says what \
               each of them sets)",
    ..MATCHING
}];

/// Parameters of the method under familiar names; they are no settings by themselves.
pub const KNOBS: &[Item] = &[
    Item {
        name: "num-perm",
        value: "N",
        kind: Kind::Count(0),
        help: "Minima (permutations) in a sketch of --method minhash-lsh: its parameter k",
        ..OF_METHOD
    },
    Item {
        name: "bands",
        value: "N",
        kind: Kind::Count(0),
        help: "Bands of --method minhash-lsh; with --rows and without --num-perm, their product is the number of \
               minima",
        ..OF_METHOD
    },
    Item {
        name: "rows",
        value: "N",
        kind: Kind::Count(0),
        help: "Minima in a band of --method minhash-lsh",
        ..OF_METHOD
    },
];

/// The seed of the method, another such parameter.
pub const SEED: &[Item] = &[Item {
    name: "seed",
    value: "N",
    kind: Kind::Seed,
    help: "Random seed of --method minhash-lsh or imatch-random",
    ..OF_METHOD
}];

const ITEMS: Item = Item { heading: "Items of benchmarks", ..MATCHING };

/// A preset of `decontaminate`; it is no setting by itself.
pub const CONTAMINATION_PRESET: &[Item] = &[Item {
    name: "preset",
    value: "NAME",
    kind: Kind::ContaminationPreset,
    help: "Settings of a well-known model or tool, which other options override (`lookalike presets NAME` says what \
           each of them sets)",
    ..ITEMS
}];

/// When a training document contains an item of a benchmark; settings of `decontaminate` alone.
pub const CONTAMINATION: &[Item] = &[
    Item {
        name: "ngram",
        hidden_aliases: &["shingle", "ngram-size"],
        value: "N",
        kind: Kind::Count(1),
        default: Some("8"),
        help: "Words per shingle of the items; an item of fewer words is one shingle, if it has 8 or more",
        ..ITEMS
    },
    Item {
        name: "threshold",
        short: Some('t'),
        value: "RATIO",
        kind: Kind::Ratio,
        default: Some("0.5"),
        help: "A document contains an item if it has this share of the item's distinct shingles (above 0, at most 1), \
               whatever its own length is",
        ..ITEMS
    },
    Item {
        name: "common",
        value: "N",
        kind: Kind::Count(1),
        default: Some("1000"),
        help: "Shingles in more than N training documents do not count; items of nothing else are listed as common",
        ..ITEMS
    },
    Item {
        name: "common-items",
        value: "N",
        kind: Kind::Count(1),
        default: Some("30"),
        help: "Shingles in more than N items do not count: they are of a template of the benchmark",
        ..ITEMS
    },
    Item {
        name: "item-fields",
        value: "NAME,…",
        kind: Kind::Names,
        help: "Fields of an item that are looked for, each on its own, such as question,answer [default: its text]",
        long_help: Some(
            "Fields of an item that are looked for, each on its own, such as question,answer. A document that contains \
             one of them contains the item. The values of a list are one part: the choices of a question. Without \
             this option, the text of the item (--text-field).",
        ),
        ..ITEMS
    },
    Item {
        name: "item-id-field",
        value: "NAME",
        help: "Field that holds the id of an item [default: that of --id-field]",
        ..ITEMS
    },
];

/// What a repeated passage is, and what of it is cut; settings of `passages` alone.
pub const PASSAGES: &[Item] = &[
    Item {
        name: "unit",
        value: "UNIT",
        kind: Kind::PassageUnit,
        default: Some("word"),
        help: "What passages are made of and cut by: word, char, byte, line, sentence, paragraph, or tokens:FIELD for the \
               elements of a list",
        long_help: Some(
            "What passages are made of and cut by. word: words, as elsewhere. char: the characters of the words, with one \
             space between two words. byte: the bytes of the text as it is. line, sentence, paragraph: each that has words \
             is one unit, and equal to another one of the same words. tokens:FIELD: the integers or strings of a list \
             field, such as input_ids; the list takes the place of the text and is cut.",
        ),
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "length",
        short: Some('L'),
        hidden_aliases: &["min-words"],
        value: "N",
        kind: Kind::Count(1),
        help: "The fewest units of a passage [default: 50 words or tokens; 300 characters or bytes; 3 lines or sentences; 1 paragraph]",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "copies",
        value: "N",
        kind: Kind::Count(2),
        default: Some("2"),
        help: "The fewest places at which a passage stands, the first one included",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "cut",
        value: "RULE",
        kind: Kind::Choice(&["none", "kept", "later", "all"]),
        default: Some("kept"),
        help: "Which copies are cut: those of which the same words stand whole in what is kept (kept), all but the \
               first (later), all (all), or none, which writes no documents",
        long_help: Some(
            "Which copies are cut. kept: those of which the same words stand whole, at an earlier place, in the \
             documents that are written, so that nothing is lost. later: all but the first, of which less may be \
             left, as it may overlap another passage. all: every copy, as suffix-array deduplication does (Lee et al. \
             2021). none: passages are listed, and no document is written.",
        ),
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "whole",
        value: "UNIT",
        kind: Kind::Choice(&["line", "sentence", "paragraph"]),
        help: "Cut whole lines, sentences or paragraphs only: what of a passage is less stays",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "joint",
        value: "TEXT",
        kind: Kind::Separator,
        help: "Put this text where something was cut; \\n and \\t are a line end and a tab [default: nothing, or a space where words would touch]",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "rest",
        value: "N",
        kind: Kind::Count(1),
        help: "Cut what is left between two cuts too, if it is fewer than N units (at most --length)",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "shortest",
        value: "N",
        kind: Kind::Count(1),
        help: "Remove documents that cuts leave with fewer than N units (at most --length)",
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "write",
        value: "WHAT",
        kind: Kind::Choice(&["documents", "spans"]),
        default: Some("documents"),
        help: "What is written: the documents without what is cut (documents), or where it stands in each, for \
               trainers that leave it out (spans)",
        long_help: Some(
            "What is written. documents: the documents without what is cut. spans: attributes/, a JSONL file for each \
             input with one line for each of its records, in order, as Dolma keeps attributes beside documents: the \
             characters that would be cut, and how often they stand (lookalike_passages). With --cut none, all later \
             copies.",
        ),
        heading: "Passages",
        ..MATCHING
    },
    Item {
        name: "gaps",
        value: "N",
        kind: Kind::Count(0),
        help: "Also list passages of two documents that are the same but for gaps of up to N units, in the table `near`; they are not cut",
        heading: "Near passages",
        ..MATCHING
    },
    Item {
        name: "agree",
        value: "RATIO",
        kind: Kind::Ratio,
        help: "The least share of the units of a near passage that both documents have in common runs [default: 0.9]",
        heading: "Near passages",
        ..MATCHING
    },
];
