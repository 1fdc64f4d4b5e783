"""Letters that look alike (--normalize confusables)."""
import random
import re

from checks.harness import Checks, ledger_of, summary_of, tree_of
from checks.inputs import write_jsonl

# What an evader writes for what.
DISGUISES = {
    "a": "аα", "c": "с", "e": "еε", "h": "н", "i": "1іl", "j": "ј", "k": "к", "l": "1I", "m": "м", "o": "0оο", "p": "рρ", "s": "$ѕ", "t": "т",
    "x": "хχ", "y": "у", "B": "В", "H": "Н", "K": "К", "M": "М", "T": "Т", "X": "Х", "O": "0О",
}
GREEK = set("αεορχ")
RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"


def disguised(rng: random.Random, text: str, share: float) -> str:
    out = []
    for at, character in enumerate(text):
        choices = DISGUISES.get(character) if rng.random() < share else None
        beside = text[max(at - 1, 0):at] + text[at + 1:at + 2]
        # `$` stands for `s` beside a letter.
        if choices and (character != "s" or any(c.isalpha() and c not in "os" for c in beside)):
            character = rng.choice(choices)
        out.append(character)
    return "".join(out)


def confusables(c: Checks) -> None:
    """Copies disguised by look-alike letters go where their originals go; others stay apart; recomputed by check_run.py."""
    rng = random.Random(91)
    vocabulary = ["".join(rng.choice("aabcdeefghijklmnoopqrsstuvwxyz") for _ in range(rng.randint(2, 10))) for _ in range(400)]
    russian = ["".join(rng.choice(RUSSIAN) for _ in range(rng.randint(2, 9))) for _ in range(200)]
    plain = [" ".join(rng.choice(vocabulary).capitalize() if rng.random() < 0.2 else rng.choice(vocabulary) for _ in range(rng.randint(8, 80))) for _ in range(150)]
    foreign = [" ".join(rng.choice(russian) for _ in range(rng.randint(8, 60))) for _ in range(40)]
    copies = [disguised(rng, text, 0.15) for text in plain]
    made = [{"id": f"a{at}", "text": text} for at, text in enumerate(plain)]
    made += [{"id": f"b{at}", "text": text} for at, text in enumerate(copies)]
    made += [{"id": f"c{at}", "text": text} for at, text in enumerate(foreign)]
    made += [{"id": f"d{at}", "text": text.upper()} for at, text in enumerate(foreign)]
    made += [{"id": f"e{at}", "text": f"costs {at} $ or {at * 7} US$ in 10{at} shops of one town"} for at in range(30)]
    docs = write_jsonl(c.work / "confusables.jsonl", made)
    runs = {"words": ("--shingle", "3"), "characters": ("--shingle-unit", "char", "--shingle", "7"), "terms": ("--measure", "cosine", "--min-features", "1")}
    for name, options in runs.items():
        out = c.out(f"confusables {name}")
        done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "--normalize", "confusables", *options)
        c.check(f"confusables {name}: runs", done.returncode == 0, done.stderr)
        ledger = ledger_of(out)
        kept = {one["id"]: ledger.get(one["id"], {"kept": one["id"]})["kept"] for one in made}
        for copy, original, count in (("b", "a", len(plain)), ("d", "c", len(foreign))):
            wrong = [(plain + foreign)[at] for at in range(count) if kept[f"{copy}{at}"] != kept[f"{original}{at}"]]
            c.check(f"confusables {name}: a disguised copy ({copy}) goes where its original goes", not wrong, wrong[:2])
    summary = summary_of(c.out("confusables words"))
    foreign_word = re.compile(r"[^\W_]")

    def foreign_letters(text: str) -> bool:
        return any(not found.isascii() for found in foreign_word.findall(text))

    # A word here is what stands between ASCII characters that are no letters or digits.
    def mixes(text: str) -> bool:
        parts = re.split(r"[\x00-/:-@\[-`{-\x7f]", text)
        return any(foreign_letters(part) and re.search("[A-Za-z]", part) for part in parts)

    counted = {"documents": sum(foreign_letters(one["text"]) for one in made), "mixed_scripts": sum(mixes(one["text"]) for one in made)}
    c.check("confusables: the summary counts documents", summary.get("confusables") == counted, (summary.get("confusables"), counted))
    c.check("confusables: documents with mixed words are fewer", 100 < counted["mixed_scripts"] < counted["documents"], counted)
    out = c.out("confusables not asked for")
    c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "--shingle", "3")
    ledger = ledger_of(out)
    found = sum(f"b{at}" in ledger for at in range(len(plain)))
    c.check("confusables: without the option the copies are not found", found < 15 and "confusables" not in summary_of(out), found)

    # What the independent program can recompute: Cyrillic and ASCII.
    known = [one for one in made if not GREEK & set(one["text"].lower())]
    small = write_jsonl(c.work / "known.jsonl", known)
    options = ("--normalize", "confusables")
    c.all_checked([
        (f"confusables recomputed {verb} {name}", verb, [small], (*options, *more))
        for verb in ("dedup", "cluster")
        for name, more in {**runs, "low": ("-t", "0.4"), "kolcz": ("--measure", "cosine", "--terms", "kolcz", "-t", "0.6")}.items()
    ])

    trees = []
    parts = [write_jsonl(c.work / "parts" / f"{at}.jsonl", made[at * 100:at * 100 + 100]) for at in range(5)]
    for more in (("-j", "1"), ("-j", "7"), ("--memory", "1"), ("--scratch", c.work / "scratch")):
        out = c.out(f"confusables bytes {len(trees)}")
        done = c.run("dedup", *parts, "-o", out, "--tables", "tsv", "-q", *options, *more)
        c.check(f"confusables: runs with {more[0]}", done.returncode == 0, done.stderr)
        trees.append(tree_of(out))
    c.check("confusables: the same bytes", all(tree == trees[0] for tree in trees))

    # An index keeps the setting: a disguised text is found, and a run with another one is refused.
    index = c.work / "confusables.index"
    done = c.run("index", "create", index, *options)
    c.check("confusables: an index is created", done.returncode == 0, done.stderr)
    originals = write_jsonl(c.work / "originals.jsonl", made[:150])
    done = c.run("index", "add", index, originals)
    c.check("confusables: documents are added", done.returncode == 0, done.stderr)
    disguise = write_jsonl(c.work / "disguise.jsonl", made[150:300])
    for name, more in (("same", options), ("other", ())):
        out = c.out(f"confusables against {name}")
        done = c.run("dedup", disguise, "--against", index, "-o", out, "--tables", "tsv", "-q", *more)
        if name == "other":
            c.check("confusables: another normalisation than the index's is refused", done.returncode == 2 and "normalize" in done.stderr, done.stderr)
        else:
            c.check("confusables: disguised copies are found by an index", done.returncode == 0 and len(ledger_of(out)) == 150, done.stderr or len(ledger_of(out)))
