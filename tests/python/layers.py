#!/usr/bin/env python3
"""Checks the layers of ARCHITECTURE.md: dependencies among crates, and imports among the files of each crate; and their licences.

Among crates, data flows one way, and each outside library has its place (from `cargo metadata`). In each crate, no files
import each other in a circle, and in `join` no file imports one of a later step (from `use` lines and qualified paths
outside of tests). `lookalike` without its features is a small build, and the extension module shares what is compiled
for the tests (from `cargo tree`).
"""
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

# Each crate and the crates of ours that it may use. No edge among text, core, cluster and spill.
ALLOWED = {
    "lookalike-text": set(),
    "lookalike-core": set(),
    "lookalike-cluster": set(),
    "lookalike-spill": set(),
    "lookalike-options": {"lookalike-cluster"},
    "lookalike-join": {"lookalike-core", "lookalike-cluster", "lookalike-spill"},
    "lookalike-methods": {"lookalike-core"},
    "lookalike-passages": {"lookalike-core"},
    "lookalike-lexicon": {"lookalike-core", "lookalike-methods", "lookalike-spill"},
    "lookalike-store": set(),
    "lookalike-io": {"lookalike-text", "lookalike-core", "lookalike-store", "lookalike-spill"},
    "lookalike-decide": {"lookalike-core", "lookalike-join", "lookalike-methods", "lookalike-io"},
    "lookalike-engine": {
        "lookalike-text", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-decide", "lookalike-methods",
        "lookalike-io", "lookalike-spill",
    },
    "lookalike-index": {"lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-spill"},
    "lookalike-report": {"lookalike-text", "lookalike-cluster"},
    "lookalike-run": {
        "lookalike-text", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-io", "lookalike-spill",
        "lookalike-engine", "lookalike-report", "lookalike-methods", "lookalike-lexicon", "lookalike-index",
        "lookalike-decide", "lookalike-passages",
    },
    "lookalike-measure": {
        "lookalike-run", "lookalike-text", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-io",
        "lookalike-engine", "lookalike-report", "lookalike-methods", "lookalike-lexicon",
    },
    "lookalike-monitor": {
        "lookalike-run", "lookalike-text", "lookalike-core", "lookalike-join", "lookalike-io", "lookalike-engine",
        "lookalike-report", "lookalike-index",
    },
    "lookalike-distributed": {
        "lookalike-run", "lookalike-core", "lookalike-cluster", "lookalike-join", "lookalike-decide", "lookalike-io",
        "lookalike-engine", "lookalike-methods", "lookalike-passages", "lookalike-text",
    },
    # The facade: names of the others, and presets.
    "lookalike": {
        "lookalike-run", "lookalike-measure", "lookalike-monitor", "lookalike-distributed", "lookalike-text",
        "lookalike-core", "lookalike-cluster", "lookalike-io", "lookalike-engine", "lookalike-report",
        "lookalike-methods", "lookalike-lexicon", "lookalike-index", "lookalike-join", "lookalike-passages",
    },
    # The service: a door as the command is; its page is drawn with the parts of the report.
    "lookalike-server": {"lookalike", "lookalike-report"},
    "lookalike-cli": {"lookalike", "lookalike-options", "lookalike-server"},
    # The service for the features of the workspace only.
    "lookalike-python": {"lookalike", "lookalike-server"},
    # index for the trait of the failing disk; the oracle shares no code.
    "lookalike-testing": {"lookalike-text", "lookalike-index"},
    # A workspace of its own; nothing uses it.
    "lookalike-research": {
        "lookalike", "lookalike-text", "lookalike-core", "lookalike-join", "lookalike-io", "lookalike-engine",
        "lookalike-methods", "lookalike-lexicon", "lookalike-testing",
    },
}

# Outside libraries that belong in one place only.
HOME = {
    "clap": {"lookalike-cli", "lookalike-research"},
    "indicatif": {"lookalike-cli"},
    "anyhow": {"lookalike-cli", "lookalike-research"},
    "arrow-array": {"lookalike-io", "lookalike-run", "lookalike-distributed", "lookalike-python", "lookalike"},
    "pyo3": {"lookalike-python"},
    "parquet": {"lookalike-io"},
    "object_store": {"lookalike-store"},
    "tokio": {"lookalike-store", "lookalike-server"},
    "axum": {"lookalike-server"},
    "hyper": {"lookalike-server"},
    "prometheus-client": {"lookalike-server"},
    "reqwest": {"lookalike-store"},
    "rustls": {"lookalike-store", "lookalike-server"},
    "html5ever": {"lookalike-text"},
    "unicode-security": {"lookalike-text"},
    "mail-parser": {"lookalike-io"},
    # In engine for memory of no file.
    "memmap2": {"lookalike-lexicon", "lookalike-engine", "lookalike-index"},
    "redb": {"lookalike-index", "lookalike-testing"},
    "roaring": {"lookalike-index"},
    "askama": {"lookalike-report", "lookalike-server"},
    # In spill and index only as the checksum of files; in decide as the digest of results.
    "xxhash-rust": {
        "lookalike-core", "lookalike-spill", "lookalike-index", "lookalike-decide", "lookalike-run", "lookalike-testing",
    },
}

