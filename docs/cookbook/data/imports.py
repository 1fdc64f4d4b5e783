#!/usr/bin/env python3
"""Writes programs.jsonl: the functions that programs of this system import, read from their tables of dynamic symbols. Standard library only.

    imports.py                          # the programs of the packages below, on Debian, as they are installed
    imports.py a.out b.out > mine.jsonl # any 64-bit ELF programs, to standard output

A record has the program's name, its package, and the names of the functions without their versions. Another release of Debian has other ones.
"""
import json
import struct
import subprocess
import sys
from pathlib import Path

PACKAGES = ("coreutils", "diffutils", "findutils", "procps", "util-linux")
DYNSYM, FUNCTIONS = 11, (2, 10)  # SHT_DYNSYM; STT_FUNC, STT_GNU_IFUNC


def imports(program: Path) -> list:
    """Names of the undefined functions in the dynamic symbols of a little-endian 64-bit ELF file; an empty list for any other file."""
    data = program.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    at, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    # name, type, flags, address, offset, size, link, info, alignment, entry size
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + size * number) for number in range(count)]
    names = set()
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind == DYNSYM:
            strings = sections[link][4]
            for place in range(offset, offset + length, 24):
                name, about, _, section = struct.unpack_from("<IBBH", data, place)
                if section == 0 and about & 15 in FUNCTIONS:
                    names.add(data[strings + name : data.index(b"\0", strings + name)].decode())
    return sorted(names)


def installed(package: str) -> list:
    """The programs of an installed Debian package, without links."""
    listed = subprocess.run(["dpkg", "-L", package], check=True, capture_output=True, text=True).stdout.split("\n")
    paths = (Path(line) for line in listed if line.rpartition("/")[0] in ("/bin", "/sbin", "/usr/bin", "/usr/sbin"))
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def main() -> int:
    programs = [(None, Path(name)) for name in sys.argv[1:]] or [(package, path) for package in PACKAGES for path in installed(package)]
    records = [{"id": path.name, "package": package, "imports": found} for package, path in programs if (found := imports(path))]
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    if sys.argv[1:]:
        sys.stdout.write(text)
    else:
        Path(__file__).resolve().with_name("programs.jsonl").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
