"""Elements of many documents, ignored (--ignore-common)."""
import json
import random
import shutil
import subprocess
import time
from collections import Counter

import check_run
from checks.harness import Checks, summary_of, table_of, tree_of
from checks.inputs import boilerplate, write_jsonl


def common(c: Checks) -> None:
    """--ignore-common, recomputed by check_run.py; for methods, recomputed here; the same bytes in any order, memory and after a stop."""
    folder = c.work / "common"
    made = boilerplate(random.Random(79), 500)
    docs, parts = write_jsonl(folder / "docs.jsonl", made), [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 125:at * 125 + 125]) for at in range(4)]
    other = write_jsonl(folder / "other.jsonl", boilerplate(random.Random(79), 700)[500:])
    runs = []
    for n in ("1", "2", "5", "20", "100", "1000"):
        for verb, t, *options in (("dedup", "0.8"), ("cluster", "0.5"), ("dedup", "0.6", "--linkage", "components"), ("dedup", "0.9", "--measure", "containment"),
                                  ("cluster", "0.7", "--measure", "cosine"), ("dedup", "0.7", "--short-documents", "ignore", "--shingle", "3")):
            runs.append((f"common {n} {verb} {t} {' '.join(options)}".strip(), verb, [docs], ("--ignore-common", n, "-t", t, *options)))
    for options in ((), ("--against-only",)):
        runs.append((f"common against {' '.join(options)}", "dedup", parts, ("--ignore-common", "20", "--against", other, *options), {"checker": ("--against", other)}))
    # Numbers are no terms: a document of nothing else has no features, whether or not common ones are removed.
    numbers = write_jsonl(folder / "numbers.jsonl", made[:200] + [{"id": f"n{at}", "text": f"{at} 1234 56"} for at in range(7)])
    runs.append(("common terms", "cluster", [numbers], ("--ignore-common", "20", "-t", "0.7", "--measure", "cosine", "--terms", "kolcz")))
    c.all_checked(runs)
    without = summary_of(c.out("common terms"))["without_features"]
    c.check("common: a document without terms is not one with common terms only", without.get("few_features", 0) >= 7 and without.get("only_common", 0) > 0, without)
    summary = summary_of(c.out("common 20 dedup 0.8"))
    c.check("common: there is something to remove", summary["common_features"] > 40 and summary["without_features"]["only_common"] > 10, summary)
    c.check("common: the summary states the limit", summary["settings"]["ignore_common"] == 20)
    c.check("common: a limit that nothing passes removes nothing", "common_features" not in summary_of(c.out("common 1000 dedup 0.8")))

    for verb, *options in (("dedup", "-t", "0.7"), ("cluster", "--method", "dsc:m=2,w=4,t=0.5", "--verify", "sketch"), ("cluster", "--method", "minhash-lsh:w=3"), ("dedup", "--measure", "containment")):
        name, trees = f"common {verb} {' '.join(options)}", []
        for inputs, more in (([*parts], ("-j", "1")), ([*parts], ("-j", "7")), ([*parts][::-1], ("-j", "2")), ([*parts], ("--memory", "1")), ([*parts], ("--memory", "300kB", "--scratch", folder))):
            out = c.out(f"{name} {len(trees)}")
            done = c.run(verb, *inputs, "-o", out, "--tables", "tsv", "-q", "--ignore-common", "20", *options, *more)
            if not c.check(f"{name}: runs", done.returncode == 0, done.stderr):
                return
            trees.append({path: content for path, content in tree_of(out).items() if path != "summary.json"} if inputs[0] != parts[0] else tree_of(out))
        same = [tree for at, tree in enumerate(trees) if at != 2]
        c.check(f"{name}: the same bytes", all(tree == same[0] for tree in same))
        c.check(f"{name}: the same tables in any order of files", all(same[0].get(path) == content for path, content in trees[2].items()))

    # dsc with m=1 samples everything: its estimates are the measure itself, on what is left of its own shingles.
    for n, t in (("5", "0.5"), ("20", "0.7")):
        out = c.out(f"common dsc {n}")
        done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "--ignore-common", n, "--method", f"dsc:m=1,w=4,t={t}", "--verify", "sketch")
        if not c.check(f"common dsc {n}: runs", done.returncode == 0, done.stderr):
            continue
        tokens = [[word for word, _ in check_run.words(check_run.normalised(one["text"], {"normalize": "nfc"}))] for one in made]
        sets = [frozenset(tuple(found[at:at + 4]) for at in range(len(found) - 3)) for found in tokens]
        holders = Counter(shingle for one in set(sets) for shingle in one)
        left = [frozenset(shingle for shingle in one if holders[shingle] <= int(n)) for one in sets]
        wanted = set()
        for b in range(len(made)):
            for a in range(b):
                union = len(left[a] | left[b])
                copies = tokens[a] and tokens[a] == tokens[b] and (left[a] or not sets[a])
                if union and len(left[a] & left[b]) >= float(t) * union or copies:
                    wanted.add(frozenset((made[a]["id"], made[b]["id"])))
        found = {frozenset((row[0], row[3])) for row in table_of(out / "pairs.tsv")[1:]}
        c.check(f"common dsc {n}: the pairs are those of the definition", found == wanted, sorted(map(sorted, found ^ wanted))[:4])
        said = summary_of(out)
        removed = sum(sets > int(n) for sets in holders.values())
        emptied = sum(1 for whole, rest in zip(sets, left) if whole and not rest)
        c.check(f"common dsc {n}: counted", said.get("common_method_shingles") == removed and said["without_features"].get("only_common") == emptied, (removed, emptied, said["without_features"]))

    low, again, fresh = (c.out(f"common recluster {name}") for name in ("low", "again", "fresh"))
    c.run("cluster", docs, "-o", low, "-t", "0.3", "--tables", "jsonl", "-q", "--ignore-common", "20")
    done = c.run("recluster", low, "-o", again, "-t", "0.6", "--tables", "tsv", "-q")
    c.run("cluster", docs, "-o", fresh, "-t", "0.6", "--tables", "tsv", "-q", "--ignore-common", "20")
    same = done.returncode == 0 and all((again / table).read_bytes() == (fresh / table).read_bytes() for table in ("pairs.tsv", "documents.tsv"))
    c.check("common: recluster", same, done.stderr)
    row = table_of(c.out("common 20 dedup 0.8") / "ledger.tsv")
    header, found = row[0], [dict(zip(row[0], one)) for one in row[1:]]
    near = next(one for one in found if one["rule"] == "near")
    done = c.run("explain", near["removed_id"], near["kept_id"], "--run", c.out("common 20 dedup 0.8"), "--format", "json")
    said = json.loads(done.stdout) if done.returncode == 0 else {}
    c.check("common: explain counts what the run counted", str(said.get("measures", {}).get("shared")) == near["shared"], (done.stderr, said, near))
    out = c.out("common evaluate")
    done = c.run("evaluate", docs, "-o", out, "-q", "-t", "0.8", "--ignore-common", "20", "--methods", "exact", "minhash-lsh@exact", "dsc:w=5,m=1,t=0.8@sketch")
    said = {one["method"]: one for one in json.loads((out / "evaluation.json").read_text())["methods"]} if done.returncode == 0 else {}
    truth = len(table_of(c.out("common 20 dedup 0.8") / "pairs.tsv"))
    exact, all_shingles = said.get("exact", {}), next((one for name, one in said.items() if name.startswith("dsc")), {})
    c.check("common: evaluate", exact.get("recall") == exact.get("precision") == 1 and all_shingles.get("precision") == 1 and truth > 20, (done.stderr, said))
    done = c.run("plan", docs, "--ignore-common", "20", "--format", "json")
    c.check("common: plan", done.returncode == 0 and json.loads(done.stdout)["settings"]["ignore_common"] == 20, done.stderr)
    done = c.run("cluster", docs, "-o", c.out("common refused"), "-q", "--ignore-common", "20", "--method", "imatch", "--verify", "none")
    c.check("common: methods without shingles say so", done.returncode != 0 and "--ignore-common" in done.stderr and "shingles" in done.stderr, done.stderr)
    done = c.run("cluster", docs, "-o", c.out("common nought"), "-q", "--ignore-common", "0")
    c.check("common: 0 is wrong usage", done.returncode == 2, done.stderr)

    # A stopped run takes the list from where it was kept, or counts again where the file is damaged.
    truth, out = tree_of(c.out("common dedup -t 0.7 3")), c.out("common stopped")
    arguments = (*parts, "-o", out, "--tables", "tsv", "-q", "--ignore-common", "20", "-t", "0.7", "--scratch", folder, "--memory", "1")
    state = folder / f"{out.name}.scratch"
    for damage in (None, "common-shingles-5", "chunks"):
        shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen([str(part) for part in (c.binary, "dedup", *arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline and not (state / "common-shingles-5").exists():
            time.sleep(0.0005)
        process.kill()
        process.wait()
        if damage and (state / damage).exists():
            content = bytearray((state / damage).read_bytes())
            content[len(content) // 2:len(content) // 2 + 1] = bytes(byte ^ 8 for byte in content[len(content) // 2:len(content) // 2 + 1])
            (state / damage).write_bytes(content)
        done = c.run("dedup", *arguments, "--resume", "--force")
        c.check(f"common: resumed, {damage or 'nothing'} damaged", done.returncode == 0 and tree_of(out) == truth, done.stderr)
