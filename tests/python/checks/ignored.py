"""--ignore-text: what is left of each document without the shingles of given texts, and what matches by it.

A document without anything left has its whole text as its only feature.
"""
import gzip
import json
import random
from fractions import Fraction

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import ids_of, write_jsonl


def made() -> tuple[list, list]:
    """Answers to exercises, most with the text of an exercise before, after or between their own words; and the exercises."""
    rng = random.Random(29)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(4, 8))) for _ in range(400)]
    exercises = [" ".join(rng.choice(vocabulary) for _ in range(size)) for size in (70, 40, 25)]
    bases = [[rng.choice(vocabulary) for _ in range(rng.choice((12, 25, 50)))] for _ in range(25)]
    records = []
    for number in range(320):
        own = list(rng.choice(bases))
        for _ in range(rng.choice((0, 0, 1, 2))):
            own[rng.randrange(len(own))] = rng.choice(vocabulary)
        exercise = rng.choice(exercises)
        if rng.random() < 0.2:
            # Somebody has left some of it out.
            exercise = " ".join(exercise.split()[rng.randint(3, 9):])
        text = rng.choice((f"{exercise} {' '.join(own)}", f"{' '.join(own)} {exercise}", " ".join(own), f"{' '.join(own[:8])} {exercise} {' '.join(own[8:])}"))
        if number % 16 == 3:
            text = rng.choice((exercise, exercise.title(), exercise + " " + exercise))
        if number % 40 == 7:
            text = rng.choice(("", "two words"))
        records.append({"id": f"g{(number * 7919) % 1009:04}", "text": text if number % 9 else text.capitalize() + "."})
    return records, exercises


def words_of(text: str) -> list:
    return text.lower().replace(".", "").split()


def shingles(words: list, size: int) -> set:
    found = {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}
    return found or ({tuple(words)} if words else set())


class Answer:
    def __init__(self, record: dict, without: set, size: int):
        self.id, self.text = record["id"], record["text"]
        self.words = words_of(self.text)
        self.whole = shingles(self.words, size)
        self.left = self.whole - without
        self.is_ignored = bool(self.whole) and not self.left
        if self.is_ignored:
            self.left = {("the whole text", *self.words)}


def rule_of(a: Answer, b: Answer) -> str:
    if a.text == b.text:
        return "identical"
    if a.words == b.words:
        return "lexically_equivalent"
    return "feature_equivalent" if a.whole == b.whole and a.left == b.left else "near"


