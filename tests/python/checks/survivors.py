"""Which documents of a cluster survive (--keep prefer, --keep-n, --drop-all, --contained-only), and guards."""
import json
import random
from pathlib import Path
from xml.etree import ElementTree

from checks.harness import Checks, dict_table, left_behind, summary_of, tree_of
from checks.inputs import family, records, write_jsonl

SOURCES = ("wiki", "books", "web", "a|b", 'say "so", (really)', 5, 5.0, True, None, ["wiki"])


def with_sources(made: list, seed: int) -> list:
    """The records with a field `source` of every kind of value; some lack it."""
    rng = random.Random(seed)
    return [{**one, "source": rng.choice(SOURCES)} if rng.random() < 0.9 else one for one in made]


def survivors(c: Checks) -> None:
    """Every rule, recomputed from the texts by check_run.py; the same bytes in any circumstances; what is refused."""
    folder = c.work / "survivors"
    folder.mkdir()
    made = with_sources(records(91, 900), 91)
    docs = write_jsonl(folder / "docs.jsonl", made)
    old, new = write_jsonl(folder / "old.jsonl", made[:400]), write_jsonl(folder / "new.jsonl", made[400:])
    versions = write_jsonl(folder / "versions.jsonl", with_sources(family(92, 900, 14), 92))
    csv = folder / "docs.csv"
    csv.write_text("id,text,source\n" + "".join(
        f'{at},{"one two three four five six " + str(at % 7)},{source}\n' for at, source in enumerate(["web", "wiki", "", "5", "5.0"] * 9)
    ), encoding="utf-8")
    odd = 'prefer(source="a|b"|"say \\"so\\", (really)"|true)'
    other = {"checker": ["--against", old]}
    c.all_checked([
        ("prefer", "dedup", [docs], ("--keep", "prefer(source=wiki),longest", "-t", "0.5")),
        ("prefer several", "dedup", [docs], ("--keep", "prefer(source=books|wiki|5)", "--keep", "shortest", "-t", "0.5")),
        ("prefer odd values", "dedup", [docs], ("--keep", f"{odd}, max:score", "-t", "0.5")),
        ("prefer contained", "dedup", [docs], ("--keep", "prefer(source=web)", "--measure", "containment", "-t", "0.8")),
        ("prefer components", "dedup", [docs], ("--keep", "prefer(source=wiki),first", "--linkage", "components", "-t", "0.5")),
        ("prefer against", "dedup", [new], ("--keep", "prefer(source=wiki)", "-t", "0.5", "--against", old), other),
        ("last", "dedup", [old, new], ("--keep", "last", "-t", "0.5")),
        ("last by components", "dedup", [docs], ("--keep", "prefer(source=wiki),last,longest", "--linkage", "components", "-t", "0.5")),
        ("last contained", "dedup", [versions], ("--keep", "last", "--measure", "containment", "-t", "0.8", "--keep-n", "2")),
        ("last against", "dedup", [new], ("--keep", "last", "-t", "0.5", "--against", old), other),
        ("prefer csv", "dedup", [csv], ("--keep", "prefer(source=wiki|5)", "-t", "0.3")),
        ("prefer listed", "cluster", [docs], ("--keep", "prefer(source=wiki|books)", "-t", "0.4", "--linkage", "leaders")),
        ("keep 2", "dedup", [docs], ("--keep-n", "2", "-t", "0.5")),
        ("keep 3 longest", "dedup", [versions], ("--keep-n", "3", "--keep", "prefer(source=wiki),longest", "-t", "0.7")),
        ("keep 3 components", "dedup", [docs], ("--keep-n", "3", "--linkage", "components", "-t", "0.5", "--keep", "longest")),
        ("keep 2 contained", "dedup", [docs], ("--keep-n", "2", "--measure", "containment", "-t", "0.8", "--keep", "max:score")),
        ("keep 2 against", "dedup", [new], ("--keep-n", "2", "-t", "0.5", "--against", old), other),
        ("keep 2 against only", "dedup", [new], ("--keep-n", "2", "-t", "0.5", "--against", old, "--against-only"), other),
        ("keep 1", "dedup", [docs], ("--keep-n", "1", "-t", "0.5")),
        ("drop all", "dedup", [docs], ("--drop-all", "-t", "0.5")),
        ("drop all versions", "dedup", [versions], ("--drop-all", "-t", "0.8", "--witness", "best")),
        ("drop all components", "dedup", [docs], ("--drop-all", "--linkage", "components", "-t", "0.5")),
        ("drop all contained", "dedup", [docs], ("--drop-all", "--measure", "containment", "-t", "0.8")),
        ("drop all against", "dedup", [new], ("--drop-all", "-t", "0.5", "--against", old), other),
        ("contained only", "dedup", [docs], ("--contained-only", "0.95", "-t", "0.5")),
        ("contained only whole", "dedup", [docs], ("--contained-only", "1", "-t", "0.3", "--keep", "longest")),
        ("contained only versions", "dedup", [versions], ("--contained-only", "0.9", "-t", "0.6")),
        ("contained only best", "dedup", [versions], ("--contained-only", "0.9", "-t", "0.6", "--witness", "best", "--keep", "longest")),
        ("contained only cosine", "dedup", [docs], ("--contained-only", "0.9", "--measure", "cosine", "-t", "0.8")),
        ("contained only against", "dedup", [new], ("--contained-only", "0.9", "-t", "0.5", "--against", old), other),
        ("contained only listed", "cluster", [versions], ("--contained-only", "0.9", "-t", "0.6", "--linkage", "leaders")),
        ("everything", "dedup", [versions], ("--contained-only", "0.85", "-t", "0.6", "--keep-n", "2", "--keep", "prefer(source=wiki|web),longest", "--memory", "1")),
    ])
    gone = {name: {row["removed_id"] for row in dict_table(c.out(name) / "ledger.tsv")} for name in ("keep 1", "keep 2", "drop all")}
    c.check("survivors: each rule removes something else", gone["keep 2"] < gone["keep 1"] < gone["drop all"], {k: len(v) for k, v in gone.items()})
    c.check("survivors: keep 1 is the default", "keep_n" not in summary_of(c.out("keep 1"))["settings"])
    rules = [row["rule"] for row in dict_table(c.out("drop all") / "ledger.tsv")]
    c.check("survivors: dropped leaders have a rule", rules.count("dropped") == summary_of(c.out("drop all"))["removed"]["dropped"] > 10)
    kept = [json.loads(line) for line in (c.out("prefer") / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    c.check("survivors: prefer keeps what it prefers", sum(one.get("source") == "wiki" for one in kept) > 50)

    parts = [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 180:at * 180 + 180]) for at in range(5)]
    for name, options in (("prefer", ("--keep", "prefer(source=wiki),longest")), ("keep 2", ("--keep-n", "2")), ("drop", ("--drop-all",)), ("contained", ("--contained-only", "0.9"))):
        trees = []
        for at, (inputs, *more) in enumerate(((parts, "-j", "1"), (parts, "-j", "7"), (parts[::-1], "-j", "2"), (parts, "--memory", "1"))):
            out = c.out(f"survivors {name} same {at}")
            done = c.run("dedup", *inputs, "-o", out, "--tables", "tsv", "-q", "-t", "0.5", *options, *more)
            c.check(f"survivors {name}: runs with {more}", done.returncode == 0, done.stderr)
            trees.append(tree_of(out))
        c.check(f"survivors {name}: the same bytes on any threads, in any order and memory", all(tree == trees[0] for tree in trees))

    # Documents of an index instead of files.
    index = folder / "old.index"
    done = [c.run("index", "create", index, "-t", "0.5", "--keep", "prefer(source=wiki)"), c.run("index", "add", index, old, "-q")]
    c.check("survivors: an index has rules that prefer", all(one.returncode == 0 for one in done), done[-1].stderr)
    for at, options in enumerate((("--keep-n", "2"), ("--drop-all",), ("--contained-only", "0.9"), ())):
        options = (*options, "--keep", "prefer(source=wiki)", "-t", "0.5")
        rows = []
        for by, against in (("files", old), ("index", index)):
            out = c.out(f"survivors against {by} {at}")
            done = c.run("dedup", new, "--against", against, "-o", out, "-q", "--tables", "tsv", *options)
            c.check(f"survivors: against {by} {options[0]} runs", done.returncode == 0, done.stderr)
            rows.append([(row["removed_id"], row["removed_record"], row["kept_id"], row["rule"], row["shared"]) for row in dict_table(out / "ledger.tsv")])
        c.check(f"survivors: {options[0]} against an index as against its files", rows[0] == rows[1] != [])

    low = c.out("contained only listed")
    for at, (t, options, fresh) in enumerate((
        ("0.7", (), ("--contained-only", "0.9")), ("0.6", ("--contained-only", "0.97"), ("--contained-only", "0.97")),
        ("0.8", ("--linkage", "components"), ("--linkage", "components")),
    )):
        again, direct = c.out(f"contained again {at}"), c.out(f"contained direct {at}")
        linkage = () if "--linkage" in fresh else ("--linkage", "leaders")
        done = [c.run("recluster", low, "-t", t, "-o", again, "-q", "--tables", "tsv", *options),
                c.run("cluster", versions, "-t", t, "-o", direct, "-q", "--tables", "tsv", *fresh, *linkage)]
        if c.check(f"contained: recluster {options} runs", all(one.returncode == 0 for one in done), done[0].stderr + done[1].stderr):
            named = [[(row["id"], row["leader_id"], row["cluster"]) for row in dict_table(out / "clusters.tsv")] for out in (again, direct)]
            c.check(f"contained: recluster {options} gives the clusters of a run", named[0] == named[1] != [])

    never = folder / "never"
    for arguments, wanted in (
        (("dedup", docs, "--keep", "prefer(source=nowhere)"), "no document has the value `nowhere` in the field `source`"),
        (("dedup", docs, "--keep", "prefer(origin=wiki)"), "in the field `origin`"),
        (("dedup", docs, "--keep", "prefer(source=wiki"), "is not a rule"),
        (("dedup", docs, "--keep", "prefer(source=)"), "is not a rule"),
        (("dedup", docs, "--keep-n", "0"), "0 is not in"),
        (("dedup", docs, "--keep-n", "2", "--drop-all"), "cannot be used with"),
        (("cluster", docs, "--keep-n", "2"), "unexpected argument"),
        (("dedup", docs, "--contained-only", "1.5"), "contained-only"),
        (("dedup", docs, "--contained-only", "0.9", "--linkage", "components"), "--linkage=leaders"),
        (("cluster", docs, "--contained-only", "0.9", "--linkage", "components"), "--linkage=leaders"),
        (("dedup", docs, "--contained-only", "0.9", "--method", "minhash-lsh", "--verify", "sketch"), "--verify=exact"),
        (("dedup", docs, "--max-loss", "3"), "not a share"),
        (("dedup", docs, "--max-cluster", "0%"), "not a size of a cluster"),
    ):
        done = c.run(*arguments, "-o", never)
        c.check(f"survivors: refused: {arguments[2:]}", done.returncode == 2 and wanted in done.stderr and not never.exists(), f"exit {done.returncode}: {done.stderr}")


