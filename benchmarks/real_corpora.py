"""Real collections as one JSONL file each, with an `id` and a `text` of every record that has both as strings.

mail and data are the docs.jsonl.zst of folders: those called mail_…, and all. code is every Rust source below a folder,
in order of path; what is no UTF-8 or empty is left out. Standard library, and `zstd`.
"""
import json
import subprocess
from pathlib import Path

from measure import Failed, say

#: Where cargo unpacks the sources of dependencies.
CARGO = Path.home() / ".cargo/registry/src"


def made(kind: str, folder: Path, work: Path) -> Path:
    """The file, made now unless it was from this folder before; whole or not at all."""
    path = work / f"{kind}.jsonl"
    receipt = path.with_suffix(".folder")
    if path.exists() and receipt.exists() and receipt.read_text() == str(folder.resolve()):
        return path
    say(f"making {path.name} from {folder}")
    records = sources(folder) if kind == "code" else documents(folder, "mail_*" if kind == "mail" else "*")
    unfinished, written = path.with_suffix(".unfinished"), 0
    with unfinished.open("w", encoding="utf-8") as out:
        for name, text in records:
            out.write(json.dumps({"id": name, "text": text}) + "\n")
            written += 1
    if not written:
        raise Failed(f"{folder}: nothing there for {kind}")
    receipt.unlink(missing_ok=True)
    unfinished.replace(path)
    receipt.write_text(str(folder.resolve()))
    return path


def documents(folder: Path, pattern: str):
    """The records of each collection; the number of a record is part of its id, which may occur twice."""
    for path in sorted(folder.glob(f"{pattern}/docs.jsonl.zst")):
        try:
            unpacked = subprocess.run(["zstd", "-dc", str(path)], stdout=subprocess.PIPE, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise Failed(f"{path}: cannot be unpacked by zstd ({error})") from None
        for number, line in enumerate(unpacked.splitlines()):
            record = json.loads(line)
            if isinstance(record.get("text"), str):
                # Half of a surrogate pair is no text for some tools.
                yield f"{path.parent.name}/{number}", record["text"].encode(errors="replace").decode()


def sources(folder: Path):
    for path in sorted(folder.rglob("*.rs")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if text.strip():
            yield str(path.relative_to(folder)), text