# The most packages of `lookalike` without default features: the join over texts in memory.
MOST_PACKAGES = 60
# At the root of the facade, modules included.
MOST_NAMES = 60

# The modules of `join` in the order of the data: a module imports only from its own step and earlier ones.
JOIN_STEPS = [
    {"budget", "candidate_search", "criterion", "error", "filter", "id", "limits", "matches", "progress", "source", "statistics"},
    {"order"},
    {"prefix", "bitmap_join"},
    {"index"},
    {"candidates"},
    {"verify"},
    {"survivors"},
    {"options"},
    {"join", "hot_steps", "shuffle"},
]


def without_tests(path: Path) -> str:
    """The code of a file without comments and its test module."""
    code = re.split(r"^#\[cfg\(test\)\]\nmod ", path.read_text(), flags=re.M)[0]
    return re.sub(r"//.*", "", code)


def names(tree: str) -> list[list[str]]:
    """The paths of a `use` declaration: `a::{b, c::d}` is a::b and a::c::d."""
    head, brace, rest = tree.partition("{")
    if not brace:
        return [[part.split(" as ")[0].strip() for part in tree.strip().split("::")]]
    paths, depth, item = [], 0, ""
    for letter in rest.rstrip()[:-1] + ",":
        if letter == "," and depth == 0:
            paths += names(item) if item.strip() else []
            item = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        item += letter
    prefix = [part.strip() for part in head.strip().split("::") if part.strip()]
    return [prefix + path for path in paths]


def imports(root: Path) -> dict[tuple, set[tuple]]:
    """For each module that is a file, the modules that it imports from; re-exports are followed."""
    modules, qualified = {}, {}
    for path in sorted(root.rglob("*.rs")):
        parts = path.relative_to(root).with_suffix("").parts
        module = () if parts == ("lib",) else parts[:-1] if parts[-1] == "mod" else parts
        code = without_tests(path)
        declaration = r"^\s*(pub(?:\([a-z]+\))? )?use ([^;]+);"
        uses = re.findall(declaration, code, flags=re.M)
        modules[module] = [(bool(public), name) for public, tree in uses for name in names(" ".join(tree.split()))]
        code = re.sub(declaration, "", code, flags=re.M)
        qualified[module] = {tuple(path.split("::")) for path in re.findall(r"(?<![\w:$])[a-z]\w*(?:::\w+)+", code)}

    def absolute(module: tuple, name: list[str]) -> tuple | None:
        if name[0] == "crate":
            return tuple(name[1:])
        if name[0] == "super":
            return module[:-1] + tuple(name[1:])
        return module + tuple(name) if module + (name[0],) in modules else None

    def home(path: tuple) -> tuple:
        """The module in which what is at this path is declared."""
        for length in range(len(path) - 1, -1, -1):
            module = path[:length]
            if module not in modules:
                continue
            for public, name in modules[module]:
                target = absolute(module, name)
                if public and target and length < len(path) and name[-1] == path[length] and target != path:
                    return home(target)
            return path[: length + 1] if path[: length + 1] in modules else module
        return ()

    found = {}
    for module, uses in modules.items():
        paths = [name for public, name in uses if not public] + [list(path) for path in qualified[module]]
        targets = {home(target) for name in paths if (target := absolute(module, name))}
        found[module] = targets - {module}
    return found


def circles(graph: dict[tuple, set[tuple]]) -> list[list[tuple]]:
    """A circle of files for each module at which one closes."""
    found, done, path = [], set(), []

    def visit(module: tuple) -> None:
        if module in path:
            found.append(path[path.index(module):] + [module])
            return
        if module in done:
            return
        done.add(module)
        path.append(module)
        for target in sorted(graph.get(module, ())):
            visit(target)
        path.pop()

    for module in sorted(graph):
        visit(module)
    return found


