#!/usr/bin/env python3
"""Stands in for `pdftotext -q FILE -` of poppler where it is not installed, for the one PDF of the cookbook (docs/cookbook/data/build.py).

Prints the strings that are shown, one a line: enough for text that is neither compressed nor in an encoding of its own. Standard library only.
"""
import re
import sys
from pathlib import Path


def main() -> None:
    *options, name, out = sys.argv[1:]
    if options != ["-q"] or out != "-":
        sys.exit("usage: pdftotext.py -q FILE -")
    shown = re.findall(r"\(((?:[^()\\]|\\.)*)\) Tj", Path(name).read_bytes().decode("ascii"))
    print("\n".join(re.sub(r"\\(.)", r"\1", text) for text in shown))


main()
