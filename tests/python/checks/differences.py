"""What differs between removed documents and the kept ones, in every kind of text, and in samples of many."""
import csv
import random

from checks.harness import Checks, summary_of
from checks.inputs import write_jsonl

# What tells documents apart, and what has no part in that.
PIECES = (
    "2.0", "1,200", "1,2345", "v2.0.1", "2024-01-31", "CVE-2024-1234", "10px", "-5", "5 - 6", "5 -\n7", ".5", "x² + y²", "٣٤",
    "a_b", "__init__", "fooBar", "utf8", "HTMLParser", "GPL-2.0", "naïveÉ", "x86_64", "漢字a1漢", "第3章",
    "Mr. Smith", "J. K. Rowling", "the End.", "Is it? Yes", "Élan", "“Go home.” She", "end.\u00a0Next", "Last…", "NASA", "ΟΔΟΣ", "İstanbul",
    "C++", "a != b", "!x", "€5", "snake - case", "[a] {b} (c)", "5:30", "rock 'n' roll", "50 %", "A·B", "Pa\u00adris", "E\u0301lan",
    "\n\nA new one", "\r\n\r\nLondon", "\n \t\nAnother", "\u00a0", "\n\u00a0\n", "\n", "=\n=\n", "\x07", "\u2028Line",
)


def document(rng: random.Random, words: list, number: int) -> dict:
    """A text of common words with a few pieces in it."""
    body = list(words)
    for _ in range(rng.randint(0, 3)):
        body.insert(rng.randint(0, len(body)), rng.choice(PIECES))
    change = rng.random()
    if change < 0.2:
        body = body[rng.randint(0, 3):]
    elif change < 0.3:
        body[-4:] = reversed(body[-4:])
    elif change < 0.4:
        body[5] = body[5].upper()
    elif change < 0.5:
        body += rng.choices(words, k=rng.randint(1, 14))
    title = rng.choice(("", "Release 7", "Release 8", "release notes", "On 漢字 and Ⅷ", " — "))
    return {"id": f"d{number}", "title": title, "text": " ".join(body)}


def what_differs(c: Checks) -> None:
    folder = c.work / "differences"
    folder.mkdir()
    rng = random.Random(36)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(5)) for _ in range(500)]
    made = []
    for _ in range(120):
        words = rng.choices(vocabulary, k=60)
        made += [document(rng, words, len(made) + at) for at in range(rng.randint(2, 6))]
    for one in made[::3]:
        del one["title"]
    docs = write_jsonl(folder / "docs.jsonl", made)
    table = folder / "docs.csv"
    with open(table, "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, ("id", "title", "text"))
        rows.writeheader()
        rows.writerows(made)
    # Versions of pages: another page has another title, and often loses more.
    pages = []
    for number in range(150):
        words, page = rng.choices(vocabulary, k=60), f"page {number % 7}"
        for version in range(3):
            own = page if version < 2 else f"page {number % 7 + 10}"
            body = words[: 60 - 2 * version] + [f"version {version}"] * (rng.random() < 0.8)
            label = [own, "x"] if number % 5 else own
            pages.append({"id": f"p{number}.{version}", "title": f"About {'letters' if own == page else 'figures'}", "text": " ".join(body), "page": label})
            if number % 3 == 0:
                pages[-1]["checked"] = version == 2
    labelled = write_jsonl(folder / "pages.jsonl", pages)
    runs = [
        (f"differences {name}", "dedup", [path], ("-t", "0.5", *options))
        for name, path, options in (
            ("plain", docs, ()), ("csv", table, ()), ("nfkc", docs, ("--normalize", "nfkc")), ("as written", docs, ("--normalize", "none")),
            ("case kept", docs, ("--case", "keep")), ("characters", docs, ("--shingle-unit", "char", "--shingle", "9")),
            ("symbols", docs, ("--tokens", "symbols")), ("another title", docs, ("--title-field", "id")),
            ("components", docs, ("--linkage", "components")), ("dropped", docs, ("--drop-all",)),
            ("labels", labelled, ("--label-field", "page")), ("few labels", labelled, ("--label-field", "checked")),
        )
    ]
    # More removals than are compared, and texts that are too long.
    many = []
    for number in range(2300):
        words = rng.choices(vocabulary, k=9)
        many += [{"id": f"m{number}{side}", "text": " ".join((*words, end))} for side, end in (("a", "1"), ("b", "2"))]
    long = " ".join(vocabulary) + "\n"
    many[999:999] = [{"id": f"long{at}", "text": long * 360 + str(at)} for at in range(2)]
    many = write_jsonl(folder / "many.jsonl", many)
    runs.append(("differences of a sample", "dedup", [many], ("-t", "0.5", "--shingle", "2")))
    c.all_checked(runs)
    found = summary_of(c.out("differences of a sample")).get("differences", {})
    # One of the sample is the long one.
    c.check("differences: a sample of many is compared", (found.get("of"), found.get("compared")) == (2301, 1999), found)
    kinds = {one["kind"] for one in summary_of(c.out("differences plain")).get("differences", {}).get("kinds", [])}
    c.check("differences: every kind occurs", len(kinds) == 9, kinds)
    by_labels = {name: summary_of(c.out(f"differences {name}"))["differences"] for name in ("labels", "few labels")}
    found = {name: (one.get("judged"), [rule["distinct_by"] for rule in one.get("rules", [])]) for name, one in by_labels.items()}
    c.check("differences: labels say which rule it is", all(rules == [["title"]] for _, rules in found.values()), found)
