"""Fields in objects, fields that are missing, skipped files, and ready-made feature sets."""
import json
import random
import re
import subprocess
import tarfile

from checks.harness import Checks, dict_table, summary_of
from checks.inputs import records


def nested_fields(c: Checks) -> None:
    """Fields in objects give what the same fields give at the top; fields that are nowhere are errors."""
    folder = c.work / "nested"
    folder.mkdir()
    rng = random.Random(41)
    made = [{**one, "id": f"d{at:04}", "score": rng.choice([at / 7, f"{at / 7}", f" {at} ", "none", None])} for at, one in enumerate(records(41, 400))]
    flat, deep = folder / "flat.jsonl", folder / "deep.jsonl"
    flat.write_text("".join(json.dumps(one) + "\n" for one in made))
    with open(deep, "w") as out:
        for one in made:
            # A literal name with dots takes precedence; what is in lists, and members that come twice, do not confuse.
            inner = {"meta": {"id": one["id"], "scores": {"quality": one["score"]}}, "doc": {"other": [{"text": "x"}], "text": one["text"]}, "text": 7}
            line = json.dumps(inner)
            if rng.random() < 0.3:
                line = json.dumps({"doc": {"text": "of the wrong object"}})[:-1] + ", " + line[1:]
            if rng.random() < 0.3:
                line = json.dumps({"doc.text": one["text"], **inner, "doc": {"text": "in the object"}})
            out.write(line + "\n")
    names = ("--text-field", "doc.text", "--id-field", "meta.id", "--keep", "max:meta.scores.quality")
    runs = {"flat": (flat, ("--keep", "max:score")), "deep": (deep, names), "deep 1": (deep, (*names, "-j", "1", "--memory", "1"))}
    kept = {}
    for name, (path, options) in runs.items():
        out = c.out(f"nested {name}")
        done = c.run("dedup", path, "-o", out, "-t", "0.7", "--tables", "tsv", "-q", *options)
        if c.check(f"nested fields, {name}: runs", done.returncode == 0, done.stderr):
            rows = [(row["removed_id"], row["kept_id"], row["rule"]) for row in dict_table(out / "ledger.tsv")]
            # Equal texts are identical whatever surrounds them.
            kept[name] = rows
    c.check("nested fields: the same decisions as at the top", len(kept) == 3 and kept["flat"] == kept["deep"] == kept["deep 1"] and len(kept["flat"]) > 20, {name: len(rows) for name, rows in kept.items()})

    done = c.run("dedup", deep, "-o", c.out("nested text is a number"))
    c.check("nested fields: a text of another type is a bad record", done.returncode == 1 and "not a string" in done.stderr, done.stderr)
    for options, words in (
        (("--text-field", "doc.txt"), ("`doc.txt`", "did you mean `doc.text`", "--text-field")),
        (("--text-field", "doc.text", "--url-field", "meta.link"), ("`meta.link`", "--url-field")),
        (("--text-field", "doc.text", "--id-field", "meta.ident"), ("`meta.ident`", "--id-field")),
        (("--text-field", "doc.text", "--keep", "max:meta.scores.q"), ("meta.scores.quality",)),
    ):
        out = c.out("nested missing")
        done = c.run("dedup", deep, "-o", out, *options)
        c.check(f"nested fields: {' '.join(options)} is an error", done.returncode == 2 and all(word in done.stderr for word in words) and not out.exists(), done.stderr)
    nowhere = folder / "nowhere.jsonl"
    nowhere.write_text('{"id":"a","Body":{"Text":"t"}}\n' * 3)
    done = c.run("dedup", nowhere, "-o", c.out("nested nowhere"))
    words = ("no record has the field `text` or `html`", "did you mean `Body.Text`", "--text-field")
    c.check("nested fields: no text in any record is an error", done.returncode == 2 and all(word in done.stderr for word in words), done.stderr)
    done = c.run("dedup", nowhere, flat, "-o", c.out("nested somewhere"), "-q")
    c.check("nested fields: text in one file of several is enough", done.returncode == 0 and summary_of(c.out("nested somewhere"))["problems"] == 3, done.stderr)

    lists = folder / "lists.jsonl"
    lists.write_text("".join(json.dumps({"id": one["id"], "text": one["text"].split(" ")}) + "\n" for one in made))
    outs = {}
    for name, path, options in (("plain", flat, ()), ("joined", lists, ("--join-lists", " "))):
        out = c.out(f"lists {name}")
        done = c.run("cluster", path, "-o", out, "--tables", "tsv", "-q", *options)
        c.check(f"lists of strings, {name}: runs", done.returncode == 0, done.stderr)
        outs[name] = [(row["a_id"], row["b_id"]) for row in dict_table(out / "pairs.tsv")]
    c.check("lists of strings are joined", outs["plain"] == outs["joined"] and outs["plain"], len(outs["joined"]))
    done = c.run("cluster", lists, "-o", c.out("lists refused"))
    c.check("lists of strings are no text unless asked for", done.returncode == 1 and "--join-lists" in done.stderr, done.stderr)


