#!/usr/bin/env python3
"""What each method costs: processor time of a document and bytes of its keys and sketch.

    methods.py                          # 20,000 documents of the kind *mixed* of README.md; a minute or two
    methods.py --corpus news.jsonl      # a collection of yours (`id` and `text`)

User time of `lookalike cluster` on one thread, from the file to clusters on disk, without a report; the rounds of the methods take turns and the median
counts. `@` names the verifier: with `none` the candidates are matches, with `sketch` the method's own estimate decides, with `exact` complete sets.
What a method adds to reading, tokenising and writing is the difference from `lexical`. Methods with document frequencies are given a lexicon of the
collection, whose counting is a row of its own. Bytes are those that `lookalike evaluate` counts. Needs only the standard library.
"""
import json
import sys
from pathlib import Path

from measure import Collections, Failed, argument_parser, introduce, machine, measured, median, note_others, programs, save, table, warm, with_others

METHODS = (
    "exact", "lexical@none", "shingle-equivalent@none", "dsc@sketch", "dsc-variable@sketch", "dsc-minimum@sketch", "dsc-ss@none", "minhash-lsh@sketch",
    "minhash-lsh:slots=kfold@sketch", "super-shingles-84@none", "megashingles@none", "word-lsh@sketch", "syntactic@none", "imatch@none",
    "imatch-random@none", "simhash:d=0@sketch", "simhash@sketch", "simhash:weights=tf@sketch",
)
NEED_LEXICON = ("imatch", "simhash")


def command(lookalike: str, corpus: Path, described: str, lexicon: Path, output: Path) -> list:
    """The run of one method."""
    method, _, verify = described.partition("@")
    run = [lookalike, "cluster", str(corpus), "--threads", "1", "--no-report", "--quiet", "--force", "--output", str(output)]
    if verify:
        run += ["--method", method, "--verify", verify]
    if method.startswith(NEED_LEXICON) and "weights=tf" not in method:
        run += ["--lexicon", str(lexicon)]
    return run


def evaluated(lookalike: str, corpus: Path, lexicon: Path, output: Path, timeout: float) -> dict:
    """What `evaluate` says of each method; the exact join has neither keys nor sketches."""
    methods = [one for one in METHODS if "@" in one]
    measured([lookalike, "evaluate", str(corpus), "--methods", *methods, "--lexicon", str(lexicon), "--output", str(output), "--force", "--quiet"], timeout)
    rows = json.loads((output / "evaluation.json").read_text(encoding="utf-8"))["methods"]
    assert len(rows) == len(methods)
    return dict(zip(methods, rows))


def measure(lookalike: str, corpus: Path, given) -> dict:
    """All figures of a collection, and prints its table."""
    lexicon, output = given.work / "methods.lexicon", given.work / "methods-output"
    warm(corpus, given.timeout)
    count = [lookalike, "lexicon", "build", str(corpus), "--output", str(lexicon), "--threads", "1"]
    measured(count, given.timeout)
    about = evaluated(lookalike, corpus, lexicon, output, given.timeout)
    runs = {"lexicon build": [], **{method: [] for method in METHODS}}
    for _ in range(given.repeat):
        for name, rows in runs.items():
            run = count if name == "lexicon build" else command(lookalike, corpus, name, lexicon, output)
            rows.append(with_others(measured, run, given.timeout)[0])
    documents = json.loads((output / "summary.json").read_text(encoding="utf-8"))["documents"]
    base = median(runs["lexical@none"], "user")
    rows = []
    for name, costs in runs.items():
        user, one = median(costs, "user"), about.get(name)
        size = [one[part] / max(1, one["signed"]) for part in ("key_bytes", "sketch_bytes")] if one else [None, None]
        more = (user - base) / documents * 1e6 if "@" in name else None
        rows.append([f"`{name}`", user / documents * 1e6, more, *size, one["candidates"] if one else None])
    table(f"{corpus.name}: {documents:,} documents, one thread", ["method", "user µs/doc", "more than `lexical`", "key bytes", "sketch bytes", "candidates"], rows)
    note_others([cost for costs in runs.values() for cost in costs])
    return {"collection": corpus.name, "documents": documents, "runs": runs, "evaluated": about}


def main() -> int:
    parser = argument_parser(__doc__)
    parser.set_defaults(documents=20_000)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    lookalike = programs(given.binaries, "lookalike")["lookalike"]
    about = machine(lookalike)
    introduce(about, given.repeat)
    corpora = given.corpus
    if not corpora:
        generate = programs(given.binaries, "lookalike-generate")["lookalike-generate"]
        corpora = [Collections(given.work, generate, given.sources, given.timeout).get("mixed", given.documents)]
    save(given.work / "methods.json", {"machine": about, "collections": [measure(lookalike, corpus, given) for corpus in corpora]})
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(str(failure))
