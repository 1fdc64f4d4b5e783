#!/usr/bin/env python3
"""Builds the sample collection of this directory from the crates on a Rust developer's machine.

    python3 samples/build.py

Reads READMEs, licence texts, crate documentation and descriptions from Cargo's registry
(~/.cargo/registry/src), keeps to crates under permissive licences, and writes the files that
README.md describes. Every record says which crate, version and licence it comes from; no path of the
machine goes into any file. Needs Python 3.11. Without pyarrow, apache.parquet is left as it is:
what is in the repository was made once and changes only when somebody runs this.
"""
import csv
import gzip
import html
import io
import json
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REGISTRY = Path.home() / ".cargo" / "registry" / "src"

# Every licence named by a crate's expression has to be one of these.
ALLOWED = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense", "CC0-1.0",
    "BSL-1.0", "Unicode-3.0", "LLVM-exception",
}
README_LIMIT = 6_000          # bytes; longer READMEs would crowd out the others
DOCUMENTATION_LIMIT = 5_000
APACHE = "apache license"     # these texts are long: a few go to crates.jsonl, more to Parquet
APACHE_IN_JSONL = 10
APACHE_IN_PARQUET = 36
DESCRIPTIONS = 70
DOCUMENTED = 60
PAGES = ["itoa", "ryu", "anyhow", "memchr", "semver", "cfg-if", "fastrand", "strsim"]
NOTES = ["bytes", "either", "scopeguard", "shlex"]
LICENCE_NAMES = re.compile(r"(?i)^(licen[cs]e|copying|unlicense)")
SKIPPED_LICENCES = re.compile(r"(?i)third-party|whatwg")


class Crate:
    """One crate of the registry."""

    def __init__(self, folder: Path):
        package = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))["package"]
        self.folder = folder
        self.name, self.version = package["name"], package["version"]
        self.licence = package.get("license", "")
        self.description = " ".join(package.get("description", "").split())
        self.keywords = package.get("keywords", [])
        self.url = f"https://crates.io/crates/{self.name}/{self.version}"
        self.date = release_date(folder, self.version)

    def permissive(self) -> bool:
        named = set(re.split(r"\s+|/|\(|\)", self.licence)) - {"OR", "AND", "WITH", ""}
        return bool(named) and named <= ALLOWED

    def record(self, file: str, title: str, text: str) -> dict:
        record = {
            "id": f"{self.name}-{self.version}/{file}",
            "crate": self.name,
            "version": self.version,
            "file": file,
            "licence": self.licence,
            "url": self.url,
            "title": title,
        }
        if self.date:
            record["date"] = self.date
        return {**record, "text": text}


def release_date(folder: Path, version: str) -> str | None:
    """The day of this release, where the crate's changelog names it."""
    for path in sorted(folder.glob("[Cc][Hh][Aa][Nn][Gg][Ee][Ll][Oo][Gg]*")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = re.search(rf"(?m)^#.*\b{re.escape(version)}\b[^\n\d]*(\d{{4}}-\d{{2}}-\d{{2}})", text)
        if found:
            return found[1]
    return None


def crates() -> list:
    folders = sorted(path.parent for path in REGISTRY.glob("*/*/Cargo.toml"))
    found = [Crate(folder) for folder in folders]
    return [crate for crate in found if crate.permissive()]


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError):
        return None


def licences(crate: Crate) -> list:
    """The crate's licence files, as records."""
    records = []
    for path in sorted(crate.folder.iterdir()):
        if path.is_file() and LICENCE_NAMES.match(path.name) and not SKIPPED_LICENCES.search(path.name):
            text = text_of(path)
            if text and len(text) < 16_000:
                records.append(crate.record(path.name, f"Licence of {crate.name} {crate.version}", text))
    return records


def readmes(crate: Crate) -> list:
    """The crate's READMEs, those of its parts as well."""
    records = []
    for path in sorted(crate.folder.rglob("*")):
        inner = path.relative_to(crate.folder).as_posix()
        if re.fullmatch(r"(?i)readme(\.md)?", path.name) and inner.count("/") < 3 and path.is_file():
            text = text_of(path)
            if text and len(text.encode()) <= README_LIMIT:
                records.append(crate.record(inner, f"{crate.name} {crate.version}", text))
    return records


def documentation(crate: Crate) -> dict | None:
    """What stands at the top of src/lib.rs; many READMEs say the same."""
    source = text_of(crate.folder / "src" / "lib.rs") or ""
    lines = [line.strip() for line in source.splitlines()]
    lines = [line[3:].removeprefix(" ") for line in lines if line.startswith("//!")]
    text = "\n".join(lines)
    if not 400 < len(text.encode()) <= DOCUMENTATION_LIMIT:
        return None
    return crate.record("src/lib.rs", f"Documentation of {crate.name} {crate.version}", text)


