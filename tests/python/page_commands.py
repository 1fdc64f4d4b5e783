"""The commands that pages and notebooks show, read and compared with what there is: commands and options of lookalike (which reads
them itself), targets of the Makefile, profiles, crates and features of cargo, paths of this repository, endpoints of the service.

`check_cookbook.py` runs the pages that are stories; this reads all pages, so that no command stands anywhere that cannot work.
Standard library only.
"""
import json
import os
import re
import shlex
import subprocess
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check_links import ROOT, files

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:\A|\n\n)((?: {4}[^\n]*\n(?:\n(?= {4}))?)+)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?([^\n]*)\n.*?^\s*\1$", re.MULTILINE | re.DOTALL)
# A substitution of commands or processes without another one in it.
SUBSTITUTION = re.compile(r"[$<>]\(([^()]*)\)")
# Blocks of other languages hold no commands.
SHELL = ("", "sh", "bash", "console")
# What may stand in a command for something that the reader puts there.
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*|.*…|.*\$.*")
NO_OPTION = "--no-such-option"
# Programs before the program.
BEFORE = {"sudo", "exec", "time", "env", "nohup", "!", "if", "then", "do", "while", "else"}
# The history is what was; plans and figures are written by programs.
NOT_READ = {"CHANGELOG.md"}
# A line of Postfix's master.cf.
NO_COMMAND = "lookalike unix - n n - 10 pipe"
# The index that pages on the service take as there.
SERVED = "pages.index"


class Parser:
    """What lookalike itself says to the words of a command."""

    def __init__(self, binary: Path):
        self.binary = binary
        self.variables = {name: value for name, value in os.environ.items() if not name.startswith("LOOKALIKE_")}
        self.commands = set(re.findall(r"^  ([\w-]+) ", self.said(["--help"], "."), re.MULTILINE))

    def said(self, words: list, folder: str) -> str:
        options = {"cwd": folder, "env": self.variables, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run([self.binary, *words], timeout=60, check=False, **options)
        return done.stdout + done.stderr

    def wrong(self, words: list, whole: bool) -> list:
        """What is wrong with the words after `lookalike`. With `whole` they are all that it needs: it starts, in a directory without any of
        the files. Otherwise an option that there is not comes last, and is what it has to complain of."""
        if words and PLACEHOLDER.fullmatch(words[0]):
            return []
        words = [re.sub(r"^[~/]+|://", "", word) for word in words]
        # A file of options may name what is needed; it is empty here.
        settings = words[words.index("--config") + 1] if "--config" in words[:-1] else None
        whole = whole and not settings and words[:1] != ["front"]
        with tempfile.TemporaryDirectory() as folder:
            if settings:
                file = Path(folder, settings)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            while True:
                said = self.said([*words, *([] if whole else [NO_OPTION])], folder)
                message = re.match(r"error: (.*)|lookalike: (?:the setting )?`?--", said)
                value = re.match(r"error: invalid value '(.*)' for '(--[\w-]+)", said)
                if not value or not PLACEHOLDER.fullmatch(value[1]):
                    break
                # What the reader puts there; the rest is still to be read.
                at = next(at for at, word in enumerate(words) if word in (value[1], f"{value[2]}={value[1]}"))
                words[max(at - 1, 0) if words[at] == value[1] and words[at - 1].startswith("-") else at : at + 1] = []
        if not message or NO_OPTION in said.partition("\n")[0] or "$" in said.partition("\n")[0]:
            return []
        return [f"lookalike {' '.join(words)}: {' '.join(said.split()[:20])}"]


class Project:
    """What commands may name: targets, profiles, crates, features, tests, paths, endpoints."""

    def __init__(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        self.targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
        self.variables = set(re.findall(r"\$\((\w+)\)|^(?:export )?(\w+) \?=", makefile, re.MULTILINE))
        self.variables = {name for pair in self.variables for name in pair if name}
        manifests = [tomllib.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "Cargo.toml", *ROOT.glob("*/*/Cargo.toml"), *ROOT.glob("*/Cargo.toml"))]
        self.profiles = {"dev", "release", "test", "bench", *manifests[0]["profile"]}
        self.crates = {one["package"]["name"] for one in manifests if "package" in one}
        self.features = {name for one in manifests for name in one.get("features", {})}
        self.tops = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".") and path.name not in ("out", "target", "tmp")}
        described = json.loads((ROOT / "crates/server/openapi.json").read_text(encoding="utf-8"))
        self.endpoints = [re.compile(re.sub(r"\\{\w+\\}", "[^/?]+", re.escape(path))) for path in described["paths"]]

    def make(self, words: list) -> list:
        names = [word for word in words if not word.startswith("-") and not PLACEHOLDER.fullmatch(word)]
        found = [f"no such target: make {name}" for name in names if "=" not in name and name not in self.targets]
        return found + [f"no such variable of the Makefile: {name}" for name in names if "=" in name and name.partition("=")[0] not in self.variables]

    def cargo(self, words: list) -> list:
        known = {"--profile": self.profiles, "-p": self.crates, "--package": self.crates, "--features": self.features}
        found = [
            f"cargo: no such {option.strip('-')}: {value}"
            for option, value in zip(words, words[1:], strict=False)
            if option in known and not set(value.split(",")) <= known[option] and not PLACEHOLDER.fullmatch(value)
        ]
        if "--test" in words[:-1]:
            name = words[words.index("--test") + 1]
            found += [] if list(ROOT.glob(f"*/*/tests/{name}.rs")) or list(ROOT.glob(f"*/*/tests/{name}/main.rs")) else [f"cargo: no such test: {name}"]
        return found

    def path(self, word: str) -> list:
        """A path of this repository, where a word is one."""
        word = word.removeprefix("./").removeprefix("@")
        top = word.partition("/")[0]
        if "/" not in word.rstrip("/") or top not in self.tops or re.search(r"[$…:{\\]|[A-Z]{3}", word):
            return []
        return [] if list(ROOT.glob(word.rstrip("/"))) else [f"no such file: {word}"]

    def url(self, word: str) -> list:
        asked = re.fullmatch(r"(?:http://)?(?:localhost|127\.0\.0\.1|\$\w+|\[::1\])(?::\d+)?(/(?:v1/)[^?]*)(?:\?.*)?", word)
        if not asked or "$" in asked[1] or "…" in asked[1] or any(path.fullmatch(asked[1]) for path in self.endpoints):
            return []
        return [f"no such endpoint: {asked[1]}"]


