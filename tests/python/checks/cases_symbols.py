"""Texts that differ in symbols only: `--tokens`, `--case`, source code, and the warning."""
import json

from checks.cases import Case


def lines(*texts, **fields) -> str:
    return "".join(json.dumps({"id": f"d{at}", "text": text, **fields}) + "\n" for at, text in enumerate(texts))


PAIRS = {
    "less or greater": ("if a < b then stop", "if a > b then stop"),
    "plus or minus": ("What is 12 + 4 ? Give the number.", "What is 12 - 4 ? Give the number."),
    "numbers": ("the balance is -1200.50 today", "the balance is 1200,50 today"),
    "languages": ("we wrote it in C++ last year", "we wrote it in C# last year"),
    "not equal": ("while x != y do", "while x == y do"),
    "currency": ("it costs € 500 a month", "it costs $ 500 a month"),
    "emoji": ("what a day 😀 said she", "what a day 😡 said she"),
    "code": ("x = a[i] && !b; y += 1", "x = a[i] || !b; y -= 1"),
    "mathematics": ("for all x ∈ A we have x ≤ y", "for all x ∉ A we have x ≥ y"),
    "full width": ("答案是 ５＋３ 对吗", "答案是 ５－３ 对吗"),
}
WARNS = "in symbols, which words do not show: d1 “"


def without_warning(run):
    found = run.summary.get("symbol_differences")
    return f"a warning: {found}" if found else None


def differences(documents: int):
    def check(run):
        found = run.summary.get("symbol_differences", {})
        same = found.get("documents") == documents and len(found.get("examples", [])) == min(documents, 3)
        return None if same else f"symbol_differences: {found}"

    return check


AS_WRITTEN = ["--shingle-unit", "char", "--normalize", "none", "--tokens", "symbols", "--case", "keep"]
CASES = []
for name, pair in PAIRS.items():
    docs = {"docs.jsonl": lines(*pair)}
    CASES += [
        Case("symbols", f"{name}, words warn", docs, ["dedup", "docs.jsonl", "-t", "1"], kept=1,
             removed={"lexically_equivalent": 1}, stderr=[WARNS, "--tokens symbols"], check=differences(1)),
        Case("symbols", f"{name}, characters of words warn", docs,
             ["dedup", "docs.jsonl", "-t", "1", "--shingle-unit", "char", "--normalize", "none"], kept=1,
             removed={"lexically_equivalent": 1}, stderr=[WARNS], check=differences(1)),
        Case("symbols", f"{name}, symbols", docs, ["dedup", "docs.jsonl", "-t", "1", "--tokens", "symbols"], kept=2,
             check=without_warning),
        Case("symbols", f"{name}, as written", docs, ["dedup", "docs.jsonl", "-t", "1", *AS_WRITTEN], kept=2),
        Case("symbols", f"{name}, terms", docs,
             ["dedup", "docs.jsonl", "-t", "1", "--measure", "cosine", "--min-features", "1", "--tokens", "symbols"], kept=2),
        Case("symbols", f"{name}, the preset", docs, ["dedup", "docs.jsonl", "-t", "1", "--preset", "code"], kept=2),
        Case("symbols", f"{name}, source files", {"a.py": pair[0], "b.py": pair[1]},
             ["dedup", "a.py", "b.py", "--input-format", "text", "-t", "1"], kept=2),
        Case("symbols", f"{name}, a field", {"docs.jsonl": lines(*pair, language="Rust")},
             ["dedup", "docs.jsonl", "-t", "1"], kept=2),
    ]
CASES += [
    Case("symbols", "case is folded", {"docs.jsonl": lines("Max is a name", "max is a name")},
         ["dedup", "docs.jsonl", "--tokens", "symbols"], kept=1, removed={"lexically_equivalent": 1}, check=without_warning),
    Case("symbols", "case is kept", {"docs.jsonl": lines("Max is a name", "max is a name")},
         ["dedup", "docs.jsonl", "--case", "keep", "-t", "1"], kept=2),
    Case("symbols", "white space is left out", {"docs.jsonl": lines("a  <\tb\n", "a < b")},
         ["dedup", "docs.jsonl", *AS_WRITTEN, "-t", "1"], kept=1, removed={"lexically_equivalent": 1}),
    Case("symbols", "white space between tokens counts in characters", {"docs.jsonl": lines("a <b", "a < b")},
         ["dedup", "docs.jsonl", *AS_WRITTEN, "-t", "1"], kept=2),
    Case("symbols", "punctuation of sentences warns of nothing",
         {"docs.jsonl": lines("“Yes”, he said. Well-known.", "'Yes,' he said - well known!")},
         ["dedup", "docs.jsonl"], kept=1, removed={"lexically_equivalent": 1}, check=without_warning),
    Case("symbols", "three examples of five", {"docs.jsonl": lines(*(f"so x {c} y it is" for c in "<>=+*|"))},
         ["dedup", "docs.jsonl", "-t", "1"], kept=1, stderr=["5 differ"], check=differences(5)),
    Case("symbols", "mixed inputs are words, with a hint", {"a.py": "print(a < b)", "notes.txt": "some notes on it"},
         ["dedup", "a.py", "notes.txt", "--input-format", "text"], kept=2, stderr=["1 input is source code", "--tokens symbols"]),
    Case("symbols", "words said of source files", {"a.py": "if a < b", "b.py": "if a > b"},
         ["dedup", "a.py", "b.py", "--input-format", "text", "--tokens", "words"], kept=1, stderr=["--tokens symbols"]),
    Case("symbols", "a natural language is none", {"docs.jsonl": lines("a < b", "a > b", lang="cs", path="/docs/page.php")},
         ["dedup", "docs.jsonl"], kept=1),
    Case("symbols", "confusables with case", {"docs.jsonl": lines("a")},
         ["dedup", "docs.jsonl", "--normalize", "confusables", "--case", "keep"], code=2, stderr=["--case=keep"]),
]
