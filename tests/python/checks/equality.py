"""Which documents are equal: ignorable characters, originals, few features, term filters."""
import gzip
import json
import random
from pathlib import Path

from checks.harness import Checks, ledger_of, summary_of, tree_of
from checks.inputs import collection, texts, write_jsonl

# One or two of each range of Default_Ignorable_Code_Point.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u202a\u202e\u2060\u2066\u206f\u3164"
    "\ufe00\ufe0f\ufeff\uffa0\ufff0\U0001bca0\U0001d173\U000e0001\U000e0061\U000e01ef"
)


def ignorable(c: Checks) -> None:
    """Default-ignorable characters neither separate nor change words, in every normalisation."""
    rng = random.Random(77)
    plain = [f"{text} {at}x end of text" for at, text in enumerate(texts(78, 60))]
    plain += ["漢字と言葉を分ける文章です", "한국어 문장 하나", "क्षेत्र में नमस्ते", "emoji 👩🚀 family and ❤ heart", "cafe\u0301 te\u0301 Σίσυφος ΑΣ"]

    def planted(text: str) -> str:
        places = {rng.randrange(1, len(text)) for _ in range(1 + len(text) // 8)}
        return "".join((rng.choice(IGNORABLE) if at in places else "") + one for at, one in enumerate(text))

    made = [{"id": f"a{at}", "text": text} for at, text in enumerate(plain)]
    made += [{"id": f"b{at}", "text": planted(text)} for at, text in enumerate(plain)]
    docs = write_jsonl(c.work / "ignorable.jsonl", made)
    runs = {}
    for normalize in ("none", "nfc", "nfkc"):
        for name, options in {
            "words": ("--shingle", "3"), "characters": ("--shingle-unit", "char", "--shingle", "7"),
            "terms": ("--measure", "cosine", "--min-features", "1"),
        }.items():
            runs[f"ignorable {normalize} {name}"] = ("--normalize", normalize, *options)
    c.all_checked([(name, "dedup", [docs], options) for name, options in runs.items()])
    # Words under a method's own term filter, too: a soft hyphen is not a special character.
    out = c.out("ignorable method")
    done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "--method", "imatch:terms=nosc", "--verify", "none")
    c.check("ignorable: a method with a term filter runs", done.returncode == 0, done.stderr)
    for name in [*runs, "ignorable method"]:
        ledger = ledger_of(c.out(name))
        # Both have the same words, so one document represents both, or one of them the other.
        kept = {one["id"]: ledger.get(one["id"], {"kept": one["id"]})["kept"] for one in made}
        wrong = [f"b{at}" for at, text in enumerate(plain) if kept[f"b{at}"] != kept[f"a{at}"]]
        c.check(f"{name}: a planted copy goes where its original goes", not wrong, wrong[:5])


def originals(c: Checks) -> None:
    """Identical means the same original; the same words from another original are lexically equivalent."""
    folder = c.work / "originals"
    folder.mkdir()
    page = "<html><head><title>T</title></head><body><p>{}</p></body></html>"
    body = "the quick brown fox jumps over the lazy dog and runs on"
    for name, content in {
        "a.html": page.format(body).encode(), "b.html": page.format(body).encode(),
        "c.html": page.format(f"<b>{body}</b>").encode(),
        "d.html": page.format(body).encode("utf-16-le").join([b"\xff\xfe", b""]),
    }.items():
        (folder / name).write_bytes(content)
    records_of = [{"id": "e", "html": page.format(body)}, {"id": "f", "html": page.format(body)}, {"id": "g", "html": page.format(body) + "\n"}]
    write_jsonl(folder / "pages.jsonl", records_of)
    out = c.out("originals html")
    done = c.run("dedup", folder, "-o", out, "--tables", "tsv", "-q")
    rules = {Path(name).name: (Path(row["kept"]).name, row["rule"]) for name, row in ledger_of(out).items()} if done.returncode == 0 else done.stderr
    lexical = ("a.html", "lexically_equivalent")
    # Each is held against the kept one: e and f are no HTML file, whatever they have in common with each other.
    expected = {"b.html": ("a.html", "identical"), **{name: lexical for name in ("c.html", "d.html", "e", "f", "g")}}
    c.check("HTML: the bytes as given decide what is identical", rules == expected, rules)
    out = c.out("originals records")
    done = c.run("dedup", folder / "pages.jsonl", "-o", out, "--tables", "tsv", "-q")
    rules = {name: row["rule"] for name, row in ledger_of(out).items()} if done.returncode == 0 else done.stderr
    c.check("HTML fields: the value as given decides", rules == {"f": "identical", "g": "lexically_equivalent"}, rules)
    report = (out / "report.html").read_text(encoding="utf-8")
    c.check("HTML fields: the report shows their text", body[:20] in report)
    plain = c.work / "plain"
    plain.mkdir()
    text = "zwei Füße laufen über die Straße und kommen nie wieder zurück"
    for name, content in {
        "a.txt": text.encode(), "b.txt": text.encode(), "c.txt": b"\xef\xbb\xbf" + text.encode(),
        "d.txt": b"\xff\xfe" + text.encode("utf-16-le"), "e.txt.gz": gzip.compress(text.encode(), mtime=0), "f.txt": text.encode() + b"\n",
    }.items():
        (plain / name).write_bytes(content)
    write_jsonl(plain / "g.jsonl", [{"id": "g", "text": text}])
    c.checked("originals text", "dedup", [plain])
    rules = {Path(name).name: row["rule"] for name, row in ledger_of(c.out("originals text")).items()}
    lexical = dict.fromkeys(("c.txt", "d.txt", "f.txt"), "lexically_equivalent")
    c.check("text: the bytes of the file decide", rules == {**dict.fromkeys(("b.txt", "e.txt.gz", "g"), "identical"), **lexical}, rules)


def few_features(c: Checks) -> None:
    """A term filter is no part of lexical equivalence; documents with few features are compared with none."""
    texts_of = {
        "en": "we can use Python to do it now", "zh": "我们 可以 用 Python 写", "fr": "on a dit Python et oui",
        "en2": "We can use Python, to do it now!", "en3": "we can use Python to do it now", "none": "we can do it", "none2": "we can do it",
    }
    made = [{"id": name, "text": text} for name, text in texts_of.items()]
    long = "several different words with enough characters each stand together within this sentence about nothing special"
    made += [{"id": f"l{at}", "text": long + " again" * (at > 1) + " so" * (at == 2)} for at in range(3)]
    docs = write_jsonl(c.work / "few.jsonl", made)
    words = ("--measure", "cosine", "--terms", "kolcz", "--threshold", "0.9")
    many = collection(c.work / "many.jsonl", 61, 600)
    runs = [("few", "dedup", [docs], words), ("few compared", "dedup", [docs], (*words, "--min-features", "1"))]
    for least in (1, 5, 10, 40):
        runs += [(f"{verb} terms {least}", verb, [many], ("--measure", "cosine", "--terms", "all", "--min-features", least)) for verb in ("dedup", "cluster")]
        for measure in ("resemblance", "containment"):
            runs.append((f"{measure} of {least}", "dedup", [many], ("--measure", measure, "-t", "0.6", "--min-features", least)))
    runs += [
        ("few, components", "dedup", [many], ("--linkage", "components", "-t", "0.5", "--min-features", "20")),
        ("few, on disk", "dedup", [many], ("--memory", "1MB", "--min-features", "20", "--measure", "containment")),
        ("few, short ones", "dedup", [many], ("--short-documents", "ignore", "--min-features", "3")),
        ("few, marked", "dedup", [many], ("--mark", "--min-features", "20"), {"checker": ["--mark"]}),
    ]
    c.all_checked(runs)
    rules = {name: row["rule"] for name, row in ledger_of(c.out("few")).items()}
    same = {"en2": "lexically_equivalent", "en3": "identical"}
    c.check("documents with few terms are left to those of the same words", rules == {**same, "none2": "identical", "l1": "identical", "l2": "near"}, rules)
    summary = summary_of(c.out("few"))
    said = " ".join(summary["warnings"])
    c.check("they are counted, and warned of", summary["without_features"].get("few_features") == 7 and "7 documents" in said and "the setting min_features" in said, summary)
    c.check("the setting is recorded", summary["settings"]["min_features"] == 10 == summary["settings"]["job"]["settings"]["min_features"], summary["settings"])
    rules = {name: row["rule"] for name, row in ledger_of(c.out("few compared")).items()}
    other = {"zh": "feature_equivalent", "fr": "feature_equivalent"}
    c.check("other words with the same terms are feature-equivalent at most", rules == {**same, **other, "none2": "identical", "l1": "identical", "l2": "near"}, rules)
    summary = summary_of(c.out("few compared"))
    c.check("documents compared by few terms are warned of", summary.get("few_terms") == {"fewer_than": 10, "documents": 7} and "the setting min_features=10" in " ".join(summary["warnings"]), summary["warnings"])
    page = (c.out("few") / "report.html").read_text(encoding="utf-8")
    c.check("the report warns as well", "fewer than 10 terms" in page)
    done = c.run("explain", "en", "zh", "--run", c.out("few"))
    c.check("explain names the setting min_features", done.returncode == 0 and "the setting min_features" in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("few none"), "--min-features", "0")
    c.check("--min-features 0 is refused", done.returncode == 2, done.stderr)
    # What is left out is left out by every method and every judge; the runs agree on any number of threads.
    few = {name for name in texts_of} - {"none", "none2"}
    for method in ("imatch", "minhash-lsh", "simhash", "dsc"):
        for verify in ("exact", "sketch", "none"):
            trees = []
            for threads in (1, 4):
                out = c.out(f"few {method} {verify} {threads}")
                done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, "--method", method, "--verify", verify, *words)
                if not c.check(f"few: {method} {verify} runs", done.returncode == 0, done.stderr):
                    break
                trees.append(tree_of(out))
                rules = {name: row["rule"] for name, row in ledger_of(out).items() if name in few}
                c.check(f"few: {method} {verify}: only the same words", rules == same, rules)
            c.check(f"few: {method} {verify}: the same bytes", len(trees) == 2 and trees[0] == trees[1])
    # The tables of a run with --min-features say what a fresh run would, at another threshold.
    low, again, fresh = c.out("few low"), c.out("few again"), c.out("few fresh")
    options = ("--tables", "tsv", "-q")
    terms = ("--measure", "cosine", "--min-features", "12")
    c.run("cluster", many, "-o", low, *options, *terms, "-t", "0.5")
    done = c.run("recluster", low, "-o", again, *options, "-t", "0.8")
    c.run("cluster", many, "-o", fresh, *options, *terms, "-t", "0.8")
    same_tables = done.returncode == 0 and all((again / name).read_bytes() == (fresh / name).read_bytes() for name in ("pairs.tsv", "clusters.tsv", "documents.tsv"))
    c.check("few: recluster gives the tables of a fresh run", same_tables, done.stderr)
    # evaluate: the exact join finds all of the truth, and what is left out is in no pair of any method.
    for sample in ((), ("--sample", "200")):
        out = c.out(f"few evaluate {len(sample)}")
        done = c.run("evaluate", many, "-o", out, "--tables", "tsv", "--format", "json", *terms, *sample, "--methods", "exact", "imatch@none", "minhash-lsh@exact")
        found = json.loads(done.stdout)["methods"] if done.returncode == 0 else []
        c.check("few: evaluate counts what is left out, alike for all methods", done.returncode == 0 and found[0]["recall"] == 1.0 and found[0]["precision"] == 1.0 and len({one["ignored"]["few_features"] for one in found}) == 1 and found[0]["ignored"]["few_features"] > 10, done.stderr or found)
    done = c.run("plan", many, "--format", "json", *terms)
    planned = json.loads(done.stdout) if done.returncode == 0 else {}
    c.run("dedup", many, "-o", c.out("few planned"), *options, *terms)
    went = sum(summary_of(c.out("few planned"))["removed"].values())
    c.check("few: plan of the whole foretells the run", planned and planned["removed"]["expected"] == went and planned["settings"]["min_features"] == 12, done.stderr or (planned.get("removed"), went))


def not_every_word_counts(c: Checks) -> None:
    """A term filter made for one script says so where it leaves nothing of another."""
    docs = write_jsonl(c.work / "han.jsonl", [{"id": at, "text": text} for at, text in enumerate((
        "我们 在 学习 中文", "今天天气很好", "ภาษาไทย ง่าย", "a text with several longer words",
    ))])
    for terms, warned in (("kolcz", True), ("all", False)):
        done = c.run("dedup", docs, "-o", c.out(f"han {terms}"), "--measure", "cosine", "--terms", terms)
        said = "--terms=all" in done.stdout and "fewer than 10 terms" in done.stdout
        c.check(f"--terms {terms}: documents without terms are explained", done.returncode == 0 and said == warned, done.stdout + done.stderr)