def mostly_skipped(c: Checks) -> None:
    """Skipped files are counted by extension and named, and stop a strict run."""
    folder, out = c.work / "skipped", c.out("skipped")
    (folder / "more").mkdir(parents=True)
    (folder / "docs.jsonl").write_text('{"id":"a","text":"one fish two fish"}\n{"id":"b","tex\n')
    for number, end in enumerate([".pdf"] * 7 + [".XYZ"] * 3 + ["", ".a", ".b", ".c", ".d"]):
        (folder / "more" / f"f{number:02}{end}").write_text("x")
    done = c.run("dedup", folder, "-o", out, "--tables", "tsv")
    warning = "Warning: Skipped 15 files of unsupported formats: 7 .pdf, 3 .xyz, 1 .a, 1 .b, 1 .c, 2 others."
    c.check("skipped files: the warning has the extensions", done.returncode == 0 and warning in done.stdout, done.stdout + done.stderr)
    headline = re.search(r"^ documents +1; 15 of the 16 files in .*skipped were skipped$", done.stdout, re.M)
    c.check("skipped files: the headline says that most were skipped", bool(headline), done.stdout)
    summary = summary_of(out)
    said = (summary.get("skipped_files"), summary.get("problems"), summary.get("skipped_kinds", {}).get(".pdf"), summary.get("mostly_skipped"))
    c.check("skipped files: the summary has them", said == (15, 1, 7, [{"input": str(folder), "skipped": 15, "read": 1}]), said)
    rows = dict_table(out / "problems.tsv")
    skipped = [row for row in rows if row["message"].startswith("skipped: ")]
    c.check("skipped files: problems names each, behind the bad records", len(rows) == 16 and len(skipped) == 15 and rows[1:] == skipped and "pdftotext" in skipped[0]["message"], rows[:3])
    page = (out / "report.html").read_text(encoding="utf-8")
    c.check("skipped files: the report says so", "15 of the 16 files" in re.search(r"<h1>(.*?)</h1>", page)[1] and "7 .pdf" in page, re.search(r"<h1>(.*?)</h1>", page)[1])
    strict = c.out("skipped strict")
    (folder / "docs.jsonl").write_text('{"id":"a","text":"one fish two fish"}\n')
    done = c.run("dedup", folder, "-o", strict, "--strict")
    c.check("skipped files: a strict run stops", done.returncode == 3 and "skipped" in done.stderr and "15 files" in done.stderr and not strict.exists(), done.stderr)
    done = c.run("dedup", folder / "docs.jsonl", "-o", strict, "--strict", "-q")
    c.check("skipped files: without any, a strict run goes on", done.returncode == 0 and not (strict / "problems.parquet").exists(), done.stderr)
    of_arguments(c)


