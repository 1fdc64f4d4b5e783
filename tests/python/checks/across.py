"""--across: only documents of different values match. Pairs, clusters, witnesses and the numbers by pair of values, from the texts alone.

Documents are compared one by one, in their order: there are no sets of copies here.
"""
import json
import random
from collections import Counter
from fractions import Fraction
from itertools import product

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import ids_of, write_jsonl


def made_records() -> list:
    """Copies, versions and texts of a few words, each with a split, a list of owners, or neither."""
    rng = random.Random(83)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(4, 8))) for _ in range(300)]
    bases = [[rng.choice(vocabulary) for _ in range(rng.choice((3, 30, 60, 90)))] for _ in range(40)]
    found = []
    for number in range(300):
        words = list(rng.choice(bases))
        if len(words) > 5:
            for _ in range(rng.choice((0, 0, 0, 1, 2, 3))):
                words[rng.randrange(len(words))] = rng.choice(vocabulary)
        text = " ".join(words)
        kind = rng.random()
        if kind < 0.1:
            # Other tokens than words.
            text = text.upper() + "!"
        elif kind < 0.2 and len(words) > 5:
            # The same shingles in another sequence.
            text = f"{text} {text} {' '.join(words[:4])}" if rng.random() < 0.5 else f"{text} {text} {text}"
        record = {"id": f"a{(number * 7919) % 1009:04}", "text": "" if kind > 0.99 else "..." if kind > 0.97 else text}
        split = rng.choice(("train", "train", "train", "test", "dev", None))
        if split:
            record["split"] = split
        owners = rng.choice(([], ["x"], ["y"], ["x", "y"], ["y", "x", "x"]))
        if owners:
            record["owner"] = owners
        found.append(record)
    return found


class Document:
    def __init__(self, record: dict, name: str, size: int):
        self.id, self.text = record["id"], record["text"]
        self.split = record.get("split", "")
        self.owner = ", ".join(sorted(set(record.get("owner", []))))
        self.file = name
        self.words = self.text.lower().replace("!", "").split()
        self.set = {tuple(self.words[at : at + size]) for at in range(len(self.words) - size + 1)}
        if not self.set and self.words:
            self.set = {tuple(self.words)}


def measured(measure: str, a: Document, b: Document) -> Fraction:
    """The square of the measure; containment is of the smaller set in the larger one."""
    shared = len(a.set & b.set)
    if measure == "cosine":
        return Fraction(shared**2, len(a.set) * len(b.set))
    if measure == "containment":
        return Fraction(shared, min(len(a.set), len(b.set))) ** 2
    return Fraction(shared, len(a.set | b.set)) ** 2


def rule_of(a: Document, b: Document) -> str:
    if a.text == b.text:
        return "identical"
    if a.words == b.words:
        return "lexically_equivalent"
    return "feature_equivalent" if a.set == b.set else "near"


def expected(documents: list, measure: str, threshold: str, least: int, by: str) -> tuple:
    """The matching pairs, the witness of each removed document with the rule, and the component of each document."""
    least_square = Fraction(threshold) ** 2

    def is_match(a: Document, b: Document) -> bool:
        if not a.set or not b.set or getattr(a, by) == getattr(b, by):
            return False
        if min(len(a.set), len(b.set)) < least:
            return a.words == b.words
        return bool(a.set & b.set) and measured(measure, a, b) >= least_square

    order = sorted(documents, key=lambda one: -len(one.set)) if measure == "containment" else documents
    pairs, kept, removed = [], [], {}
    for at, one in enumerate(order):
        pairs += [(one, other) for other in order[:at] if is_match(one, other)]
        witness = next((other for other in kept if is_match(one, other)), None)
        if witness is None:
            kept.append(one)
        else:
            removed[one.id] = (witness.id, rule_of(one, witness))
    component = {one.id: one.id for one in documents}

    def root(name: str) -> str:
        while component[name] != name:
            name = component[name]
        return name

    for a, b in pairs:
        component[root(a.id)] = root(b.id)
    clusters: dict = {}
    for one in documents:
        clusters.setdefault(root(one.id), set()).add(one.id)
    return pairs, removed, {frozenset(members) for members in clusters.values() if len(members) > 1}


