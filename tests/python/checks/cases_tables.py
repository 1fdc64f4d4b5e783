"""Cases of tables: CSV and TSV dialects, ids, columns, values of Python's JSON, dates."""
import csv
import io
import json

from checks.cases import Case

WORDS = "the quick brown fox jumps over the lazy dog while seven wizards drink strong black coffee near port"


def text(number: int) -> str:
    """Texts that resemble no other."""
    return " ".join(f"{word}{number}" for word in WORDS.split())


def ids(*expected):
    """The ids of documents that each have a copy."""
    def check(run):
        found = [row["kept_id"] for row in run.table("ledger")]
        return None if found == list(expected) else f"ids {found}, not {list(expected)}"
    return check


def problem(*words):
    def check(run):
        said = [row["message"] for row in run.table("problems")]
        lacking = [word for word in words if not any(word in message for message in said)]
        return f"the problems lack {lacking}: {said}" if lacking else None
    return check


def same_bytes(name: str, content: bytes):
    """The kept file is the input, byte for byte."""
    def check(run):
        found = (run.out / name).read_bytes()
        return None if found == content else f"{name} is {found[:200]!r}"
    return check


def written(dialect: dict, rows: list, newline: str = "\r\n") -> str:
    """Rows as Python's csv module writes them."""
    out = io.StringIO()
    csv.writer(out, lineterminator=newline, **dialect).writerows(rows)
    return out.getvalue()


# Three documents whose first sentences are the same, up to a quote.
QUOTED = [["id", "text"]] + [[str(n), f'He said "good morning, {text(n)}\nand left", \\ or "not"'] for n in (1, 2, 3)]
SPARK = {"doublequote": False, "escapechar": "\\", "quoting": csv.QUOTE_ALL}
BARE = {"quoting": csv.QUOTE_NONE, "escapechar": "\\", "quotechar": None}
TSV = "id\ttext\n" + "".join(f"{n}\t{start}{text(n)}{end}\n" for n, start, end in (
    (1, "", ""), (2, '"', ""), (3, "", ""), (4, "", '"'), (5, '"', '"')))
SEMICOLONS = "id;text\r\n" + "".join(f'{n};"{text(n)}, a; b"\r\n' for n in (1, 2))
PIPES = SEMICOLONS.replace(";", "|")

CSV_CASES = [
    Case("csv", "backslash quotes are named", {"s.csv": written(SPARK, QUOTED)}, ["dedup", "s.csv"],
         code=1, kept=0, removed={}, check=problem("text after a closing quote, which a backslash precedes", "csv_escape='\\'")),
    Case("csv", "backslash quotes with the option", {"s.csv": written(SPARK, QUOTED)}, ["dedup", "s.csv", "--csv-escape", "\\"],
         kept=3, removed={}, problems=0, check=same_bytes("kept.csv", written(SPARK, QUOTED).encode())),
    Case("csv", "no quotes and escapes", {"s.csv": written(BARE, QUOTED)}, ["dedup", "s.csv", "--csv-quote", "none", "--csv-escape", "\\"],
         kept=3, removed={}, problems=0, check=same_bytes("kept.csv", written(BARE, QUOTED).encode())),
    Case("csv", "another quote", {"s.csv": written({"quotechar": "'"}, QUOTED)}, ["dedup", "s.csv", "--csv-quote", "'"],
         kept=3, removed={}, problems=0),
    Case("csv", "doubled quotes as ever", {"s.csv": written({}, QUOTED, "\n")}, ["dedup", "s.csv"],
         kept=3, removed={}, problems=0, check=same_bytes("kept.csv", written({}, QUOTED, "\n").encode())),
    Case("csv", "an open quote names the lines it took", {"s.csv": f'id,text\n1,{text(1)}\n2,"{text(2)}\n3,{text(3)}\n4,{text(4)}\n'},
         ["dedup", "s.csv"], kept=1, problems=1, check=problem("the 2 lines after it", "csv_quote=none")),
    Case("csv", "an open quote is text with the option", {"s.csv": f'id,text\n1,{text(1)}\n2,"{text(2)}\n3,{text(3)}\n4,{text(4)}\n'},
         ["dedup", "s.csv", "--csv-quote", "none"], kept=4, problems=0),
    Case("csv", "an open quote beyond the longest record", {"s.csv": f'id,text\n1,{text(1)}\n2,"{text(2)}\n' + f"3,{text(3)}\n" * 40},
         ["dedup", "s.csv", "--max-record", "1000"], kept=1, problems=1, check=problem("close a quote", "csv_quote=none")),
    Case("csv", "CR ends rows", {"s.csv": f"\ufeffid,text\r1,{text(1)}\r2,{text(2)}\r3,{text(2)}\r"}, ["dedup", "s.csv"],
         kept=2, removed={"identical": 1}, problems=0),
    Case("csv", "semicolons are named", {"s.csv": SEMICOLONS}, ["dedup", "s.csv"], code=1, stderr=["--csv-delimiter=';'"]),
    Case("csv", "semicolons with the option", {"s.csv": SEMICOLONS}, ["dedup", "s.csv", "--csv-delimiter", ";"],
         kept=2, problems=0, check=same_bytes("kept.csv", SEMICOLONS.encode())),
    Case("csv", "pipes are named", {"s.csv": PIPES}, ["dedup", "s.csv"], code=1, stderr=["--csv-delimiter='|'"]),
    Case("csv", "pipes with the option", {"s.csv": PIPES}, ["dedup", "s.csv", "--csv-delimiter", "|"], kept=2, problems=0),
    Case("csv", "a line declares the delimiter", {"s.csv": "sep=;\r\n" + SEMICOLONS}, ["dedup", "s.csv"],
         kept=2, problems=0, check=same_bytes("kept.csv", ("sep=;\r\n" + SEMICOLONS).encode())),
    Case("csv", "one character has one meaning", {"s.csv": SEMICOLONS}, ["dedup", "s.csv", "--csv-delimiter", ";", "--csv-quote", ";"],
         code=2, stderr=["has two meanings"]),
    Case("csv", "a used column occurs twice", {"s.csv": f"id,text,text\n1,{text(1)},{text(2)}\n"}, ["dedup", "s.csv"],
         code=1, stderr=["two columns `text`"]),
    Case("csv", "an unused column occurs twice", {"s.csv": f"id,text,x,x\n1,{text(1)},a,b\n"}, ["dedup", "s.csv"], kept=1, problems=0),
    Case("tsv", "quotes are text", {"d.tsv": TSV}, ["dedup", "d.tsv"], kept=5, removed={}, problems=0,
         check=same_bytes("kept.tsv", TSV.encode())),
    Case("tsv", "quotes with the option", {"d.tsv": written({"delimiter": "\t"}, QUOTED)}, ["dedup", "d.tsv", "--csv-quote", '"'],
         kept=3, removed={}, problems=0),
    Case("tsv", "quoted fields are named", {"d.tsv": f'id\ttext\n1\t"{text(1)}\tb"\n2\t{text(2)}\n'}, ["dedup", "d.tsv"],
         kept=1, problems=1, check=problem("csv_quote='\"'")),
]