def spread(records: list, wanted: int) -> list:
    """So many of the records, evenly over the alphabet."""
    wanted = min(wanted, len(records))
    return [records[at * len(records) // wanted] for at in range(wanted)]


def write_jsonl(path: Path, records: list) -> None:
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    data = lines.encode("utf-8")
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def write_descriptions(found: list) -> int:
    """The crates' one-line descriptions: short documents, for the CSV file."""
    rows = [crate for crate in found if crate.description]
    families = [crate for crate in rows if crate.name.startswith(("arrow", "icu_", "zero", "clap", "lexical"))]
    rest = [crate for crate in rows if crate not in families]
    rows = sorted((families + rest)[:DESCRIPTIONS], key=lambda crate: (crate.name, crate.version))
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["id", "crate", "version", "licence", "url", "keywords", "text"])
    for crate in rows:
        table.writerow([
            f"{crate.name}-{crate.version}", crate.name, crate.version, crate.licence, crate.url,
            ", ".join(crate.keywords), crate.description,
        ])
    (HERE / "descriptions.csv").write_text(out.getvalue(), encoding="utf-8")
    return len(rows)


def write_parquet(records: list) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        print("apache.parquet: left as it is, because pyarrow is missing")
        return 0
    names = ["id", "crate", "version", "file", "licence", "url", "title", "text"]
    table = pyarrow.table({name: [record[name] for record in records] for name in names})
    pyarrow.parquet.write_table(table, HERE / "apache.parquet", compression="zstd", row_group_size=20)
    return len(records)


def write_notes(found: list) -> int:
    """Plain files: READMEs as Markdown, one chapter in many languages and a list of names as text."""
    folder = fresh(HERE / "notes")
    for crate in latest(found, NOTES):
        text = text_of(crate.folder / "README.md")
        (folder / f"{crate.name}.md").write_text(text, encoding="utf-8")
    for crate in latest(found, ["icu_normalizer"]):
        for path in sorted((crate.folder / "benches" / "data").glob("*.txt")):
            if path.name.startswith(("Carroll-11", "TestNames")):
                (folder / path.name).write_text(text_of(path), encoding="utf-8")
    return len(list(folder.iterdir()))


def latest(found: list, names: list) -> list:
    newest = {crate.name: crate for crate in found}
    return [newest[name] for name in names if name in newest and text_of(newest[name].folder / "README.md")]


def write_pages(found: list) -> int:
    """The same READMEs as pages of two sites, each with its own boilerplate."""
    for site in SITES:
        fresh(HERE / "pages" / site)
    chosen = latest(found, PAGES)
    for crate in chosen:
        body = rendered(text_of(crate.folder / "README.md"))
        for site, frame in SITES.items():
            page = frame.format(
                name=html.escape(crate.name), version=crate.version, licence=html.escape(crate.licence),
                url=crate.url, body=body,
            )
            (HERE / "pages" / site / f"{crate.name}.html").write_text(page, encoding="utf-8")
    return len(chosen) * len(SITES)


SITES = {
    "mirror": """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{name} {version}</title>
<style>body {{ max-width: 60em; margin: auto }}</style></head>
<body>
<nav><a href="/">Mirror</a> <a href="/crates">Crates</a> <a href="/about">About</a></nav>
<!-- page of {name} -->
{body}
<footer>{name} {version}, {licence}. From <a href="{url}">crates.io</a>.</footer>
</body>
</html>
""",
    "docs": """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>{name} - documentation</title>
<script>const page = "{name}"; console.log("shown", page);</script>
</head>
<body class="docs">
<header><h2>Documentation of {name} {version}</h2></header>
<main>
{body}
</main>
<aside>Licence: {licence} &middot; <a href="{url}">source</a></aside>
</body></html>
""",
}


def rendered(markdown: str) -> str:
    """As much of Markdown as these READMEs need: headings, lists, code, links, emphasis."""
    out, paragraph, code, listed = [], [], None, False

    def flush():
        nonlocal listed
        if paragraph:
            out.append(f"<p>{inline(' '.join(paragraph))}</p>")
            paragraph.clear()
        if listed:
            out.append("</ul>")
            listed = False

    for line in markdown.splitlines():
        if line.lstrip().startswith("```"):
            if code is None:
                flush()
                code = []
            else:
                out.append(f"<pre><code>{html.escape(chr(10).join(code))}</code></pre>")
                code = None
        elif code is not None:
            code.append(line)
        elif heading := re.match(r"(#{1,6})\s+(.*)", line):
            flush()
            level = len(heading[1])
            out.append(f"<h{level}>{inline(heading[2])}</h{level}>")
        elif item := re.match(r"\s*[-*+]\s+(.*)", line):
            if not listed:
                flush()
                out.append("<ul>")
                listed = True
            out.append(f"<li>{inline(item[1])}</li>")
        elif re.fullmatch(r"(=+|-+)\s*", line) and paragraph:
            title = " ".join(paragraph)
            paragraph.clear()
            out.append(f"<h1>{inline(title)}</h1>")
        elif re.match(r"\s*<[^>]+>\s*$", line) or re.match(r"\[[^\]]+\]:\s", line):
            continue
        elif line.strip():
            paragraph.append(line.strip())
        else:
            flush()
    flush()
    return "\n".join(out)


def inline(text: str) -> str:
    text = re.sub(r"!?\[!?\[?([^\]]*)\]?\([^)]*\)\]?(\([^)]*\))?", r"\1", text)
    text = re.sub(r"</?[a-z][^>]*>|&nbsp;", "", text).strip()
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)


def fresh(folder: Path) -> Path:
    """An empty folder."""
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    found = crates()
    all_licences = [record for crate in found for record in licences(crate)]
    apache = [record for record in all_licences if APACHE in record["text"][:600].lower()]
    others = [record for record in all_licences if record not in apache]
    chosen = spread(apache, APACHE_IN_JSONL)
    records = others + chosen + [record for crate in found for record in readmes(crate)]
    records.sort(key=lambda record: record["id"])
    write_jsonl(HERE / "crates.jsonl", records)
    parquet = write_parquet(spread([record for record in apache if record not in chosen], APACHE_IN_PARQUET))
    documented = [record for crate in found if (record := documentation(crate))]
    documented = spread(documented, DOCUMENTED)
    write_jsonl(HERE / "documentation.jsonl.gz", documented)
    counts = {
        "crates.jsonl": f"{len(records)} ({len(others) + len(chosen)} licences)",
        "documentation.jsonl.gz": len(documented),
        "apache.parquet": parquet,
        "descriptions.csv": write_descriptions(found),
        "notes/": write_notes(found),
        "pages/": write_pages(found),
    }
    for name, count in counts.items():
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
