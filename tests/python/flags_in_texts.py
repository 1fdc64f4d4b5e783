#!/usr/bin/env python3
"""Checks that no string literal and no comment of the library names a command-line flag.

Python and Spark call the library with keyword arguments: its errors say `the setting NAME`, and the command turns that
into `--name` where it prints them (crates/cli/src/flags.rs); its documentation names settings and fields. Checks the
string literals and comments of the library's sources; test modules are skipped.
"""
import re
import sys
from pathlib import Path

CRATES = (
    "core", "text", "spill", "join", "methods", "cluster", "io", "engine", "decide", "lexicon", "report", "lookalike",
)

# Texts whose product is a command line, or that name a flag of another program.
ALLOWED = {
    "crates/io/src/source/decompress.rs": {"--long"},
    "crates/measure/src/plan/recommend.rs": {"--method", "--verify"},
    "crates/report/src/summary.rs": {"--distinct-by", "--max-lost"},
}

# A comment; a literal, raw or not; a character. The first in the text wins, so a quote in a comment begins no literal.
TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|b?r(?P<fence>#*)"(?P<raw>.*?)"(?P=fence)|b?"(?P<plain>(?:[^"\\]|\\.)*)"|b?'(?:[^'\\\n]|\\[^\n]{1,9}?)'""",
    re.DOTALL,
)
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
TESTS = re.compile(r"^\s*#\[cfg\(test\)\]\s*\n(?:\s*#\[[^\n]*\n)*\s*mod \w+ \{", re.MULTILINE)
TEST_FILE = re.compile(r"#\[cfg\(test\)\]\s*\n(?:#\[[^\n]*\n)*(?:pub(?:\([a-z]+\))? )?mod (\w+);")


def texts_of(code: str):
    """The comments and string literals of Rust code: the offset and the text of each."""
    for token in TOKENS.finditer(code):
        text = next((token[name] for name in ("comment", "plain", "raw") if token[name] is not None), None)
        if text is not None:
            yield token.start(), text


def complaints_of(name: str, code: str) -> list[str]:
    """One line for each flag in a comment or literal of this source."""
    tests = TESTS.search(code)
    if tests:
        code = code[: tests.start()]
    return [
        f"{name}:{code.count(chr(10), 0, place) + 1}: names the flag {flag}; say `the setting "
        f"{flag[2:].replace('-', '_')}` (the command prints the flag) or link the field"
        for place, text in texts_of(code)
        for flag in FLAG.findall(text)
        if flag not in ALLOWED.get(name, ())
    ]


def self_test() -> None:
    """The check itself: what it must find, and what it must not."""
    found = 'a("x \\" --one; \\\n  --two-b=3"); let c = \'"\'; r#"say "--three""#'
    assert len(complaints_of("x.rs", found)) == 4 - 1, complaints_of("x.rs", found)
    commented = "/// Set by `--one`.\nfn a() {} // not with --two\n/* --three */"
    assert len(complaints_of("x.rs", commented)) == 3, complaints_of("x.rs", commented)
    clean = '// "no --\nlet q = \'"\'; let e = "a--b ---- -- x"; /* " */\n#[cfg(test)]\nmod tests {\n "--no" // --no }'
    assert complaints_of("x.rs", clean) == [], complaints_of("x.rs", clean)


def main() -> int:
    self_test()
    complaints, files = [], 0
    for crate in CRATES:
        sources = sorted(Path("crates", crate, "src").rglob("*.rs"))
        texts = {path: path.read_text() for path in sources}
        for_tests = {name for text in texts.values() for name in TEST_FILE.findall(text)}
        for path, text in texts.items():
            if path.stem in for_tests:
                continue
            files += 1
            complaints += complaints_of(str(path), text)
    for complaint in complaints:
        print(complaint)
    print(f"texts: {files} sources, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