def simple_commands(text: str) -> list:
    """The commands of shell code, each as a list of words, without comments, here documents and redirections."""
    text = HERE_DOCUMENT.sub(r"\2", text)
    found = []
    while inner := SUBSTITUTION.search(text):
        text = f"{text[: inner.start()]}…{text[inner.end() :]}"
        found += simple_commands(inner[1])
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        while line.endswith("\\") and lines:
            line = line[:-1] + " " + lines.pop(0).strip()
        # A quotation of several lines, and a pipe that goes on.
        for more in range(20):
            try:
                reader = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
                reader.whitespace_split = True
                words = list(reader)
                break
            except ValueError:
                if not lines:
                    words = []
                    break
                line += "\n" + lines.pop(0)
        else:
            words = []
        own = []
        for word in [*words, ";"]:
            if re.fullmatch(r"[();|&]+|<\(|>\(|&>?", word):
                found, own = [*found, own] if own else found, []
            else:
                own.append(word)
    return [without_redirections(words) for words in found]


def without_redirections(words: list) -> list:
    left, kept = list(words), []
    while left:
        word = left.pop(0)
        if re.fullmatch(r"[<>]+&?", word):
            # `2>&1`: the number before it is a word of its own here.
            if kept and kept[-1].isdigit():
                kept.pop()
            if left:
                left.pop(0)
        else:
            kept.append(word)
    return kept