def of_arguments(c: Checks) -> None:
    """Directories, patterns and archives of which more files were skipped than read, each file once for each argument."""
    folder = c.work / "skipped arguments"
    places = {"few": (5, 2), "most": (1, 4), "most/deep": (0, 3), "even": (2, 2), "other": (9, 0)}
    for place, (read, skipped) in places.items():
        (folder / place).mkdir(parents=True)
        for number in range(read + skipped):
            path = folder / place / f"{number}.{'txt' if number < read else 'pdf'}"
            path.write_text(f"the text {number} of {place}")
    # A link to a file of the directory, which is reached twice and counts once.
    (folder / "most/link.txt").symlink_to("0.txt")
    for name, read, skipped in (("a.tar", 3, 2), ("b.tar", 1, 5)):
        with tarfile.open(folder / name, "w") as tar:
            for number in range(read + skipped):
                tar.add(folder / "few/0.txt", f"m/{number}.{'txt' if number < read else 'pdf'}")
    for label, arguments, against, wanted in (
        ("directories", ["few", "most", "even", "other"], None, {"most": (7, 1)}),
        ("one within another", ["most", "most/deep", "most", "most/../most"], None, {"most": (7, 1), "most/deep": (3, 0), "most/../most": (7, 1)}),
        ("patterns", ["[emo]*", "most/*", "most/**", "most/**/*", "*/0.txt", "few/*.pdf"], None, {"most/*": (7, 1), "most/**": (3, 0), "most/**/*": (7, 1), "few/*.pdf": (2, 0)}),
        ("archives", ["a.tar", "b.tar", "*.tar"], None, {"b.tar": (5, 1), "*.tar": (7, 4)}),
        ("files", ["few/0.txt", "few/1.txt"], None, {}),
        ("everything", ["."], None, {}),
        ("also those of --against", ["other"], "most", {"most": (7, 1)}),
    ):
        out = c.out(f"skipped arguments {label}")
        more = ("--against", against) if against else ()
        done = c.run("dedup", *arguments, "-o", out, "-q", "--max-loss", "100%", *more, cwd=folder)
        found = {one["input"]: (one["skipped"], one["read"]) for one in summary_of(out).get("mostly_skipped", [])}
        c.check(f"skipped files: {label}", done.returncode == 0 and found == wanted, (found, done.stderr))
    with open(folder / "b.tar", "rb") as archive:
        out = c.out("skipped arguments stdin")
        command = [str(part) for part in (c.binary, "dedup", "-", "-o", out, "-q", "--max-loss", "100%")]
        done = subprocess.run(command, stdin=archive, capture_output=True, text=True)
        c.check("skipped files: of an archive on standard input", summary_of(out).get("mostly_skipped") == [{"input": "-", "skipped": 5, "read": 1}], done.stderr)


def shares(a: set, b: set, measure: str) -> float:
    common = len(a & b)
    if measure == "containment":
        return common / min(len(a), len(b))
    return common / len(a | b) if measure == "resemblance" else common / (len(a) * len(b)) ** 0.5