def numbers_of(documents: list, pairs: list, removed: dict, by: str, complete: bool) -> dict:
    """By pair of values: of all matches documents and pairs, else removed documents."""
    value = {one.id: getattr(one, by) for one in documents}
    if not complete:
        counts = Counter((value[one], value[witness]) for one, (witness, _) in removed.items())
        return {pair: (number, None) for pair, number in counts.items()}
    matched = {(one.id, value[other.id]) for a, b in pairs for one, other in ((a, b), (b, a))}
    both = {pair: [number, 0] for pair, number in Counter((value[one], other) for one, other in matched).items()}
    for a, b in pairs:
        both[value[a.id], value[b.id]][1] += 1
        both[value[b.id], value[a.id]][1] += 1
    return {pair: tuple(found) for pair, found in both.items()}


def in_index(c: Checks, label: str, options: list, groups: list, documents: list, way: tuple) -> None:
    """An index of the documents, added in groups, before and after some are deleted."""
    measure, threshold, least, by = way
    trees = []
    for threads, commits in ((1, ()), (4, ("--commit-every", "37"))):
        index = c.work / "across" / f"{label} {threads}.index"
        done = [c.run("index", "create", index, "-q", *options)]
        done += [c.run("index", "add", index, group, "-q", "-j", threads, *commits) for group in groups]
        wrong = [one.stderr for one in done if one.returncode]
        if not c.check(f"{label}: made with {threads} threads", not wrong, wrong):
            return
        left = documents
        for state in ("added", "deleted"):
            if state == "deleted":
                gone = {one.id for one in documents[::3]}
                (c.work / "across" / "gone.txt").write_text("\n".join(sorted(gone)), encoding="utf-8")
                done = c.run("index", "delete", index, "--ids", c.work / "across" / "gone.txt", "-q")
                c.check(f"{label}: deleted", done.returncode == 0, done.stderr)
                left = [one for one in documents if one.id not in gone]
            pairs, removed, _ = expected(left, measure, threshold, least, by)
            out, listed = c.out(f"{label} {threads} {state} tables"), c.out(f"{label} {threads} {state} list")
            done = c.run("index", "export", index, "-o", out, "--tables", "tsv", "-q")
            done_list = c.run("index", "export", index, "-o", listed, "--list", "--tables", "tsv", "-q")
            if not c.check(f"{label}: exported, {state}", done.returncode == done_list.returncode == 0, done.stderr + done_list.stderr):
                return
            rows = {row["removed_id"]: (row["kept_id"], row["rule"]) for row in dict_table(out / "ledger.tsv")}
            differ = [(one, rows.get(one), removed.get(one)) for one in rows.keys() | removed.keys() if rows.get(one) != removed.get(one)]
            c.check(f"{label}: witnesses and rules, {state}", not differ and len(rows) > 15, (len(rows), differ[:3]))
            found = {frozenset((row["a_id"], row["b_id"])) for row in dict_table(listed / "pairs.tsv")}
            wanted = {frozenset((a.id, b.id)) for a, b in pairs}
            c.check(f"{label}: pairs, {state}", found == wanted and len(wanted) > 25, (len(found), len(wanted), list(found ^ wanted)[:3]))
            for exported, complete in ((out, False), (listed, True)):
                summary = summary_of(exported)
                wanted_numbers = numbers_of(left, pairs, removed, by, complete)
                c.check(f"{label}: numbers by pair of values, {state}", matrix(summary) == wanted_numbers, (matrix(summary), wanted_numbers))
                listed_values = {one["value"]: one["documents"] for one in summary["across"]["values"]}
                c.check(f"{label}: documents of each value, {state}", listed_values == Counter(getattr(one, by) for one in left), listed_values)
            trees.append((state, (out / "ledger.tsv").read_bytes(), (listed / "pairs.tsv").read_bytes()))
            done = c.run("index", "check", index, "--deep", "-q")
            c.check(f"{label}: the index is sound, {state}", done.returncode == 0, done.stdout + done.stderr)
        if measure != "containment":
            # Questions about stored documents, and about a text, which has no value.
            near: dict = {one.id: set() for one in left}
            for a, b in pairs:
                near[a.id].add(b.id)
                near[b.id].add(a.id)
            ask = "cosine" if measure == "cosine" else "resembles"
            for one in [one for one in left if near[one.id]][:12]:
                done = c.run("query", index, "--id", one.id, "--ask", ask, "--format", "json")
                answer = {match["id"] for match in json.loads(done.stdout)["matches"]} if done.returncode == 0 else None
                c.check(f"{label}: asked about {one.id}", answer == near[one.id], (answer, near[one.id], done.stderr))
            if by != "file":
                asked = next(one for one in left if near[one.id] and getattr(one, by) == "" and len(one.set) >= least)
                done = c.run("query", index, asked.text, "--ask", ask, "--format", "json")
                answer = {match["id"] for match in json.loads(done.stdout)["matches"]} if done.returncode == 0 else None
                c.check(f"{label}: a text has the value of documents without the field", answer == near[asked.id], (answer, near[asked.id], done.stderr))
    c.check(f"{label}: the same bytes", trees[:2] == trees[2:])


