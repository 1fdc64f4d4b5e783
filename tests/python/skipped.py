#!/usr/bin/env python3
"""Lists what `make test` left out on this machine: the optional programs and data that are missing, and the checks that need them.

Each check says so where it runs, too; this is the last output of `make test`. Always ends with 0; where CI is set, the checks
that must not be skipped have failed before. Standard library only.
"""
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINUX = sys.platform.startswith("linux")
sys.path.insert(0, str(ROOT / "tests" / "python"))
from run_package import has_java  # noqa: E402


def program(*names: str) -> bool:
    """Whether one of these programs is installed."""
    return any(shutil.which(name) for name in names)


def exists(*paths: str) -> bool:
    """Whether all these paths are there, from the root of the sources."""
    return all((ROOT / path).exists() for path in paths)


def has_collections() -> bool:
    """Whether the tests had real collections: those that a variable names, or those beside the checkout (see the Makefile)."""
    return Path(os.environ.get("LOOKALIKE_DATA") or ROOT.parent / "shared" / "data").is_dir()


def has_zstd() -> bool:
    """Whether Python can unpack zstd, by itself or by a program."""
    return sys.version_info >= (3, 14) or program("zstd")


def has_mail_servers() -> bool:
    """Whether there are mail servers, and this user may start them."""
    programs = all(program(name, f"/usr/sbin/{name}") for name in ("postfix", "rspamd", "swaks", "miltertest", "procmail", "maildrop", "sieve-test"))
    return LINUX and programs and os.getuid() == 0


# What is optional: whether it is there, its name, and the checks that need it.
OPTIONAL = (
    (has_java(), "Java 17 or newer (or JAVA_HOME)", "the package on Spark"),
    (program("chromium", "chromium-browser"), "Chromium", "the report and the page of the service in a browser"),
    (program("node") and program("npm"), "Node.js with npm", "the report and the page of the service in a browser"),
    (exists("out/browser/node_modules/axe-core", "out/browser/node_modules/playwright-core"), "the npm packages of tests/browser (a registry)",
     "the report and the page of the service in a browser"),
    (exists("out/moto/installed"), "moto (a Python package index)", "object stores: S3 and commands on objects"),
    (program("openssl"), "openssl", "object stores: https"),
    (has_collections(), "real collections (LOOKALIKE_DATA=DIR, or ../shared/data)", "references, hostile files, formats, mail, filter and sweeps on real data"),
    (bool(os.environ.get("LOOKALIKE_DATA")), "real collections (LOOKALIKE_DATA=DIR)", "the Python package, Spark, Ray Data, Dask and Daft on real data"),
    (has_zstd(), "zstd", "compressed samples and collections read by the checks"),
    (has_mail_servers(),
     "postfix, rspamd, swaks, miltertest, procmail, maildrop and dovecot-sieve (tests/mail_programs.sh), and the rights of root", "the milter, rspamd's protocol and the recipes for pipes with real mail servers"),
    (program("procmail"), "procmail", "the recipe for procmail"),
    (program("maildrop"), "maildrop", "the recipe for maildrop"),
    (LINUX and program("dpkg-deb"), "dpkg-deb", "the Debian package"),
    (program("git"), "git", "the GitHub Action, the hooks of pre-commit, the source archive"),
    (program("man"), "man", "manual pages without warnings"),
    (program("airflow"), "airflow", "the recipe for Airflow with the real program; a stand-in ran"),
    (program("pdftotext"), "pdftotext (poppler)", "the cookbook with the real program; a stand-in ran"),
    (LINUX, "Linux", "runs stopped at every file operation, and failing reads"),
    *((exists(f"out/bench/peers/{tool}/bin/python"), f"{tool} (make bench-peers)", f"the port of a script for {tool}")
      for tool in ("datatrove", "text-dedup")),
)


def main() -> int:
    missing = [(name, checks) for found, name, checks in OPTIONAL if not found]
    if not missing:
        print("Nothing was skipped.")
        return 0
    print("Skipped, because something optional is missing here:")
    width = max(len(name) for name, _ in missing)
    for name, checks in missing:
        print(f"  {name:{width}}  {checks}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
