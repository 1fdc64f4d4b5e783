#!/usr/bin/env python3
"""Checks the links of all Markdown files, and that sources name pages of docs/ that exist.

* Every relative link leads to a file, and its anchor to a heading.
* Every page of docs/ can be reached from docs/README.md.
* Every path `docs/….md` in a source, a build file or a page exists, and so does every path of this repository in a URL.

Standard library only.
"""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Names of directories that are built, and documents of other projects, whose links lead nowhere here.
BUILT = {".git", ".venv", "corpus", "node_modules", "out", "target"}
FOREIGN = {ROOT / "samples" / "notes"}
SOURCES = {".js", ".md", ".py", ".pyi", ".rs", ".sh", ".toml", ".yml"}
NAMED = {"Makefile", "Dockerfile"}
# A link outside of code: of `[text](target "title")` and `[name]: target`.
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[`~]*$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"(?<![\w/.-])docs/[\w/.-]*\.md\b")
OWN = re.compile(r"https://github\.com/lookalike/lookalike/(?:blob|tree)/[\w.]+/([\w/.-]*[\w-])")
# Paths in examples of other things.
EXAMPLES = {"docs/a.md"}


def files() -> list:
    """All files of the repository that are written by hand."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in BUILT and Path(folder, name) not in FOREIGN)
        found += [Path(folder, name) for name in sorted(names)]
    return [path for path in found if path.suffix in SOURCES or path.name in NAMED]


def targets(page: str) -> list:
    """The relative links of a page."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page))
    found = [one or other for one, other in LINK.findall(text)]
    return [target for target in found if not re.match(r"[a-z][a-z+.-]*:", target)]


def anchors(page: str) -> set:
    """The anchors of the headings of a page, as GitHub forms them; of equal headings, numbered."""
    found = {}
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found)


def leads_to(path: Path, target: str) -> Path:
    """The file that a link of the page `path` names; of a directory, its README."""
    name = target.partition("#")[0]
    file = Path(os.path.normpath(path.parent / name)) if name else path
    return file / "README.md" if (file / "README.md").is_file() else file


def wrong_links(path: Path, page: str) -> list:
    """What is wrong with the links of a page."""
    found = []
    for target in targets(page):
        file, anchor = leads_to(path, target), target.partition("#")[2]
        # First what lies outside, whether it exists or not: that is for the machine to say, not for the page.
        if ROOT not in [file, *file.parents]:
            found.append(f"outside of the repository: {target}")
        elif not file.exists():
            found.append(f"no such file: {target}")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            found.append(f"no such heading: {target}")
    return found


def wrong_paths(text: str) -> list:
    """Paths of pages, and of files in URLs of this repository, that do not exist."""
    named = {*PATH.findall(text), *OWN.findall(text)} - EXAMPLES
    return [f"no such file: {name}" for name in sorted(named) if not (ROOT / name).exists()]


def unreachable(pages: dict) -> list:
    """Pages of docs/ that no way of links leads to from docs/README.md."""
    seen, left = set(), [DOCS / "README.md"]
    while left:
        path = left.pop()
        if path in pages and path not in seen:
            seen.add(path)
            left += [leads_to(path, target) for target in targets(pages[path])]
    return [path for path in pages if DOCS in path.parents and path not in seen]


def self_test() -> None:
    """Each check can fail."""
    assert targets("[a](b.md#c) `[d](e)`\n```\n[f](g)\n```\n[h](https://i) [j]: k\n[l]: m.md\n") == ["b.md#c", "m.md"]
    assert anchors("# A `b`: c-d?\n```sh\n# no\n```\n## [E](f.md)\n## E\n") == {"a-b-c-d", "e", "e-1"}
    assert wrong_links(ROOT / "README.md", "[a](README.md) [b](none.md) [c](README.md#none) [d](../x)") == [
        "no such file: none.md", "no such heading: README.md#none", "outside of the repository: ../x",
    ]
    assert wrong_paths("`docs/README.md` docs/none/x.md other/docs/y.md") == ["no such file: docs/none/x.md"]
    pages = {DOCS / "README.md": "[a](a.md)", DOCS / "a.md": "", DOCS / "b.md": "[a](a.md)"}
    assert unreachable(pages) == [DOCS / "b.md"]


def main() -> int:
    self_test()
    texts = {path: path.read_text(encoding="utf-8") for path in files()}
    pages = {path: text for path, text in texts.items() if path.suffix == ".md"}
    found = [(path, line) for path, page in pages.items() for line in wrong_links(path, page)]
    found += [(path, line) for path, text in texts.items() if path != Path(__file__).resolve() for line in wrong_paths(text)]
    found += [(path, "no link leads here from docs/README.md") for path in unreachable(pages)]
    for path, line in found:
        print(f"{path.relative_to(ROOT)}: {line}", file=sys.stderr)
    if not found:
        print(f"links: {len(pages)} pages, all links and paths lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
