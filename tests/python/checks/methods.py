"""Methods of the papers, and lexicons."""
import csv
import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_run
import method_oracle
from checks.harness import Checks, WORKERS, dict_table, summary_of, table_of, tree_of
from checks.inputs import collection, words, write_jsonl


def methods(c: Checks) -> None:
    """Every method under every verification: the same bytes on any number of threads, and what is verified is true."""
    folder = c.work / "methods"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 41, 600)
    names = [about["name"] for about in json.loads(c.run("methods", "--format", "json").stdout)]
    c.check("methods: the papers' methods are there", len(names) >= 14, names)

    def pairs(out: Path) -> dict:
        with open(out / "pairs.tsv", newline="", encoding="utf-8") as rows:
            return {(row["a_id"], row["b_id"]): row for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)}

    exact = c.out("methods exact")
    c.checked("methods exact", "cluster", [docs])
    truth, all_documents = pairs(exact), summary_of(exact)["documents"]

    def one(name: str) -> None:
        for verify in ("exact", "sketch", "none"):
            trees = []
            for threads in (1, 2, 7):
                out = c.out(f"methods {name} {verify} {threads}")
                done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, "--method", name, "--verify", verify)
                if not c.check(f"methods: {name} {verify} runs", done.returncode == 0, done.stderr):
                    return
                trees.append(tree_of(out))
            c.check(f"methods: {name} {verify}: the same bytes", trees[0] == trees[1] == trees[2])
            summary = summary_of(out)
            counted = summary["kept"] + sum(summary["removed"].values())
            c.check(f"methods: {name} {verify}: every document counted", summary["documents"] == counted == all_documents, summary)
            if verify == "exact":
                # The rows of the exact run have been recomputed from the texts by check_run.py.
                wrong = [row for pair, row in pairs(out).items() if truth.get(pair) != row]
                c.check(f"methods: {name}: what is verified exactly is true", not wrong, wrong[:3])
            c.check(f"methods: {name} {verify}: finds something", len(pairs(out)) > 20, len(pairs(out)))

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, names))

    found = []
    for spec in ("simhash:d=5", "simhash:d=5,join=ones"):
        out = c.out(f"methods {spec}")
        done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "--method", spec, "--verify", "sketch")
        c.check(f"methods: {spec} runs", done.returncode == 0, done.stderr)
        found.append((out / "pairs.tsv").read_bytes())
    c.check("methods: near words are the same, by tables or by ones", found[0] == found[1] and found[0].count(b"\n") > 20)


