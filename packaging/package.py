#!/usr/bin/env python3
"""Packs the lookalike command for distribution.

    package.py BINARY OUTPUT_DIRECTORY [--target TRIPLE] [--deb] [--fast]

Writes `lookalike-VERSION-TARGET.tar.gz` (.zip for Windows) with the binary, manual pages, completions, the unit
of systemd, licences and README; with --deb also a Debian package, built by dpkg-deb (--fast
compresses less, for tests); and SHA256SUMS of all packages in the directory. The manual
pages and completions are those that the binary prints, so it has to run on this machine. The same binary gives the same
bytes: times are those of SOURCE_DATE_EPOCH, or of the last commit. Standard library only.
"""
import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPLETIONS = {"bash": "lookalike", "zsh": "_lookalike", "fish": "lookalike.fish", "powershell": "_lookalike.ps1", "elvish": "lookalike.elv"}
UNIT = "lookalike@.service"
# Debian's names of machines.
MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "i386", "armv7": "armhf", "riscv64gc": "riscv64", "s390x": "s390x"}
SUMMARY = "find near-duplicate documents in any collection, and prove each one"


def run(*command) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, encoding="utf-8").stdout


def version_of(binary: Path) -> str:
    name, version = run(binary, "--version").split()
    if name != "lookalike":
        raise SystemExit(f"{binary} is not the lookalike command")
    return version


def time_of_sources() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        given = run("git", "-C", ROOT, "log", "-1", "--format=%ct")
    return int(given)


def host() -> str:
    return re.search(r"^host: (.*)$", run("rustc", "-vV"), re.M).group(1)


def contents(binary: Path) -> dict:
    """Files of an archive: path and content."""
    name = "lookalike.exe" if binary.suffix == ".exe" else "lookalike"
    files = {name: binary.read_bytes()}
    for name in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"):
        files[name] = (ROOT / name).read_bytes()
    files[f"systemd/{UNIT}"] = (ROOT / "packaging" / UNIT).read_bytes()
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = run(binary, "completions", shell).encode()
    with tempfile.TemporaryDirectory() as pages:
        run(binary, "man", pages)
        for page in sorted(Path(pages).iterdir()):
            files[f"man/man1/{page.name}"] = page.read_bytes()
    return files


def mode(name: str) -> int:
    return 0o755 if Path(name).name in ("lookalike", "lookalike.exe") and "/completions" not in f"/{name}" else 0o644


def archive(files: dict, folder: str, output: Path, time: int, windows: bool, level: int) -> Path:
    if windows:
        path = output / f"{folder}.zip"
        stamp = (1980, 1, 1, 0, 0, 0)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name in sorted(files):
                out.writestr(zipfile.ZipInfo(f"{folder}/{name}", stamp), files[name], zipfile.ZIP_DEFLATED)
        return path
    path = output / f"{folder}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", level, raw, time) as packed, tarfile.open(fileobj=packed, mode="w") as out:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mtime, entry.mode = len(files[name]), time, mode(name)
            out.addfile(entry, io.BytesIO(files[name]))
    return path


def libc_of(binary: bytes) -> str:
    """The dependency on the C library: the newest of its versions that the binary names; none for a static binary."""
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", binary)]
    return f"libc6 (>= 2.{max(versions)}), libgcc-s1" if versions else ""


def copyright_file() -> str:
    mit = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    owner = re.search(r"^Copyright (?:\(c\) )?(.*)$", mit, re.M)
    text = "\n".join(f" {line}" if line.strip() else " ." for line in mit.strip().splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: lookalike\n\n"
        f"Files: *\nCopyright: {owner.group(1) if owner else 'the authors of lookalike'}\nLicense: Apache-2.0 or Expat\n\n"
        "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n\n"
        f"License: Expat\n{text}\n"
    )