def program(words: list) -> list:
    """A command from its program on."""
    while words and (words[0] in BEFORE or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    return words


def value_of(words: list, *options: str) -> list:
    """The values of options that are given by words of their own."""
    return [value for option, value in zip(words, words[1:], strict=False) if option in options]


def made_by(words: list) -> list:
    """The results and indexes that a command makes."""
    name, *rest = (words[0].rpartition("/")[2], *words[1:])
    if name in ("mv", "cp"):
        return rest[-1:]
    if name == "make":
        return ["out/demo"] if "demo" in rest else []
    return value_of(rest, "--output", "-o") + (rest[2:] if rest[:1] == ["index"] and rest[1:2] in (["create"], ["copy"]) else [])


def needed_by(words: list) -> list:
    """The results and indexes that a command of lookalike reads."""
    verbs = [word for word in words[:3] if not word.startswith("-")]
    named = value_of(words, "--run", "--prototypes", "--index")
    if verbs[:1] in (["show"], ["undo"], ["view"], ["recluster"], ["query"], ["serve"], ["milter"]):
        named += verbs[1:2]
    elif verbs[:1] == ["index"] and verbs[1:2] != ["create"]:
        named += verbs[2:3]
    return [name for name in named if not PLACEHOLDER.fullmatch(name)]


def blocks(page: str) -> list:
    """The shell code of a page."""
    found = [text for _, kind, text in FENCE.findall(page) if kind in SHELL]
    rest = FENCE.sub("", page)
    found += [re.sub(r"^ {4}", "", text, flags=re.MULTILINE) for text in INDENTED.findall(rest)]
    typed = []
    for text in found:
        prompted = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        typed.append("\n".join(prompted) if prompted else text)
    return typed


def inline(page: str) -> list:
    return INLINE.findall(FENCE.sub("", page))


def notebook_pages(path: Path) -> str:
    """The text cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def wrong_commands(page: str, parser: Parser, project: Project) -> list:
    found, made = [], set()
    for text, whole in [*((text, True) for text in blocks(page)), *((text, False) for text in inline(page))]:
        for words in map(program, simple_commands(text)):
            if not words or " ".join(words).startswith(NO_COMMAND):
                continue
            name, rest = words[0].rpartition("/")[2], words[1:]
            if name == "lookalike":
                found += parser.wrong(rest, whole)
            elif not whole and name in parser.commands and any(word.startswith("--") for word in rest):
                found += parser.wrong(words, whole)
            elif name == "make":
                found += project.make(rest)
            elif name == "cargo":
                found += project.cargo(rest)
            elif name == "curl":
                found += [line for word in rest for line in project.url(word)]
            if whole:
                lacking = [other for other in (needed_by(rest) if name == "lookalike" else []) if other not in {*made, SERVED}]
                found += [f"{other}: no command before makes it: {' '.join(words)}" for other in lacking]
                made.update(made_by(words))
            if whole or name in ("lookalike", "make", "cargo", "python3", "pip", "sh", "bash"):
                found += [line for word in words for line in project.path(word)]
    return list(dict.fromkeys(found))


def pages() -> dict:
    """All pages and notebooks, by path."""
    found = {path: path.read_text(encoding="utf-8") for path in files() if path.suffix == ".md" and path.name not in NOT_READ}
    return found | {path: notebook_pages(path) for path in sorted((ROOT / "bindings/python/notebooks").glob("*.ipynb"))}


def check(binary: Path) -> list:
    """What is wrong with the commands of all pages."""
    parser, project = Parser(binary.resolve()), Project()
    self_test(parser, project)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda page: wrong_commands(page, parser, project), pages().values())
    return [f"{os.path.relpath(path, ROOT)}: {line}" for path, lines in zip(pages(), found, strict=True) for line in lines]


def self_test(parser: Parser, project: Project) -> None:
    """Each check can fail, and what is right passes."""
    for code, wrong in (
        ("lookalike dedup a --output x", False),
        ("lookalike dedup a --ouput x", True),
        ("lookalike dedup a --threshold 2 --output x", True),
        ("lookalike dedup a \\\n  --keep first --output x", False),
        ("lookalike dedup <(zcat a) --output - | wc -l > $(lookalike none)", True),
        ("lookalike dedup a --output - <<'X' | cat\nlookalike none\nX", False),
        ("lookalike serve", True),
        ("lookalike query x --ask containing text", True),
        ("lookalike index create x\nlookalike query x --ask containing text 2>&1", False),
        ("lookalike dedup FILE --threshold T --nope", True),
        ("make demo && target/demo/lookalike show out/demo", False),
        ("target/demo/lookalike show out/demo", True),
        ("make none", True),
        ("make wheel WHEEL=--zig DATE=1", True),
        ("cargo test -p lookalike-none", True),
        ("cargo build --profile none", True),
        ("python3 tests/python/none.py", True),
        ("curl localhost:7070/v1/none", True),
        ("curl localhost:7070/v1/documents/doc-1", False),
    ):
        found = wrong_commands(f"```\n{code}\n```\n", parser, project)
        assert bool(found) == wrong, (code, found)
    for text, wrong in (("`dedup --none`", True), ("`make none`", True), ("`lookalike dedup --keep`", False), ("`lookalike index add`", False), ("`serve --read-only`", False)):
        assert bool(wrong_commands(text, parser, project)) == wrong, text
    assert wrong_commands("$ make\n\n    $ make none\n    none\n", parser, project) == ["no such target: make none"]