def guards(c: Checks) -> None:
    """A run that would remove too much, or that has a giant cluster, stops with exit code 3 and writes nothing."""
    folder = c.work / "guards"
    folder.mkdir()
    rng = random.Random(93)
    copies = lambda n, name, of: [{"id": f"{name}{at}", "text": f"the same text of {of} in every record"} for at in range(n)]
    alone = lambda n, name: [{"id": f"{name}{at}", "text": " ".join(str(rng.random()) for _ in range(20))} for at in range(n)]
    half = write_jsonl(folder / "half.jsonl", alone(150, "x") + copies(151, "y", "half"))
    small = write_jsonl(folder / "small.jsonl", copies(50, "s", "small"))
    clean = write_jsonl(folder / "clean.jsonl", alone(600, "z"))
    inputs = (half, small, clean)

    def stops(name: str, inputs: tuple, options: tuple, wanted) -> None:
        out = c.out(f"guard {name}")
        done = c.run("dedup", *inputs, "-o", out, "-q", "--tables", "tsv", *options)
        if wanted is None:
            c.check(f"guards: {name} does not stop", done.returncode == 0 and (out / "summary.json").exists(), done.stderr)
        else:
            c.check(f"guards: {name} stops", done.returncode == 3 and not out.exists() and not left_behind(out.parent)
                    and all(part in done.stderr for part in wanted), f"exit {done.returncode}: {done.stderr}")

    # 150 + 49 of 951 go: 20.9 %; of half.jsonl 150 of 301, 49.8 %; of small.jsonl 49 of 50, but it is small.
    stops("all", inputs, ("--max-loss", "20%"), ("199 of 951", "--max-loss=20%", "--ignore-common", "cluster"))
    stops("all below", inputs, ("--max-loss", "49.9%"), None)
    stops("an input", inputs, ("--max-loss", "49.8%"), ("150 of 301", "half.jsonl"))
    stops("an input, as a ratio", inputs, ("--max-loss", "0.4"), ("150 of 301", "half.jsonl"))
    stops("everything is allowed", inputs, ("--max-loss", "100%"), None)
    stops("a cluster", inputs, ("--max-cluster", "150"), ("151 of 951", "`y0`", "half.jsonl:151"))
    stops("a cluster as large", inputs, ("--max-cluster", "151"), None)
    stops("a share", inputs, ("--max-cluster", "15.8%"), ("151 of 951", "--max-cluster=15.8%"))
    stops("a share below", inputs, ("--max-cluster", "15.9%"), None)
    stops("marking", inputs, ("--mark", "--max-cluster", "150"), ("151 of 951",))
    for n, stopped in ((1000, False), (1001, True)):
        many = write_jsonl(folder / f"{n}.jsonl", copies(n, "m", "many"))
        wanted = (f"{n - 1} of {n}", "98%", "--max-loss") if stopped else None
        stops(f"{n} copies", (many,), (), wanted)
        stops(f"{n} copies marked", (many,), ("--mark",), None)
        stops(f"{n} copies allowed", (many,), ("--max-loss", "100%"), None)
    listed = c.run("cluster", folder / "1001.jsonl", "-o", c.out("guard listed"), "-q")
    c.check("guards: cluster removes nothing, and is not stopped", listed.returncode == 0, listed.stderr)
    rest = write_jsonl(folder / "rest.jsonl", alone(20, "r") + copies(980, "q", "rest"))
    stops("98 % and less are allowed", (rest, write_jsonl(folder / "one.jsonl", alone(1, "o"))), (), None)

    # No duplicate at all.
    stops("none allowed", inputs, ("--max-loss", "0"), ("199 of 951", "--max-loss=0"))
    stops("one, of a small input", (write_jsonl(folder / "two.jsonl", copies(2, "t", "two")), clean), ("--max-loss", "0%"), ("1 of 602", "--max-loss=0%"))
    stops("none there", (clean,), ("--max-loss", "0"), None)
    junit(c, folder, inputs, clean)

    # A raised limit continues from checkpoints.
    out, scratch = c.out("guard resumed"), folder / "scratch"
    first = c.run("dedup", *inputs, "-o", out, "-q", "--tables", "tsv", "--max-loss", "20%", "--scratch", scratch)
    again = c.run("dedup", *inputs, "-o", out, "-q", "--tables", "tsv", "--max-loss", "60%", "--scratch", scratch, "--resume")
    steps = summary_of(out).get("run", {}).get("resumed", [])
    c.check("guards: a raised limit continues from checkpoints", first.returncode == 3 and again.returncode == 0 and "reading" in steps and len(steps) > 2, f"{first.stderr} {again.stderr} {steps}")
    plain = c.out("guard all below")
    c.check("guards: with the bytes of a run without one", out.exists() and tree_of(out) == tree_of(plain))