def jsonl(*records: str) -> str:
    return "".join(f"{record}\n" for record in records)


NAN = jsonl(*(json.dumps({"id": n, "score": score, "text": text(n), "more": [float("nan"), {"a": -float("inf")}]})
              for n, score in ((1, float("nan")), (2, float("inf")), (3, -float("inf")))))

RECORD_CASES = [
    Case("json", "NaN beside the text", {"d.jsonl": NAN}, ["dedup", "d.jsonl"], kept=3, problems=0,
         check=same_bytes("kept.jsonl", NAN.encode())),
    Case("json", "NaN as text and id", {"d.jsonl": jsonl('{"id": NaN, "text": "a b c"}', '{"id": 2, "text": NaN}')},
         ["dedup", "d.jsonl"], kept=1, problems=1, check=problem("`text` is NaN or an infinity, not a string")),
    Case("json", "NaN is no number of a keep rule", {"d.jsonl": jsonl(*(f'{{"id": {n}, "score": {score}, "text": "{text(1)}"}}'
         for n, score in ((1, "NaN"), (2, "3"), (3, "-Infinity"))))}, ["dedup", "d.jsonl", "--keep", "max:score"],
         kept=1, problems=0, check=lambda run: None if '"id": 2' in (run.out / "kept.jsonl").read_text() else "2 is not kept"),
    Case("json", "a text that is given twice", {"d.jsonl": jsonl(
         f'{{"id": 1, "text": "{text(1)}", "text": "same"}}', f'{{"id": 2, "text": "{text(2)}", "text": "same"}}')},
         ["dedup", "d.jsonl"], code=1, kept=0, removed={}, problems=2, check=problem("`text` occurs twice")),
    Case("ids", "objects, lists and booleans", {"d.jsonl": jsonl(*(f'{{"id": {id_}, "text": "{text(n)}"}}\n{{"id": "copy", "text": "{text(n)}"}}' for n, id_ in enumerate(
         ('{"$oid": "5f"}', "[1, 2]", "true", "1.5", "null", '"s"'))))},
         ["dedup", "d.jsonl"], kept=6, problems=0, check=ids('{"$oid":"5f"}', "[1,2]", "true", "1.5", "d.jsonl:9", "s")),
    Case("ids", "an object that is named as the id", {"d.jsonl": jsonl(f'{{"key": {{"a": 1}}, "text": "{text(1)}"}}')},
         ["dedup", "d.jsonl", "--id-field", "key"], code=1, kept=0, problems=1, check=problem("`key` is neither a string nor a number")),
]


def newest(old: str, new: str) -> Case:
    """Of two copies the later one stays; the first is the older one, and would otherwise."""
    files = {"d.jsonl": jsonl(*(json.dumps({"id": id_, "date": date, "text": text(1)}) for id_, date in (("old", old), ("new", new))))}
    kept = lambda run: None if '"id": "new"' in (run.out / "kept.jsonl").read_text() else "the older one is kept"  # noqa: E731
    return Case("dates", f"{old} before {new}", files, ["dedup", "d.jsonl", "--keep", "newest"], kept=1, removed={"identical": 1}, check=kept)


DATE_CASES = [
    newest("20050901123456", "2024-01-01"),
    newest(20050901123456, 1714564800),
    newest(200509011234, "20050901123456"),
    newest(1125578096000, "2005-09-01 12:34:57 UTC"),
    newest("2005-09-01 12:34:56 UTC", "2005-09-01 14:34:57 +0200"),
    newest("Thu Sep 01 2005 12:34:56 GMT+0200 (CEST)", "Thu Sep  1 10:34:57 2005"),
    newest("Thursday, 01-Sep-05 12:34:56 GMT", "Thu, 01 Sep 2005 12:34:57 +0000"),
    newest("99999999999999", "1950-01-01"),
    newest("2605-01-01", "1950-01-01"),
    newest("1899-12-31", "1900-01-01"),
    Case("dates", "years beyond the usual are counted", {"d.jsonl": jsonl(*(json.dumps({"id": n, "date": date, "text": text(1)})
         for n, date in enumerate(("2605-01-01", "0001-01-01T00:00:00Z", "2005-09-01"))))}, ["dedup", "d.jsonl", "--keep", "newest"],
         kept=1, removed={"identical": 2}, stderr=["2 hold no date"]),
]

CASES = CSV_CASES + RECORD_CASES + DATE_CASES