def feature_sets(c: Checks) -> None:
    """Ready-made feature sets, against all pairs of sets."""
    folder = c.work / "feature sets"
    folder.mkdir()
    rng = random.Random(97)
    bases = [rng.sample(range(5000), rng.randint(1, 40)) for _ in range(30)]
    documents = {}
    for number in range(260):
        features = list(rng.choice(bases))
        for _ in range(rng.randint(0, 4)):
            features[rng.randrange(len(features))] = rng.randrange(5000)
        rng.shuffle(features)
        features += rng.choices(features, k=rng.randint(0, 3))
        # Integers and their digits are one feature; strings are compared as they are.
        documents[f"d{number:03}"] = [rng.choice([int, str])(feature) if feature % 3 else f" Word {feature}\n" for feature in features]
    documents["empty"] = documents["empty too"] = []
    path = folder / "a.jsonl"
    lines = [json.dumps({"id": name, "audio": {"prints": features}, "text": "one text for all"}) for name, features in documents.items()]
    bad = ['{"id":"x"}', '{"id":"x","audio":{"prints":null}}', '{"id":"x","audio":{"prints":[1.5]}}', '{"id":"x","audio":{"prints":"7"}}', '{"id":"x","audio":{"prints":[null]}}']
    path.write_text("\n".join(lines + bad) + "\n")
    sets = {name: {str(feature) for feature in features} for name, features in documents.items() if features}
    names = sorted(sets)
    field = ("--features-field", "audio.prints", "--tables", "tsv", "-q")
    for measure in ("resemblance", "containment", "cosine"):
        for threshold in ("0.5", "0.8", "1"):
            out = c.out(f"features {measure} {threshold}")
            done = c.run("cluster", path, "-o", out, "--measure", measure, "-t", threshold, *field)
            if not c.check(f"feature sets, {measure} {threshold}: runs", done.returncode == 0, done.stderr):
                continue
            found = {frozenset((row["a_id"], row["b_id"])) for row in dict_table(out / "pairs.tsv")}
            least = float(threshold) - 1e-12
            true = {frozenset((a, b)) for at, a in enumerate(names) for b in names[at + 1:] if shares(sets[a], sets[b], measure) >= least}
            c.check(f"feature sets, {measure} {threshold}: the pairs of brute force", found == true and len(true) > 10, f"{len(found)} {len(true)} {sorted(map(sorted, found ^ true))[:5]}")
            summary = summary_of(out)
            c.check(f"feature sets, {measure} {threshold}: bad records are counted", (summary["problems"], summary["documents"]) == (len(bad), len(documents)), summary["problems"])
    run = c.out("features resemblance 0.5")
    again = c.out("features reclustered")
    done = c.run("recluster", run, "-t", "0.8", "-o", again, "--tables", "tsv", "-q")
    same = done.returncode == 0 and (again / "pairs.tsv").read_bytes() == (c.out("features resemblance 0.8") / "pairs.tsv").read_bytes()
    c.check("feature sets: recluster", same, done.stderr)
    trees = {}
    for name, options in {"all": (), "one thread": ("-j", "1"), "disk": ("--memory", "1"), "minhash": ("--method", "minhash-lsh:w=1,t=0.5")}.items():
        out = c.out(f"features dedup {name}")
        done = c.run("dedup", path, "-o", out, "-t", "0.8", *field, *options)
        if c.check(f"feature sets, dedup {name}: runs", done.returncode == 0, done.stderr):
            trees[name] = {one: (out / one).read_bytes() for one in ("ledger.tsv", "kept.jsonl", "removed.jsonl", "rejected.jsonl")}
            kept = [json.loads(line)["id"] for line in trees[name]["kept.jsonl"].splitlines()]
            rows = dict_table(out / "ledger.tsv")
            good = all(shares(sets[row["removed_id"]], sets[row["kept_id"]], "resemblance") >= 0.8 and row["kept_id"] in kept for row in rows)
            c.check(f"feature sets, dedup {name}: each removal is proved", good and len(rows) > 50 and len(kept) + len(rows) == len(documents), len(rows))
    c.check("feature sets: the same bytes", trees.get("all") and trees["all"] == trees.get("one thread") == trees.get("disk"))
    a, b = "d000", max((name for name in names if name != "d000"), key=lambda name: shares(sets["d000"], sets[name], "resemblance"))
    done = c.run("explain", a, b, "--run", run, "--format", "json")
    if c.check("feature sets: explain runs", done.returncode == 0, done.stderr):
        said = done.stdout
        numbers = {key: len(value) for key, value in {"size_a": sets[a], "size_b": sets[b], "shared": sets[a] & sets[b]}.items()}
        c.check("feature sets: explain has the counts", all(re.search(rf'"{key}": {value}\b', said) for key, value in numbers.items()), said[:600])
    for options, word in (
        (("--shingle", "3"), "--shingle"), (("--normalize", "nfkc"), "--normalize"), (("--method", "minhash-lsh"), "w=1"),
        (("--method", "imatch"), "--features-field"), (("--join-lists", " "), "--join-lists"),
    ):
        done = c.run("dedup", path, "-o", c.out("features refused"), *field, *options)
        c.check(f"feature sets: {' '.join(options)} is refused", done.returncode == 2 and word in done.stderr, done.stderr)
    (folder / "b.txt").write_text("a text")
    done = c.run("dedup", folder, "-o", c.out("features of text"), *field)
    c.check("feature sets: files without lists are refused", done.returncode == 2 and "b.txt" in done.stderr, done.stderr)