def junit(c: Checks, folder: Path, inputs: tuple, clean: Path) -> None:
    """--junit has a case for the guards, and one for each row of the ledger: failures if a guard stops the run."""
    hostile = "<&\"'>]]>\t\x00\x1b\u202e\ufffe"
    texts = [" ".join(str(at * 7 + word) for word in range(30)) for at in range(2)]
    strange = write_jsonl(folder / "a & <b>.jsonl", [{"id": f"{hostile}{at}", "text": texts[at % 2] + " x" * (at // 2)} for at in range(6)])
    visible = hostile.replace("\x00", "\ufffd").replace("\x1b", "\ufffd").replace("\ufffe", "\ufffd")
    file = folder / "junit.xml"
    ledger = c.out("guard junit ledger")

    def cases(options: tuple, inputs: tuple, code: int) -> tuple[dict, list]:
        """The counts and the cases of the file, all read by an XML parser."""
        file.write_text("old")
        done = c.run("dedup", *inputs, "-o", ledger, "-q", "--force", "--tables", "jsonl", "--junit", file, *options)
        c.check(f"junit: exit code {code}", done.returncode == code, done.stderr)
        root = ElementTree.parse(file).getroot()
        (suite,) = root
        c.check("junit: one suite", root.tag == "testsuites" and suite.tag == "testsuite" and root.attrib == suite.attrib, str(root.attrib))
        return suite.attrib, list(suite)

    def counted(attributes: dict) -> tuple[int, ...]:
        return tuple(int(attributes[name]) for name in ("tests", "failures", "errors", "skipped"))

    for given in (inputs, (strange,)):
        allowed, passed = cases(("--max-loss", "100%"), given, 0)
        rows = list(map(json.loads, (ledger / "ledger.jsonl").read_text().splitlines()))
        n = len(rows)
        c.check("junit: as many cases as removals", n > 0 and counted(allowed) == (n + 1, 0, 0, n), f"{n} {allowed}")
        failed, stopped = cases(("--max-loss", "0"), given, 3)
        c.check("junit: failures", counted(failed) == (n + 1, n + 1, 0, 0), str(failed))
        guard = stopped[0][0]
        c.check("junit: the guard", passed[0].get("name") == "guards" and len(passed[0]) == 0 and guard.tag == "failure" and f"{n} of " in guard.get("message"), str(guard.attrib))
        for row, skip, failure in zip(rows, passed[1:], stopped[1:]):
            own, witness = (f"{row[f'{role}_id']} ({row[f'{role}_file']}:{row[f'{role}_record']})".replace(hostile, visible) for role in ("removed", "kept"))
            names = {"classname": row["removed_file"], "name": own, "file": row["removed_file"]}
            message = f"duplicate of {witness}, resemblance {row['resemblance']:.4f}, {row['shared']} of {row['size_a']} and {row['size_b']} features in common"
            wanted = [("skipped", {"message": f"{row['rule']}: {message}"}), ("failure", {"type": row["rule"], "message": message})]
            found = [(case[0].tag, case[0].attrib) for case in (skip, failure)]
            c.check("junit: a case", skip.attrib == failure.attrib == names and found == wanted, f"{failure.attrib} {found} {wanted}")
    none, passed = cases(("--max-loss", "0"), (clean,), 0)
    c.check("junit: no duplicate", counted(none) == (1, 0, 0, 0) and len(passed) == 1, str(none))
    for place, said in ((clean, "would be overwritten"), (folder / "none" / "x.xml", "does not exist"), (ledger / "x.xml", "appears as a whole")):
        kept = clean.read_bytes()
        done = c.run("dedup", clean, "-o", ledger, "-q", "--force", "--junit", place)
        c.check(f"junit: refused: {said}", done.returncode == 2 and said in done.stderr and "--junit" in done.stderr and clean.read_bytes() == kept, f"exit {done.returncode}: {done.stderr}")


def near_misses(c: Checks) -> None:
    """The pairs just below the threshold, recomputed from the texts; the rest of the result is as without them."""
    folder = c.work / "near misses"
    folder.mkdir()
    made = with_sources(records(94, 700), 94)
    docs, versions = write_jsonl(folder / "docs.jsonl", made), write_jsonl(folder / "versions.jsonl", family(95, 300, 30))
    old, new = write_jsonl(folder / "old.jsonl", made[:300]), write_jsonl(folder / "new.jsonl", made[300:])
    c.all_checked([
        ("near misses", "dedup", [docs], ("-t", "0.5", "--near-misses", "0.2")),
        ("near misses versions", "dedup", [versions], ("-t", "0.8", "--near-misses", "0.05")),
        ("near misses listed", "cluster", [versions], ("-t", "0.8", "--near-misses", "0.05")),
        ("near misses listed leaders", "cluster", [docs], ("-t", "0.6", "--near-misses", "0.3", "--linkage", "leaders")),
        ("near misses contained", "dedup", [docs], ("-t", "0.8", "--near-misses", "0.3", "--measure", "containment")),
        ("near misses cosine", "dedup", [docs], ("-t", "0.8", "--near-misses", "0.3", "--measure", "cosine")),
        ("near misses keep 2", "dedup", [docs], ("-t", "0.5", "--near-misses", "0.2", "--keep-n", "2")),
        ("near misses drop all", "dedup", [docs], ("-t", "0.5", "--near-misses", "0.2", "--drop-all")),
        ("near misses against", "dedup", [new], ("-t", "0.5", "--near-misses", "0.3", "--against", old), {"checker": ["--against", old]}),
        ("near misses spilled", "dedup", [docs], ("-t", "0.5", "--near-misses", "0.2", "--memory", "1", "-j", "7")),
        ("near misses none", "dedup", [docs], ("-t", "0.5")),
    ])
    plain, with_them, spilled = (tree_of(c.out(f"near misses{name}")) for name in (" none", "", " spilled"))
    c.check("near misses: the same bytes in any memory and on any threads", with_them == spilled)
    listed = {name: summary_of(c.out(f"near misses{name}"))["near_misses"]["listed"] for name in ("", " listed", " against", " keep 2")}
    c.check("near misses: there are some", all(count > 10 for count in listed.values()), listed)
    rest = {name: content for name, content in with_them.items() if name not in ("summary.json", "near_misses.tsv")}
    c.check("near misses: everything else is as without them", rest == {name: content for name, content in plain.items() if name != "summary.json"})
    c.check("near misses: and the digest", summary_of(c.out("near misses"))["digest"] == summary_of(c.out("near misses none"))["digest"])
    cut = c.out("near misses cut")
    done = c.run("cluster", versions, "-o", cut, "-q", "--tables", "tsv", "--near-misses", "0.05", "--max-pairs", "10")
    said = summary_of(cut).get("near_misses", {})
    c.check("near misses: too many are none", done.returncode == 0 and not said["complete"] and said["listed"] == 0 and len(dict_table(cut / "near_misses.tsv")) == 0, f"{done.stderr} {said}")
    for options, wanted in ((("--near-misses", "0.8"), "--threshold=0.8"), (("--near-misses", "0"), "--near-misses=0"), (("--near-misses", "0.05", "--method", "minhash-lsh"), "exact join")):
        done = c.run("dedup", docs, "-o", folder / "never", *options)
        c.check(f"near misses: refused: {options}", done.returncode == 2 and wanted in done.stderr and not (folder / "never").exists(), f"exit {done.returncode}: {done.stderr}")
