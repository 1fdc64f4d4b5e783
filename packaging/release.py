#!/usr/bin/env python3
"""Completes a release whose packages are in a directory, and checks them.

    release.py DIRECTORY [--key ID] [--only-sources] [--fast]

Adds `lookalike-VERSION-source.tar.gz`, which builds without a network (the last commit with all dependencies),
`lookalike-VERSION.cdx.json`, the list of dependencies (CycloneDX 1.5), `SHA256SUMS` of all files of this version, and with
--key its signature by gpg, `SHA256SUMS.asc`. The checks: the source archive resolves all dependencies without a registry;
the archive of the command and the wheel have the version of the sources and run (--only-sources leaves these two out).
The same commit gives the same bytes. --fast compresses less, for tests. Needs git, cargo with its dependencies fetched, and pip; otherwise the standard
library only.
"""
import argparse
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from package import ROOT, checksums, run, time_of_sources

CARGO = os.environ.get("CARGO", "cargo")
# The mark of a file in `git archive` and in a vendored crate that may be run.
RUNNABLE = 0o111


def version() -> str:
    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]


def sources(output: Path, name: str, time: int, level: int) -> Path:
    """The last commit with all dependencies, and the setting that makes cargo use them."""
    path = output / f"{name}-source.tar.gz"
    with tempfile.TemporaryDirectory() as folder:
        vendored = Path(folder) / "vendor"
        run(CARGO, "vendor", "--locked", "--quiet", "--manifest-path", ROOT / "Cargo.toml", vendored)
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", level, raw, time) as packed, tarfile.open(fileobj=packed, mode="w") as out:

            def add(place: str, content: bytes, mode: int = 0) -> None:
                entry = tarfile.TarInfo(f"{name}/{place}")
                entry.size, entry.mtime, entry.mode = len(content), time, 0o755 if mode & RUNNABLE else 0o644
                out.addfile(entry, io.BytesIO(content))

            committed = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, capture_output=True).stdout
            with tarfile.open(fileobj=io.BytesIO(committed)) as archive:
                for entry in archive:
                    if entry.issym():
                        entry.name, entry.mtime = f"{name}/{entry.name}", time
                        out.addfile(entry)
                    elif entry.isfile():
                        add(entry.name, archive.extractfile(entry).read(), entry.mode)
            for file in sorted(file for file in vendored.rglob("*") if file.is_file()):
                add(f"vendor/{file.relative_to(vendored).as_posix()}", file.read_bytes(), file.stat().st_mode)
            add(".cargo/config.toml", b'[source.crates-io]\nreplace-with = "vendored"\n\n[source.vendored]\ndirectory = "vendor"\n')
    return path


def dependencies(output: Path, name: str) -> Path:
    """The crates that the command is built from, for any system, with their licences and checksums."""
    known = json.loads(run(CARGO, "metadata", "--locked", "--offline", "--format-version", "1", "--manifest-path", ROOT / "Cargo.toml"))
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    with open(ROOT / "Cargo.lock", "rb") as file:
        sums = {(package["name"], package["version"]): package.get("checksum") for package in tomllib.load(file)["package"]}
    [first] = [package["id"] for package in known["packages"] if package["name"] == "lookalike-cli"]
    reached, left = {}, [first]
    while left:
        own = left.pop()
        if own not in reached:
            # What only tests need is not part of the command.
            reached[own] = sorted(to["pkg"] for to in nodes[own]["deps"] if any(kind["kind"] != "dev" for kind in to["dep_kinds"]))
            left += reached[own]

    def reference(own: str) -> str:
        return f"pkg:cargo/{packages[own]['name']}@{packages[own]['version']}"

    def component(own: str) -> dict:
        package = packages[own]
        checksum = sums[package["name"], package["version"]]
        licence = (package["license"] or "").replace("/", " OR ")
        return {
            "type": "application" if own == first else "library", "bom-ref": reference(own), "purl": reference(own),
            "name": package["name"], "version": package["version"],
            **({"licenses": [{"expression": licence}]} if licence else {}),
            **({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {}),
        }

    listed = sorted(reached, key=reference)
    text = json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": component(first)},
        "components": [component(own) for own in listed if own != first],
        "dependencies": [{"ref": reference(own), "dependsOn": sorted(map(reference, reached[own]))} for own in listed],
    }, indent=1)
    path = output / f"{name}.cdx.json"
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return path


def check_sources(archive: Path, name: str) -> None:
    """All dependencies of the archive are found in it, by a cargo that has no others."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(archive, folder)
        environment = {**os.environ, "CARGO_HOME": f"{folder}/home"}
        command = [CARGO, "metadata", "--locked", "--offline", "--format-version", "1"]
        done = subprocess.run(command, cwd=Path(folder) / name, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{archive} does not build without a network:\n{done.stderr}")


def unpack(archive: Path, folder: str) -> None:
    with tarfile.open(archive) as opened:
        # Python before 3.11.4 has no filters; this archive is our own.
        opened.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def check_run(command: list, environment: dict, what: Path, expected: str) -> None:
    done = subprocess.run([str(part) for part in command], env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode or done.stdout.strip() != expected:
        raise SystemExit(f"{what} printed {done.stdout.strip()!r}, not {expected!r}\n{done.stderr}")


def check_command(archive: Path, of: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        unpack(archive, folder)
        [binary] = Path(folder).glob("*/lookalike")
        check_run([binary, "--version"], {}, archive, f"lookalike {of}")


def check_wheel(wheel: Path, of: str) -> None:
    """The wheel is installed without anything else, and removes a duplicate."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--target", folder, str(wheel)]
        subprocess.run(pip, check=True)
        code = 'import lookalike; text = "one fish two fish red fish blue fish"; print(lookalike.__version__, lookalike.dedup([text, text + "!"], threshold=0.8).kept())'
        check_run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {folder!r}); {code}"], {}, wheel, f"{of} [0]")


def sign(sums: Path, key: str) -> Path:
    signature = sums.with_name(f"{sums.name}.asc")
    signature.unlink(missing_ok=True)
    subprocess.run(["gpg", "--batch", "--local-user", key, "--armor", "--output", signature, "--detach-sign", sums], check=True)
    subprocess.run(["gpg", "--batch", "--quiet", "--verify", signature, sums], check=True, stderr=subprocess.DEVNULL)
    return signature


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("output", type=Path)
    words.add_argument("--key", help="the key of gpg that signs")
    words.add_argument("--only-sources", action="store_true")
    words.add_argument("--fast", action="store_true")
    given = words.parse_args()
    if changed := run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no").strip():
        print(f"Not in the source archive, because not committed:\n{changed}", file=sys.stderr)
    given.output.mkdir(parents=True, exist_ok=True)
    of = version()
    name = f"lookalike-{of}"
    made = [sources(given.output, name, time_of_sources(), 1 if given.fast else 6), dependencies(given.output, name)]
    check_sources(made[0], name)
    if not given.only_sources:
        commands = [path for path in given.output.glob(f"{name}-*.tar.gz") if path != made[0]]
        wheels = list(given.output.glob(f"{name}-*.whl"))
        if not commands or not wheels:
            raise SystemExit(f"{given.output} has no archive of the command or no wheel of version {of}: make release makes both")
        for path in commands:
            check_command(path, of)
        for path in wheels:
            check_wheel(path, of)
        made += commands + wheels
    sums = checksums(given.output)
    if given.key:
        made.append(sign(sums, given.key))
    for path in made:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    if not given.key:
        print(f"{sums} is not signed: name a key of gpg (make release KEY=ID)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