def simhash_idf(c: Checks) -> None:
    """simhash weighs by the idf of the inputs and of --against, unless a lexicon is given: recomputed here."""
    folder = c.work / "simhash"
    rng = random.Random(78)
    common = ["".join(rng.choice("abcdefghij") for _ in range(5)) for _ in range(60)]
    rare = ["".join(rng.choice("klmnopqrst") for _ in range(9)) for _ in range(3000)]
    made: list = []
    for _ in range(300):
        if made and rng.random() < 0.6:
            text = list(rng.choice(made))
            for _ in range(rng.choice((1, 3, 8))):
                text[rng.randrange(len(text))] = rng.choice(rng.choice((common, rare)))
        else:
            text = words(rng, common, rng.randint(20, 60)) + words(rng, rare, rng.randint(5, 20))
        made.append(text)
    documents = [{"id": f"d{number:03}", "text": " ".join(text)} for number, text in enumerate(made)]
    parts = [write_jsonl(folder / f"{at}.jsonl", documents[at * 100:at * 100 + 100]) for at in range(3)]
    frequencies = Counter(token for text in made for token in set(text))
    signed = [method_oracle.simhash(text, frequencies, len(made)) for text in made]
    by_tf = [method_oracle.simhash(text, {}, len(made)) for text in made]
    numbers = {one["id"]: number for number, one in enumerate(documents)}

    def wrong(out: Path, words_of: list, distance: int, every: bool = True) -> list:
        found = {tuple(sorted((numbers[row["a_id"]], numbers[row["b_id"]]))): int(row["distance"] or 0) for row in dict_table(out / "pairs.tsv")}
        complaints = []
        for b in range(len(made)):
            for a in range(b):
                if not every and (a, b) not in found:
                    continue
                (x, loose_x), (y, loose_y) = words_of[a], words_of[b]
                most = ((x ^ y) | loose_x | loose_y).bit_count()
                least = ((x ^ y) & ~(loose_x | loose_y)).bit_count()
                said = found.get((a, b))
                if not (least <= said <= most if said is not None else most > distance):
                    complaints.append((a, b, said, least, most))
        return complaints

    trees = []
    for name, inputs, options in (
        ("one thread", parts, ("-j", "1")), ("threads", parts, ("-j", "7")), ("memory", parts, ("--memory", "1", "-j", "3")),
        ("kept", parts, ("--scratch", folder)),
    ):
        out = c.out(f"simhash {name}")
        done = c.run("cluster", *inputs, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", *options)
        if c.check(f"simhash idf: {name} runs", done.returncode == 0, done.stderr):
            trees.append(tree_of(out))
            c.check(f"simhash idf: {name}: distances by the idf of the inputs", not (bad := wrong(out, signed, 6)), bad[:5])
    c.check("simhash idf: the same bytes", len(trees) == 4 and all(tree == trees[0] for tree in trees))
    c.check("simhash idf: idf = 1 would have been noticed", len(wrong(c.out("simhash threads"), by_tf, 6)) > 20)
    said = summary_of(c.out("simhash threads"))["settings"]
    lexicon = folder / "own.lexicon"
    c.run("lexicon", "build", *parts, "-o", lexicon)
    checksum = json.loads(c.run("lexicon", "show", lexicon, "--format", "json").stdout)["checksum"]
    c.check("simhash idf: the summary names what was counted", said.get("lexicon_checksum") == checksum and said.get("lexicon_documents") == 300, said)
    out = c.out("simhash given")
    c.run("cluster", *parts, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", "--lexicon", lexicon)
    same = c.check("simhash idf: as with a lexicon of the inputs", out.exists() and (out / "pairs.tsv").read_bytes() == (c.out("simhash threads") / "pairs.tsv").read_bytes())
    c.check("simhash idf: a given lexicon's size is told, too", same and summary_of(out)["settings"].get("lexicon_documents") == 300)
    out = c.out("simhash tf")
    c.run("cluster", *parts, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6,weights=tf", "--verify", "sketch")
    c.check("simhash idf: weights=tf counts nothing", not (bad := wrong(out, by_tf, 6)) and "lexicon_checksum" not in summary_of(out)["settings"], bad[:5])
    # The inputs and --against are counted together.
    out = c.out("simhash against")
    done = c.run("dedup", *parts[:2], "--against", parts[2], "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch")
    if c.check("simhash idf: --against runs", done.returncode == 0, done.stderr):
        # `dedup` lists the pairs that decided.
        bad = wrong(out, signed, 6, every=False)
        c.check("simhash idf: --against counts, too", not bad and summary_of(out)["settings"].get("lexicon_checksum") == checksum, bad[:5])
        c.check("simhash idf: --against removes something", len(table_of(out / "pairs.tsv")) > 10, len(table_of(out / "pairs.tsv")))
    # Standard input is read once, to a temporary file, and from there twice.
    text = "".join(path.read_text(encoding="utf-8") for path in parts)
    out = c.out("simhash stream")
    done = c.run("cluster", "-", "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", stdin=text)
    # All but where the documents come from.
    by_id = [[(row["a_id"], row["b_id"], row["distance"]) for row in dict_table(run / "pairs.tsv")] for run in (out, c.out("simhash threads"))] if done.returncode == 0 else []
    c.check("simhash idf: from standard input", by_id and by_id[0] == by_id[1] != [], done.stderr)
    done = c.run("plan", *parts, "--method", "simhash")
    c.check("simhash idf: a plan asks for a lexicon", done.returncode != 0 and "--lexicon" in done.stderr, done.stderr)


def lexicons(c: Checks) -> None:
    """A lexicon: the same bytes in any way it is made; recorded by what uses it, and no other is taken for it."""
    folder = c.work / "lexicons"
    folder.mkdir()
    docs, other = collection(folder / "docs.jsonl", 42, 400), collection(folder / "other.jsonl", 43, 400)

    def built(name: str, *arguments) -> Path:
        path = folder / name
        done = c.run("lexicon", *arguments, "-o", path)
        c.check(f"lexicon: {name}", done.returncode == 0, done.stderr)
        return path

    def checksum(path: Path) -> str:
        return json.loads(c.run("lexicon", "show", path, "--format", "json").stdout)["checksum"]

    whole = built("whole", "build", docs, other, "-j", "1")
    parts = built("first", "build", docs), built("second", "build", other)
    made = [built("threads", "build", other, docs, "-j", "7"), built("memory", "build", docs, other, "--memory", "64KB"), built("merged", "merge", *parts)]
    for path in made:
        c.check(f"lexicon: {path.name} has the same bytes", path.read_bytes() == whole.read_bytes())

    frequencies: dict = {}
    for record in [json.loads(line) for path in (docs, other) for line in path.read_text(encoding="utf-8").splitlines()]:
        for term in {token for token, _ in check_run.words(check_run.normalised(record["text"], {"normalize": "nfc"}))}:
            frequencies[term] = frequencies.get(term, 0) + 1
    said = json.loads(c.run("lexicon", "show", whole, "--format", "json", "--count", "1000000").stdout)
    shown = {term["term"]: term["documents"] for term in said["shown"]}
    c.check("lexicon: document frequencies counted once more", shown == frequencies, f"{len(shown)} terms, {len(frequencies)} expected")

    method = ("--method", "imatch", "--verify", "none", "-q")
    out = c.out("lexicon used")
    done = c.run("cluster", docs, "-o", out, *method, "--lexicon", whole, "--lexicon-checksum", checksum(whole).upper())
    c.check("lexicon: the one asked for is taken", done.returncode == 0, done.stderr)
    c.check("lexicon: the summary has its checksum", summary_of(out)["settings"].get("lexicon_checksum") == checksum(whole))
    done = c.run("cluster", docs, "-o", c.out("lexicon refused"), *method, "--lexicon", parts[0], "--lexicon-checksum", checksum(whole))
    ok = done.returncode == 3 and checksum(whole) in done.stderr and checksum(parts[0]) in done.stderr
    c.check("lexicon: another one is refused", ok and not c.out("lexicon refused").exists(), done.stderr)
    done = c.run("plan", docs, *method, "--lexicon", parts[0], "--lexicon-checksum", checksum(whole))
    c.check("lexicon: a plan refuses another one, too", done.returncode == 3 and checksum(whole) in done.stderr and checksum(parts[0]) in done.stderr, done.stderr)
    out = c.out("lexicon counted")
    c.run("cluster", docs, "-o", out, *method)
    c.check("lexicon: that of the inputs is named, too", summary_of(out)["settings"].get("lexicon_checksum") == checksum(parts[0]))
    damaged = bytearray(whole.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    (folder / "damaged").write_bytes(damaged)
    done = c.run("lexicon", "show", folder / "damaged")
    c.check("lexicon: damage is noticed", done.returncode == 1 and "damaged" in done.stderr, done.stderr)

    (folder / "bad.jsonl").write_text(docs.read_text(encoding="utf-8") + "no json\n", encoding="utf-8")
    done = c.run("lexicon", "build", folder / "bad.jsonl", "-o", folder / "bad")
    c.check("lexicon: a bad record is left out", done.returncode == 0 and "bad.jsonl" in done.stderr and (folder / "bad").read_bytes() == parts[0].read_bytes(), done.stderr)
    done = c.run("lexicon", "build", folder / "bad.jsonl", "-o", folder / "strict", "--strict")
    c.check("lexicon: --strict stops", done.returncode == 3 and not (folder / "strict").exists(), done.stderr)
    for arguments, path in ((("build", docs), docs), (("build", folder), other), (("merge", *parts), parts[1])):
        before = path.read_bytes()
        done = c.run("lexicon", *arguments, "-o", path)
        ok = done.returncode == 2 and "would be overwritten; name another file with --output" in done.stderr
        c.check(f"lexicon: {arguments[0]} does not overwrite {path.name}", ok and path.read_bytes() == before, (done.returncode, done.stderr))