def file_complaints(crate: Path) -> list[str]:
    """Circles of files, and in `join` imports against the flow."""
    graph = imports(crate / "src")
    named = lambda module: "/".join(module) or "lib"
    complaints = [
        f"{crate.name}: a circle of files: " + " → ".join(map(named, circle)) for circle in circles(graph)
    ]
    if crate.name != "join":
        return complaints
    step = {module: number for number, modules in enumerate(JOIN_STEPS) for module in modules}
    for module, targets in graph.items():
        if module and module[0] not in step:
            complaints.append(f"join: {module[0]} is not in JOIN_STEPS of {__file__}")
            continue
        for target in targets:
            if module and (not target or step.get(target[0], 0) > step[module[0]]):
                complaints.append(f"join: {named(module)} must not import {named(target)}")
    return complaints


def packages() -> list[dict]:
    """The packages of the workspace."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]


def features(*selection: str) -> set[str]:
    """The packages that a build compiles, each with its version and features."""
    command = ["cargo", "tree", "--locked", "--prefix", "none", "--format", "{p} {f}", *selection]
    # Not with the features of all packages, where a nightly cargo is told to unify them.
    variables = {name: value for name, value in os.environ.items() if name != "CARGO_RESOLVER_FEATURE_UNIFICATION"}
    ended = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    lines = ended.stdout.splitlines()
    return {line.removesuffix(" (*)").strip() for line in lines if line}


def small_build() -> list[str]:
    """Whether the join over texts alone, `lookalike` without its features, has become a large build."""
    found = features("--package", "lookalike", "--no-default-features", "--edges", "normal")
    if len(found) <= MOST_PACKAGES:
        return []
    return [f"lookalike without default features compiles {len(found)} packages, more than {MOST_PACKAGES}"]


def facade() -> list[str]:
    """Whether the facade has grown at its root, or has a name twice."""
    text = Path("crates/lookalike/src/lib.rs").read_text()
    exported = {"root": re.sub(r"^pub mod \w+ \{.*?^\}", "", text, flags=re.M | re.S)}
    exported |= dict(re.findall(r"^pub mod (\w+) \{(.*?)^\}", text, flags=re.M | re.S))
    names = [
        (name, module)
        for module, body in exported.items()
        for listed in re.findall(r"pub use [\w:]+::(?:\{([^}]*)\}|(\w+))(?: as \w+)?;", body)
        for name in re.findall(r"\w+", "".join(listed))
    ]
    counts = Counter(name for name, _ in names)
    complaints = [f"lookalike: {name} is in {', '.join(m for n, m in names if n == name)}" for name in counts if counts[name] > 1]
    at_root = sum(module == "root" for _, module in names) + len(exported) - 1
    if at_root > MOST_NAMES:
        complaints.append(f"lookalike: {at_root} names at the root, more than {MOST_NAMES}: put them into modules")
    return complaints


def compiled_twice() -> list[str]:
    """What the extension module alone would compile once more after the whole workspace with its tests."""
    every = features("--workspace", "--edges", "all")
    names = {line.split()[0] for line in every}
    alone = features("--package", "lookalike-python", "--features", "workspace", "--edges", "normal,build")
    return [
        f"{package}: the workspace gives it other features; add them to `workspace` of bindings/python/Cargo.toml"
        for package in sorted(alone - every)
        if not package.startswith("lookalike-python ") and package.split()[0] in names
    ]


def main() -> int:
    complaints = []
    crates = packages()
    for package in crates:
        name = package["name"]
        if name not in ALLOWED:
            complaints.append(f"{name} is not in the picture: add it to {__file__} and ARCHITECTURE.md")
            continue
        folder = Path(package["manifest_path"]).parent
        for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
            if package["publish"] is None and not (folder / licence).is_file():
                complaints.append(f"{name} is published without {licence}: ln -s ../../{licence} {folder}")
        for dependency in package["dependencies"]:
            if dependency["kind"] is not None:
                continue
            target = dependency["name"]
            if target in ALLOWED and target not in ALLOWED[name]:
                complaints.append(f"{name} must not use {target}")
            if name not in HOME.get(target, {name}):
                complaints.append(f"{target} belongs in {', '.join(sorted(HOME[target]))}, not in {name}")
    complaints += compiled_twice() + small_build() + facade()
    for crate in [*sorted(Path("crates").iterdir()), Path("bindings/python")]:
        complaints += file_complaints(crate)
    for complaint in complaints:
        print(complaint)
    print(f"layers: {len(crates)} crates, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