def deb(files: dict, version: str, target: str, output: Path, time: int, fast: bool) -> Path:
    """A Debian package; dpkg-deb has to be there."""
    machine = MACHINES.get(target.split("-")[0])
    if machine is None or "linux" not in target:
        raise SystemExit(f"{target} is no machine of Debian")
    person = "The lookalike maintainers <lookalike@example.org>"
    placed = {"usr/bin/lookalike": files["lookalike"]}
    share = {"bash": "bash-completion/completions", "zsh": "zsh/vendor-completions", "fish": "fish/vendor_completions.d"}
    for shell, place in share.items():
        placed[f"usr/share/{place}/{COMPLETIONS[shell]}"] = files[f"completions/{COMPLETIONS[shell]}"]
    placed[f"usr/lib/systemd/system/{UNIT}"] = files[f"systemd/{UNIT}"]
    changes = f"lookalike ({version}-1) unstable; urgency=medium\n\n  * See /usr/share/doc/lookalike/CHANGELOG.md.gz.\n\n -- {person}  {formatdate(time)}\n"
    packed = {"changelog.Debian": changes.encode(), "CHANGELOG.md": files["CHANGELOG.md"]}
    placed |= {f"usr/share/doc/lookalike/{name}.gz": gzip.compress(text, 9, mtime=0) for name, text in packed.items()}
    placed["usr/share/doc/lookalike/copyright"] = copyright_file().encode()
    for name, text in files.items():
        if name.startswith("man/"):
            placed[f"usr/share/{name}.gz"] = gzip.compress(text, 9, mtime=0)
    size = sum(len(text) + 1023 for text in placed.values()) // 1024
    depends = libc_of(files["lookalike"])
    control = (
        f"Package: lookalike\nVersion: {version}-1\nArchitecture: {machine}\nMaintainer: {person}\nInstalled-Size: {size}\n"
        + (f"Depends: {depends}\n" if depends else "")
        + "Section: text\nPriority: optional\nHomepage: https://github.com/lookalike/lookalike\n"
        f"Description: {SUMMARY}\n"
        " An exact set-similarity join over word or character n-grams: every pair of\n"
        " documents at or above the threshold is found, and each removed document is\n"
        " listed with the kept document that it duplicates and the counts that prove it.\n"
    )
    package = output / f"lookalike_{version}-1_{machine}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        sums = "".join(f"{hashlib.md5(placed[name], usedforsecurity=False).hexdigest()}  {name}\n" for name in sorted(placed))
        for name, text in {**placed, "DEBIAN/control": control.encode(), "DEBIAN/md5sums": sums.encode()}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            path.chmod(mode(name) if name == "usr/bin/lookalike" else 0o644)
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (time, time))
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time)}
        command = ["dpkg-deb", *(["-Zgzip", "-z1"] if fast else []), "--root-owner-group", "--build", str(root), str(package)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return package


def checksums(output: Path) -> Path:
    """Writes SHA256SUMS of all packages in a directory."""
    packages = sorted(path for path in output.iterdir() if path.name.startswith("lookalike"))
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in packages)
    path = output / "SHA256SUMS"
    path.write_bytes(sums.encode())
    return path


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("binary", type=Path)
    words.add_argument("output", type=Path)
    words.add_argument("--target")
    words.add_argument("--deb", action="store_true")
    words.add_argument("--fast", action="store_true")
    given = words.parse_args()
    if given.deb and not shutil.which("dpkg-deb"):
        raise SystemExit("--deb needs dpkg-deb")
    target, time = given.target or host(), time_of_sources()
    version, files = version_of(given.binary.resolve()), contents(given.binary.resolve())
    given.output.mkdir(parents=True, exist_ok=True)
    made = [archive(files, f"lookalike-{version}-{target}", given.output, time, "windows" in target, 1 if given.fast else 9)]
    if given.deb:
        made.append(deb(files, version, target, given.output, time, given.fast))
    checksums(given.output)
    for path in made:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