def matrix(summary: dict) -> dict:
    """By names of values: documents, and pairs if they are counted."""
    found = summary["across"]
    names = [value["value"] for value in found["values"]]
    return {(names[one["of"]], names[one["with"]]): (one["documents"], one.get("pairs")) for one in found["pairs"]}


def across(c: Checks) -> None:
    folder = c.work / "across"
    folder.mkdir()
    records = made_records()
    docs = write_jsonl(folder / "docs.jsonl", records)
    # The same documents in three inputs, in the order of their names.
    parts = [folder / "one", folder / "two"]
    for part in parts:
        part.mkdir()
    files = [parts[0] / "a.jsonl", parts[0] / "b.jsonl", parts[1] / "c.jsonl"]
    cut = [records[:150], records[150:230], records[230:]]
    for path, part in zip(files, cut):
        write_jsonl(path, part)

    def documents(size: int, inputs: bool) -> list:
        if not inputs:
            return [Document(record, str(docs), size) for record in records]
        return [Document(record, str(path.parent), size) for path, part in zip(files, cut) for record in part]

    # Name: the field, the number of tokens of a shingle, the measure, the threshold, the fewest features.
    ways: dict = {
        "resemblance": ("split", 5, "resemblance", "0.6", 1, ()),
        "high": ("split", 5, "resemblance", "1", 1, ()),
        "low": ("owner", 5, "resemblance", "0.3", 1, ()),
        "containment": ("split", 5, "containment", "0.7", 1, ()),
        "cosine": ("owner", 1, "cosine", "0.8", 10, ("--measure", "cosine")),
        "few": ("split", 5, "resemblance", "0.6", 40, ("--min-features", "40")),
        "words": ("split", 1, "resemblance", "0.7", 1, ("--shingle", "1")),
        "inputs": ("file", 5, "resemblance", "0.6", 1, ()),
    }
    for name, (by, size, measure, threshold, least, more) in ways.items():
        inputs = parts if by == "file" else [docs]
        all_documents = documents(size, by == "file")
        pairs, removed, components = expected(all_documents, measure, threshold, least, by)
        value = {one.id: getattr(one, by) for one in all_documents}
        options = ["-t", threshold, "--measure", measure, *more, "--across", "inputs" if by == "file" else by, "--tables", "tsv", "-q"]
        options = options if "--measure" not in more else [*options[:2], *options[4:]]
        counts = Counter(value.values())
        create = [part for part in options if part not in ("--tables", "tsv", "-q")]
        in_index(c, f"across {name} index", create, parts if by == "file" else files, all_documents, (measure, threshold, least, by))
        for verb, linkage in product(("cluster", "dedup"), ("leaders", "components")):
            label = f"across {name} {verb} {linkage}"
            trees = []
            for extra in (("-j", "1"), ("-j", "5", "--memory", "1")):
                out = c.out(f"{label} {extra}")
                done = c.run(verb, *inputs, "-o", out, *options, "--linkage", linkage, *extra)
                if c.check(f"{label}: runs", done.returncode == 0, done.stderr):
                    trees.append(tree_of(out))
            if not c.check(f"{label}: the same bytes", len(trees) == 2 and trees[0] == trees[1]):
                continue
            summary = summary_of(out)
            complete = verb == "cluster" or linkage == "components"
            if complete:
                listed = {frozenset((row["a_id"], row["b_id"])) for row in dict_table(out / "pairs.tsv")}
                wanted = {frozenset((a.id, b.id)) for a, b in pairs}
                c.check(f"{label}: pairs", listed == wanted and len(wanted) > 50, (len(listed), len(wanted), list(listed ^ wanted)[:3]))
            clusters: dict = {}
            for row in dict_table(out / "clusters.tsv"):
                clusters.setdefault(row["cluster"], set()).add(row["id"])
            found = {frozenset(members) for members in clusters.values()}
            if linkage == "components":
                c.check(f"{label}: components", found == components, list(found ^ components)[:2])
            else:
                led: dict = {}
                for one, (witness, _) in removed.items():
                    led.setdefault(witness, {witness}).add(one)
                c.check(f"{label}: leaders", found == {frozenset(members) for members in led.values()}, list(found)[:2])
            if verb == "dedup" and linkage == "leaders":
                rows = {row["removed_id"]: (row["kept_id"], row["rule"]) for row in dict_table(out / "ledger.tsv")}
                wrong = [(one, rows.get(one), removed.get(one)) for one in rows.keys() | removed.keys() if rows.get(one) != removed.get(one)]
                c.check(f"{label}: witnesses and rules", not wrong and len(rows) > 30, (len(rows), wrong[:3]))
                if by != "file":
                    c.check(f"{label}: what is kept", ids_of(out / "kept.jsonl") == value.keys() - removed.keys())
            numbers = numbers_of(all_documents, pairs, removed, by, complete)
            c.check(f"{label}: numbers by pair of values", matrix(summary) == numbers, (matrix(summary), numbers))
            listed_values = {one["value"]: one["documents"] for one in summary["across"]["values"]}
            c.check(f"{label}: documents of each value", listed_values == counts, listed_values)

    # Methods: the pairs that they find without it, of different values.
    split = {record["id"]: record.get("split", "") for record in records}
    for method, verify in product(("minhash-lsh", "imatch", "simhash:d=6"), ("exact", "sketch", "none")):
        label, found = f"across {method} {verify}", []
        for more in ((), ("--across", "split")):
            out = c.out(f"{label} {more}")
            done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "--method", method, "--verify", verify, *more)
            c.check(f"{label}: runs", done.returncode == 0, done.stderr)
            rows = dict_table(out / "pairs.tsv") if done.returncode == 0 else []
            found.append({(row["a_id"], row["b_id"]) for row in rows})
        wanted = {pair for pair in found[0] if split[pair[0]] != split[pair[1]]}
        c.check(f"{label}: pairs of different values", found[1] == wanted and 30 < len(wanted) < len(found[0]), (len(found[1]), len(wanted), list(found[1] ^ wanted)[:3]))

    # Beside other conditions: nothing of one value, and no other removals than without the condition.
    for name, more in {"contained": ("--contained-only", "0.9"), "lost": ("--max-lost", "2"), "best": ("--witness", "best"), "separate": ("--separate-by", "owner"), "distinct": ("--distinct-by", "owner"), "common": ("--ignore-common", "60"), "boilerplate": ("--boilerplate", "20", "--site-field", "split")}.items():
        out = c.out(f"across with {name}")
        done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "--across", "split", *more)
        c.check(f"across: with {name}", done.returncode == 0, done.stderr)
        rows = dict_table(out / "ledger.tsv") if done.returncode == 0 else []
        one_value = [row for row in rows if split[row["removed_id"]] == split[row["kept_id"]]]
        c.check(f"across: with {name}: witnesses of other values", len(rows) > 10 and not one_value, (len(rows), one_value[:2]))

    # What a finished run says of it, at another threshold as well.
    for linkage in ("leaders", "components"):
        low = c.out(f"across resemblance cluster {linkage} ('-j', '1')")
        again, fresh = c.out(f"across again {linkage}"), c.out(f"across fresh {linkage}")
        done = c.run("recluster", low, "-o", again, "--tables", "tsv", "-q", "-t", "0.8")
        c.check(f"across: recluster {linkage}", done.returncode == 0, done.stderr)
        c.run("cluster", docs, "-o", fresh, "--tables", "tsv", "-q", "-t", "0.8", "--across", "split", "--linkage", linkage)
        names = ("pairs.tsv", "documents.tsv", *(("clusters.tsv",) if linkage == "leaders" else ()))
        equal = [name for name in names if (again / name).read_bytes() != (fresh / name).read_bytes()] if done.returncode == 0 else names
        c.check(f"across: recluster {linkage} keeps to it", not equal, equal)
        if linkage == "components":
            # How similar two of a component are is not in the tables if they are no pair.
            tables = [[{**row, "resemblance": ""} for row in dict_table(one / "clusters.tsv")] for one in (again, fresh)]
            c.check("across: recluster: the same clusters", tables[0] == tables[1] and tables[0])
            summaries = [summary_of(one)["removed"] for one in (again, fresh)]
            c.check("across: recluster: the same rules", summaries[0] == summaries[1], summaries)
    same = [record["id"] for record in records if record.get("split") == "test"][:2]
    done = c.run("explain", *same, "--run", fresh)
    c.check("across: explain", done.returncode == 0 and "Same value of split (test): not compared." in " ".join(done.stdout.split()), done.stdout + done.stderr)
    done = c.run("compare", *(f"{docs}#{one}" for one in same), "--across", "split")
    c.check("across: compare", done.returncode == 0 and "Same value of split (test): not compared." in " ".join(done.stdout.split()), done.stdout + done.stderr)
    done = c.run("compare", f"{files[0]}#1", f"{files[2]}#1", "--across", "inputs")
    c.check("across: compare inputs", done.returncode == 0 and "Same value" not in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("across printed"), "--across", "split", "-t", "0.6")
    c.check("across: printed", done.returncode == 0 and "across split" in done.stderr + done.stdout and "test in train" in done.stderr + done.stdout, done.stdout + done.stderr)
    page = (c.out("across printed") / "report.html").read_text(encoding="utf-8")
    c.check("across: in the report", "Across split" in page and "Only documents with different values of split match." in page)

    # Many values: the rest together.
    many = write_jsonl(folder / "many.jsonl", [{**record, "n": str(at % 30)} for at, record in enumerate(records)])
    out = c.out("across many")
    done = c.run("cluster", many, "-o", out, "-q", "-t", "0.6", "--across", "n", "--tables", "tsv")
    found = summary_of(out).get("across", {}) if done.returncode == 0 else {}
    c.check("across: the rest together", len(found.get("values", [])) == 13 and found["others"] == 18 and sum(one["documents"] for one in found["values"]) == len(records), found)
    number = {record["id"]: at % 30 for at, record in enumerate(records)}
    place = lambda one: min(number[one], 12)
    pairs_of = Counter(frozenset((place(row["a_id"]), place(row["b_id"]))) for row in dict_table(out / "pairs.tsv"))
    listed = {frozenset((one["of"], one["with"])): one["pairs"] for one in found.get("pairs", [])}
    c.check("across: pairs with the rest", listed == pairs_of, (len(listed), len(pairs_of)))

    # What takes no account of values is refused with such an index; a run against its documents is what it says.
    index = folder / "across resemblance index 1.index"
    c.run("index", "export", index, "-o", c.out("across stored"), "--documents", "-q")
    against = ("dedup", files[0], "-o", c.out("across against"), "-q", "-t", "0.6", "--tables", "tsv", "--against")
    done = c.run(*against, c.out("across stored") / "documents.jsonl")
    c.check("across: against exported documents", done.returncode == 0 and len(dict_table(c.out("across against") / "ledger.tsv")) > 20, done.stderr)
    for arguments in (("index", "add", index, files[0], "--sweep", "now"), ("filter", docs, "--prototypes", index), (*against, index, "--force")):
        done = c.run(*arguments)
        c.check(f"across: {arguments[:2]} refused", done.returncode not in (0, 101) and "across=split" in done.stderr, done.stderr)

    # A plan that reads all documents predicts what a run finds.
    for by, inputs, removes in (("split", [docs], True), ("inputs", parts, True), ("owner", [docs], False)):
        command = "dedup" if removes else "cluster"
        done = c.run("plan", *inputs, "--across", by, "-t", "0.6", "--command", command, "--format", "json", "-q")
        planned = json.loads(done.stdout) if done.returncode == 0 else {}
        c.run(command, *inputs, "-o", c.out(f"across planned {by}"), "--across", by, "-t", "0.6", "-q")
        removed_in_run = sum(summary_of(c.out(f"across planned {by}"))["removed"].values())
        c.check(f"across: plan {by}", planned.get("removed", {}).get("expected") == removed_in_run, (planned.get("removed"), removed_in_run, done.stderr))

    # Refused.
    for wrong, words_of_it in (
        (("--across", "splitt"), "`splitt`"), (("--across", "split", "--against", docs), "--against"), (("--across", "split", "--drop-all"), "keep_n"),
    ):
        done = c.run("dedup", *(parts if "--against" in wrong else [docs]), "-o", c.out("across refused"), "-q", *wrong)
        c.check(f"across: refused: {wrong}", done.returncode not in (0, 101) and words_of_it.replace("_", "-") in done.stderr.replace("_", "-") and not c.out("across refused").exists(), done.stderr)
