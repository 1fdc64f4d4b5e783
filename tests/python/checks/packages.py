"""The archive and the Debian package of the binary: made, listed, installed, run and removed; and what a release has beside them."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from checks.harness import HERE, SAMPLES, Checks, summary_of

ROOT = HERE.parent.parent
PACKAGE, RELEASE = (ROOT / "packaging" / f"{name}.py" for name in ("package", "release"))


def tool(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", **options)


def packages(c: Checks) -> None:
    """`packaging/package.py` over the binary of this run, without its symbols where `strip` is."""
    folder = c.work / "packages"
    folder.mkdir()
    binary = folder / c.binary.name
    shutil.copy2(c.binary, binary)
    if shutil.which("strip"):
        tool("strip", binary)
    has_deb = shutil.which("dpkg-deb") is not None and sys.platform == "linux"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    outs = [folder / "one", folder / "two"]
    for out in outs:
        done = tool(sys.executable, PACKAGE, binary, out, "--fast", *(["--deb"] if has_deb else []), env=environment)
        if not c.check("the packages are made", done.returncode == 0, done.stderr):
            return
    names = sorted(path.name for path in outs[0].iterdir())
    same = all((outs[0] / name).read_bytes() == (outs[1] / name).read_bytes() for name in names)
    c.check("the same binary gives the same packages", names == sorted(path.name for path in outs[1].iterdir()) and same, names)
    sums = dict(reversed(line.split("  ")) for line in (outs[0] / "SHA256SUMS").read_text().splitlines())
    true = {name: hashlib.sha256((outs[0] / name).read_bytes()).hexdigest() for name in names if name != "SHA256SUMS"}
    c.check("SHA256SUMS", sums == true, sums)
    version = c.run("--version").stdout.split()[1]

    archive = next(path for path in outs[0].iterdir() if path.name.endswith(".tar.gz"))
    with tarfile.open(archive) as opened:
        members = {member.name.partition("/")[2]: member for member in opened.getmembers()}
        # Python before 3.11.4 has no filters; this archive is our own.
        opened.extractall(folder / "unpacked", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    top = folder / "unpacked" / archive.name.removesuffix(".tar.gz")
    wanted = {"lookalike", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "completions/lookalike", "completions/_lookalike", "man/man1/lookalike-dedup.1", "systemd/lookalike@.service"}
    c.check("the archive has what it should", wanted <= set(members) and members["lookalike"].mode == 0o755, wanted - set(members))
    done = tool(top / "lookalike", "dedup", SAMPLES / "crates.jsonl", "-o", folder / "from archive", "-q")
    c.check("its binary runs", done.returncode == 0 and summary_of(folder / "from archive").get("documents") == 380, done.stderr)
    source_archive(c, outs[0], version)
    if not has_deb:
        print("SKIPPED: packages: the Debian package: there is no dpkg-deb", flush=True)
        return

    package = next(path for path in outs[0].iterdir() if path.suffix == ".deb")
    fields = {name: tool("dpkg-deb", "--field", package, name).stdout.strip() for name in ("Package", "Version", "Architecture", "Depends", "Installed-Size")}
    c.check("its control file", fields["Package"] == "lookalike" and fields["Version"] == f"{version}-1" and re.fullmatch(r"libc6 \(>= 2\.\d+\), libgcc-s1", fields["Depends"]), fields)
    c.check("its architecture is this one", fields["Architecture"] == tool("dpkg", "--print-architecture").stdout.strip(), fields)
    size = binary.stat().st_size // 1024
    c.check("its size is that of its files", size < int(fields["Installed-Size"]) < size + 1000, (fields, size))
    listing = tool("dpkg-deb", "--contents", package).stdout
    for path in ("/usr/bin/lookalike", "/usr/share/man/man1/lookalike-dedup.1.gz", "/usr/share/doc/lookalike/copyright", "/usr/share/doc/lookalike/changelog.Debian.gz", "/usr/share/bash-completion/completions/lookalike", "/usr/lib/systemd/system/lookalike@.service"):
        c.check(f"it contains {path}", f".{path}\n" in listing, listing)
    rows = [line.split() for line in listing.splitlines()]
    odd = [row for row in rows if row[1] != "root/root" or row[0] not in ("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x")]
    c.check("its files belong to root, with usual modes", not odd, odd)
    root = folder / "root"
    done = tool("dpkg-deb", "-x", package, root)
    installed = root / "usr/bin/lookalike"
    if shutil.which("systemd-analyze"):
        unit = folder / "lookalike@.service"
        text = (root / "usr/lib/systemd/system/lookalike@.service").read_text()
        unit.write_text(text.replace("/usr/bin/lookalike", str(installed)).replace("Documentation=", "#"))
        done_unit = tool("systemd-analyze", "verify", unit)
        c.check("systemd takes its unit", done_unit.returncode == 0 and not done_unit.stderr, done_unit.stderr)
    done = tool(installed, "--version") if done.returncode == 0 else done
    c.check("unpacked, it runs", done.stdout == f"lookalike {version}\n", done.stderr)
    control = folder / "control"
    tool("dpkg-deb", "-e", package, control)
    wrong = []
    for line in (control / "md5sums").read_text().splitlines():
        digest, name = line.split("  ")
        if hashlib.md5((root / name).read_bytes(), usedforsecurity=False).hexdigest() != digest:
            wrong.append(name)
    c.check("its md5sums", not wrong, wrong)
    if shutil.which("man"):
        page = tool("man", "--warnings", "-l", root / "usr/share/man/man1/lookalike-dedup.1.gz", env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        text = re.sub(".\b", "", page.stdout)
        c.check("its manual pages are formatted", page.returncode == 0 and "--threshold" in text and "lookalike dedup docs.jsonl --output clean" in text, page.stderr + text[:500])
        c.check("without warnings", not page.stderr, page.stderr)
    install_and_remove(c, package, folder)


def install_and_remove(c: Checks, package: Path, folder: Path) -> None:
    """Installation by dpkg into a root of its own, and removal. Any user may do that: dpkg then leaves the owners alone."""
    root = folder / "installed"
    for name in ("updates", "info", "triggers"):
        (root / "var/lib/dpkg" / name).mkdir(parents=True)
    for name in ("status", "available"):
        (root / "var/lib/dpkg" / name).write_text("")
    options = (f"--root={root}", f"--log={folder / 'dpkg.log'}", "--force-depends", "--force-not-root", "--force-script-chrootless")
    # dpkg asks for programs that ordinary users do not have in their path.
    path = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
    done = tool("dpkg", *options, "--install", package, env=path)
    binary = root / "usr/bin/lookalike"
    ran = tool(binary, "--version") if binary.is_file() else done
    c.check("dpkg installs it", done.returncode == 0 and ran.stdout.startswith("lookalike "), done.stdout + done.stderr)
    listed = tool("dpkg", *options, "--listfiles", "lookalike").stdout
    c.check("dpkg knows its files", "/usr/bin/lookalike\n" in listed, listed)
    done = tool("dpkg", *options, "--purge", "lookalike", env=path)
    left = [str(path) for path in root.rglob("*lookalike*") if "var/lib/dpkg" not in str(path)]
    c.check("dpkg removes it", done.returncode == 0 and not left, done.stdout + done.stderr + str(left))


def source_archive(c: Checks, out: Path, version: str) -> None:
    """`packaging/release.py`: the sources with all dependencies, the list of these, and a signature, beside the packages."""
    # Short: gpg's agent has a socket there.
    home = Path(tempfile.mkdtemp(prefix="gpg-"))
    environment = {**os.environ, "GNUPGHOME": str(home)}
    gpg = ("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "")
    has_key = shutil.which("gpg") and tool(*gpg, "--quick-generate-key", "lookalike@example.org", "ed25519", env=environment).returncode == 0
    try:
        done = tool(sys.executable, RELEASE, out, "--only-sources", "--fast", *(["--key", "lookalike@example.org"] if has_key else []), env=environment)
        if not c.check("the source archive is made, and resolves without a registry", done.returncode == 0, done.stderr):
            return
        if has_key:
            c.check("the checksums are signed", tool("gpg", "--verify", out / "SHA256SUMS.asc", out / "SHA256SUMS", env=environment).returncode == 0)
            tool("gpgconf", "--kill", "all", env=environment)
        else:
            c.check("without a key it says so", "is not signed" in done.stdout, done.stdout)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    c.check("the checksums name all files", set(sums) == {path.name for path in out.iterdir() if path.name.startswith("lookalike")}, sums)
    with tarfile.open(out / f"lookalike-{version}-source.tar.gz") as opened:
        names = set(opened.getnames())
    with open(ROOT / "Cargo.lock", "rb") as file:
        locked = {(package["name"], package["version"]): package.get("checksum") for package in tomllib.load(file)["package"]}
    top = f"lookalike-{version}"
    # A crate of which there are two versions has the version in the name of one.
    lacking = [name for name, of in locked if locked[name, of] and not {f"{top}/vendor/{name}/Cargo.toml", f"{top}/vendor/{name}-{of}/Cargo.toml"} & names]
    c.check("the source archive has all dependencies", len(locked) > 300 and not lacking, lacking)
    listed = json.loads((out / f"lookalike-{version}.cdx.json").read_text(encoding="utf-8"))
    components = {(part["name"], part["version"]): part.get("hashes", [{}])[0].get("content") for part in listed["components"]}
    own = [name for (name, _), checksum in components.items() if checksum is None]
    c.check("the list of dependencies agrees with Cargo.lock", components.items() <= locked.items() and {"zstd-sys", "regex", "lookalike-core"} <= {name for name, _ in components}, components.items() - locked.items())
    c.check("it has no crates of tests", "proptest" not in {name for name, _ in components} and all(name.startswith("lookalike") for name in own), own)