def ignored(c: Checks) -> None:
    folder = c.work / "ignored"
    folder.mkdir()
    records, exercises = made()
    docs = write_jsonl(folder / "docs.jsonl", records)
    (folder / "one.txt").write_text(exercises[0].upper() + "\n", encoding="utf-8")
    (folder / "two.html").write_text(f"<html><head><title>x</title></head><body><p>{exercises[1]}</p></body></html>", encoding="utf-8")
    with gzip.open(folder / "more.jsonl.gz", "wt", encoding="utf-8") as out:
        for exercise in exercises[1:]:
            out.write(json.dumps({"text": exercise}) + "\n")
    every = [folder / "one.txt", folder / "two.html", folder / "more.jsonl.gz"]
    ways: dict = {
        "all": (every, exercises, 5, "resemblance", "0.6", 4),
        "one": (every[:1], exercises[:1], 5, "resemblance", "0.8", 1),
        "low": (every[2:], exercises[1:], 3, "resemblance", "0.2", 2),
        "containment": (every, exercises, 5, "containment", "0.7", 4),
    }
    for name, (files, texts, size, measure, threshold, count) in ways.items():
        without = set().union(*(shingles(words_of(text), size) for text in texts))
        answers = [Answer(record, without, size) for record in records]

        def is_match(a: Answer, b: Answer) -> bool:
            shared = len(a.left & b.left)
            of = min(len(a.left), len(b.left)) if measure == "containment" else len(a.left | b.left)
            return shared > 0 and shared >= Fraction(threshold) * of

        order = sorted(answers, key=lambda one: -len(one.left)) if measure == "containment" else answers
        pairs, kept, removed = {}, [], {}
        for at, one in enumerate(order):
            pairs |= {frozenset((one.id, other.id)): (one, other) for other in order[:at] if is_match(one, other)}
            witness = next((other for other in kept if is_match(one, other)), None)
            if witness is None:
                kept.append(one)
            else:
                removed[one.id] = (witness.id, rule_of(one, witness))
        options = ["-t", threshold, "--measure", measure, "--shingle", str(size), "--tables", "tsv", "-q", *(part for path in files for part in ("--ignore-text", path))]
        # An index of the documents, added in groups: it needs the texts once.
        index, label = folder / f"{name}.index", f"ignored {name} index"
        copies = [folder / f"copy-{path.name}" for path in files]
        for path, copy in zip(files, copies):
            copy.write_bytes(path.read_bytes())
        create = [part for part in options if part not in ("--tables", "tsv", "-q")][: 6] + [part for copy in copies for part in ("--ignore-text", copy)]
        done = [c.run("index", "create", index, "-q", *create)]
        for copy in copies:
            copy.unlink()
        groups = [write_jsonl(folder / f"group{at}.jsonl", records[at * 97 : (at + 1) * 97]) for at in range((len(records) + 96) // 97)]
        done += [c.run("index", "add", index, group, "-q", "-j", at % 3 + 1) for at, group in enumerate(groups)]
        c.check(f"{label}: made", all(one.returncode == 0 for one in done), [one.stderr for one in done])
        tables, listed = c.out(f"{label} tables"), c.out(f"{label} list")
        done = [c.run("index", "export", index, "-o", tables, "--tables", "tsv", "-q"), c.run("index", "export", index, "-o", listed, "--list", "--tables", "tsv", "-q")]
        if c.check(f"{label}: exported", all(one.returncode == 0 for one in done), [one.stderr for one in done]):
            found = {row["removed_id"]: (row["kept_id"], row["rule"]) for row in dict_table(tables / "ledger.tsv")}
            differ = [(one, found.get(one), removed.get(one)) for one in found.keys() | removed.keys() if found.get(one) != removed.get(one)]
            c.check(f"{label}: witnesses and rules", not differ and len(found) > 20, differ[:3])
            rows = {frozenset((row["a_id"], row["b_id"])) for row in dict_table(listed / "pairs.tsv")}
            c.check(f"{label}: pairs", rows == pairs.keys(), (len(rows), len(pairs)))
            said = summary_of(tables)["ignored_texts"]
            c.check(f"{label}: numbers", (said["texts"], said["shingles"], said["documents"]) == (count, len(without), sum(bool(one.whole & without) for one in answers)), said)
        stats = json.loads(c.run("index", "stats", index, "--format", "json").stdout)["ignored_texts"]
        c.check(f"{label}: stats", (stats["texts"], stats["shingles"]) == (count, len(without)), stats)
        done = c.run("index", "check", index, "--deep", "-q")
        c.check(f"{label}: sound", done.returncode == 0, done.stdout + done.stderr)
        if measure == "resemblance":
            for one in answers[5:400:40]:
                done = c.run("query", index, one.text, "--format", "json")
                near = sorted((other.id, len(one.left & other.left), len(other.left)) for other in answers if is_match(one, other))
                matches = json.loads(done.stdout)["matches"] if done.returncode == 0 else []
                c.check(f"{label}: asked about {one.id}", sorted((match["id"], match["shared"], match["size"]) for match in matches) == near, (matches, near, done.stderr))
        for verb in ("dedup", "cluster"):
            label, trees = f"ignored {name} {verb}", []
            for extra in (("-j", "1"), ("-j", "5", "--memory", "1"), ("-j", "2", "--memory", "200kB", "--resume", "--scratch", folder)):
                out = c.out(f"{label} {extra}")
                done = c.run(verb, docs, "-o", out, *options, *extra)
                if c.check(f"{label}: runs", done.returncode == 0, done.stderr):
                    trees.append(tree_of(out))
            if not c.check(f"{label}: the same bytes", len(trees) == 3 and trees[0] == trees[1] == trees[2]):
                continue
            summary = summary_of(out)
            said = summary["ignored_texts"]
            numbers = {"texts": count, "shingles": len(without), "documents": sum(bool(one.whole & without) for one in answers), "only_ignored": sum(one.is_ignored for one in answers)}
            c.check(f"{label}: numbers", {one: said[one] for one in numbers} == numbers and min(numbers.values()) > 0, (said, numbers))
            rows = dict_table(out / ("ledger.tsv" if verb == "dedup" else "pairs.tsv"))
            sides = ("removed_id", "kept_id") if verb == "dedup" else ("a_id", "b_id")
            by_id = {one.id: one for one in answers}
            wrong = []
            for row in rows:
                a, b = (by_id[row[side]] for side in sides)
                resemblance = len(a.left & b.left) / len(a.left | b.left)
                complete = len(a.whole & b.whole) / len(a.whole | b.whole)
                # Documents of nothing else have no features in common with their whole text.
                if abs(float(row["resemblance"]) - resemblance) > 1e-12 or not (a.is_ignored or abs(float(row["whole_resemblance"]) - complete) < 1e-12):
                    wrong.append((row, resemblance, complete))
            c.check(f"{label}: resemblance without and with", not wrong and len(rows) > 20, (len(rows), wrong[:2]))
            if verb == "dedup":
                found = {row["removed_id"]: (row["kept_id"], row["rule"]) for row in rows}
                differ = [(one, found.get(one), removed.get(one)) for one in found.keys() | removed.keys() if found.get(one) != removed.get(one)]
                c.check(f"{label}: witnesses and rules", not differ, differ[:3])
                c.check(f"{label}: what is kept", ids_of(out / "kept.jsonl") == {one.id for one in kept})
            else:
                listed = {frozenset((row["a_id"], row["b_id"])) for row in rows}
                c.check(f"{label}: pairs", listed == pairs.keys(), (len(listed), len(pairs)))
    plain = c.out("ignored plain")
    c.run("dedup", docs, "-o", plain, "--tables", "tsv", "-q", "-t", "0.6")
    out = c.out("ignored all dedup ('-j', '1')")
    c.check("ignored: the exercises made many of them alike", len(dict_table(plain / "ledger.tsv")) != len(dict_table(out / "ledger.tsv")))
    c.check("ignored: nothing without it", "ignored_texts" not in summary_of(plain) and "whole_resemblance" not in dict_table(plain / "ledger.tsv")[0])

    # What is said of two documents: by the run, from any directory, and of two files.
    near = next(row for row in dict_table(out / "ledger.tsv") if row["rule"] == "near" and row["whole_resemblance"] != row["resemblance"])
    relative = c.out("ignored relative")
    done = c.run("dedup", docs, "-o", relative, "-q", "-t", "0.6", *(part for path in every for part in ("--ignore-text", path.name)), cwd=folder)
    c.check("ignored: relative names", done.returncode == 0, done.stderr)
    for run in (out, relative):
        done = c.run("explain", near["removed_id"], near["kept_id"], "--run", run, "--format", "json")
        explained = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check("ignored: explain counts what the run counted", str(explained.get("measures", {}).get("shared")) == near["shared"] and explained.get("reaches") is True, (done.stderr, explained, near))
    done = c.run("compare", *(f"{docs}#{near[side]}" for side in ("removed_id", "kept_id")), "-t", "0.6", *(part for path in every for part in ("--ignore-text", path)))
    c.check("ignored: compare says what was ignored", done.returncode == 0 and "Ignored, as given texts have it" in " ".join(done.stdout.split()) and "Near-duplicates" in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("ignored printed"), "-t", "0.6", "--ignore-text", every[0])
    page = (c.out("ignored printed") / "report.html").read_text(encoding="utf-8") if done.returncode == 0 else ""
    c.check("ignored: printed and in the report", " of 1 text, in " in done.stderr + done.stdout and "The shingles of given texts are removed" in page, done.stdout + done.stderr)

    # Other texts are another job, and are no longer those of the run.
    job, state = c.out("ignored job"), folder / "ignored-job.scratch"
    arguments = ("dedup", docs, "-o", job, "-q", "--ignore-text", folder / "changing.txt", "--scratch", folder)
    (folder / "changing.txt").write_text(exercises[0], encoding="utf-8")
    missing = c.run("dedup", docs, "-o", c.out("ignored missing"), "-q", "--ignore-text", folder / "nothing.txt")
    c.check("ignored: a file that is not there", missing.returncode not in (0, 101) and "nothing.txt" in missing.stderr, missing.stderr)
    done = c.run(*arguments, "--max-loss", "1%")
    c.check("ignored: a run that is stopped keeps its checkpoints", done.returncode == 3 and state.exists(), (done.returncode, done.stderr))
    (folder / "changing.txt").write_text(exercises[1], encoding="utf-8")
    done = c.run(*arguments, "--resume")
    c.check("ignored: other texts are refused on resume", done.returncode not in (0, 101) and str(state) in done.stderr and not job.exists(), done.stderr)
    (folder / "changing.txt").write_text(exercises[0].title(), encoding="utf-8")
    done = c.run(*arguments, "--resume")
    c.check("ignored: the same shingles are the same job", done.returncode == 0 and "resumed" in json.dumps(summary_of(job)["run"]), done.stderr)
    (folder / "changing.txt").write_text(exercises[1], encoding="utf-8")
    done = c.run("explain", near["removed_id"], near["kept_id"], "--run", job)
    c.check("ignored: explain refuses texts that have changed", done.returncode not in (0, 101) and "changed since the run" in done.stderr, done.stdout + done.stderr)

    # Refused.
    (folder / "empty.txt").write_text(" \n", encoding="utf-8")
    (folder / "bad.jsonl").write_text('{"text": "a b c d e f"}\n{"text": 7}\n', encoding="utf-8")
    for wrong, words in (
        (("--ignore-text", folder / "empty.txt"), "shingle"), (("--ignore-text", folder / "bad.jsonl"), "bad.jsonl"),
        (("--ignore-text", every[0], "--method", "minhash-lsh"), "exact join"), (("--ignore-text", every[0], "--measure", "cosine"), "terms"),
        (("--ignore-text", every[0], "--boilerplate", "auto"), "boilerplate"),
    ):
        done = c.run("dedup", docs, "-o", c.out("ignored refused"), "-q", *wrong)
        c.check(f"ignored: refused: {wrong[-1]}", done.returncode not in (0, 101) and words in done.stderr and not c.out("ignored refused").exists(), done.stderr)
    done = c.run("recluster", c.out("ignored all cluster ('-j', '1')"), "-o", c.out("ignored again"), "-t", "0.9")
    c.check("ignored: recluster refuses", done.returncode not in (0, 101) and "given texts" in done.stderr, done.stderr)
