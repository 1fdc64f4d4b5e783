"""The boilerplate of sites, removed (--boilerplate)."""
import csv
import json
import random
import shutil
import subprocess
import time

from checks.harness import Checks, dict_table, summary_of, table_of, tree_of
from checks.inputs import boilerplate, write_jsonl

SITES = ("https://Alpha.example/{}", "http://beta.example:8080/{}?q=//x", "//gamma.example/{}", "https://user@delta.example./{}", "", "page/{}.html")


def pages(rng: random.Random, n: int) -> list:
    """Records on several sites, each with templates of its own, and copies of some on another site."""
    made = boilerplate(rng, n)
    for number, one in enumerate(made):
        one["url"] = SITES[(number * number) % 7 % len(SITES)].format(number)
        one["section"] = ("news", "shop", "")[number % 3]
    for number in range(0, n, 9):
        made.append({**made[number], "id": f"c{number:05}", "url": rng.choice(SITES).format(number)})
    return made


def site_boilerplate(c: Checks) -> None:
    """--boilerplate, recomputed by check_run.py; the same bytes in any order, memory and after a stop; refused where it is not honoured."""
    folder = c.work / "site-boilerplate"
    made = pages(random.Random(83), 450)
    docs = write_jsonl(folder / "docs.jsonl", made)
    parts = [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 125:at * 125 + 125]) for at in range(4)]
    other = write_jsonl(folder / "other.jsonl", pages(random.Random(83), 700)[450:])
    texts = folder / "texts"
    for number, one in enumerate(made[:200]):
        path = texts / f"{number % 3}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(one["text"], encoding="utf-8")
    runs = []
    for n in ("1", "5", "12", "40", "5%", "33.3%", "auto", "1000"):
        for verb, t, *options in (("dedup", "0.8"), ("cluster", "0.5"), ("dedup", "0.6", "--linkage", "components"), ("dedup", "0.9", "--measure", "containment"),
                                  ("dedup", "0.7", "--short-documents", "ignore", "--shingle", "3"), ("dedup", "0.7", "--site-field", "section")):
            runs.append((f"site boilerplate {n.replace('%', ' percent')} {verb} {t} {' '.join(options)}".strip(), verb, [docs], ("--boilerplate", n, "-t", t, *options)))
    for options in ((), ("--against-only",)):
        runs.append((f"site boilerplate against {' '.join(options)}", "dedup", parts, ("--boilerplate", "12", "--against", other, *options), {"checker": ("--against", other)}))
    runs.append(("site boilerplate of files", "dedup", parts, ("--boilerplate", "8")))
    runs.append(("site boilerplate of directories", "cluster", [texts], ("--boilerplate", "8", "-t", "0.6")))
    runs.append(("site boilerplate cosine", "cluster", [docs], ("--boilerplate", "12", "-t", "0.6", "--measure", "cosine", "--shingle", "2")))
    runs.append(("site boilerplate and common", "cluster", [docs], ("--boilerplate", "12", "--ignore-common", "60", "-t", "0.5")))
    runs.append(("site boilerplate characters", "dedup", [docs], ("--boilerplate", "20", "--shingle-unit", "char", "--shingle", "9")))
    runs.append(("site boilerplate least", "dedup", [docs], ("--boilerplate", "12", "--min-features", "4")))
    with open(folder / "docs.csv", "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, ["id", "url", "text"], extrasaction="ignore")
        table.writeheader()
        table.writerows(made)
    runs.append(("site boilerplate csv", "dedup", [folder / "docs.csv"], ("--boilerplate", "12")))
    c.all_checked(runs)

    # Pairs that match with their boilerplate, of equal and other sizes: explain says the same in any order.
    contained = c.out("site boilerplate 12 dedup 0.9 --measure containment")
    pairs = [row for row in dict_table(contained / "ledger.tsv") if row["rule"] == "near" and float(row["containment_a_in_b"]) < 0.9]
    asked = [(row["removed_id"], row["kept_id"]) for row in pairs[:6]]
    answers = [[c.run("explain", *order, "--run", contained).stdout for order in (pair, pair[::-1])] for pair in asked]
    alike = [["Near-duplicates" in text for text in both] for both in answers]
    c.check("site boilerplate: explain in any order", len(asked) == 6 and all(both == [True, True] for both in alike), (asked, answers[:1]))

    summary = summary_of(c.out("site boilerplate 12 dedup 0.8"))
    said = summary["boilerplate"]
    c.check("site boilerplate: there is something to remove", said["shingles"] > 40 and said["only_boilerplate"] > 10 and said["sites_with_boilerplate"] > 2, said)
    c.check("site boilerplate: the summary states the limit", summary["settings"]["boilerplate"] == "12")
    nothing = summary_of(c.out("site boilerplate 1000 dedup 0.8"))
    c.check("site boilerplate: a limit that nothing passes removes nothing", nothing["boilerplate"]["shingles"] == 0, nothing)
    done = c.run("dedup", docs, "-o", c.out("site boilerplate without"), "--tables", "tsv", "-q")
    header = table_of(c.out("site boilerplate without") / "ledger.tsv")[0]
    c.check("site boilerplate: a column only with the option", done.returncode == 0 and "whole_resemblance" not in header and "boilerplate" not in summary_of(c.out("site boilerplate without")), header)
    rows = table_of(c.out("site boilerplate 12 dedup 0.8") / "ledger.tsv")
    plain = table_of(c.out("site boilerplate without") / "ledger.tsv")
    place = {name: at for at, name in enumerate(rows[0])}
    nothing, *_ = unremoved = table_of(c.out("site boilerplate 1000 dedup 0.8") / "ledger.tsv")
    shared = [at for at, name in enumerate(nothing) if name in header]
    c.check("site boilerplate: the same rows where nothing is removed", [[row[at] for at in shared] for row in unremoved] == plain)
    c.check("site boilerplate: whole documents differ", any(row[place["whole_resemblance"]] != row[place["resemblance"]] for row in rows[1:]))

    by_whole = [row for row in rows[1:] if row[place["rule"]] == "near" and float(row[place["resemblance"]]) < 0.8 <= float(row[place["whole_resemblance"]])]
    c.check("site boilerplate: pairs match by their complete texts", len(by_whole) > 5, len(by_whole))
    c.check("site boilerplate: no pair whose own text differs", all(float(row[place["resemblance"]]) >= 0.3 for row in rows[1:]))

    for verb, *options in (("dedup", "-t", "0.7"), ("cluster", "-t", "0.5")):
        name, trees = f"site boilerplate {verb} {' '.join(options)}", []
        for inputs, more in (([*parts], ("-j", "1")), ([*parts], ("-j", "7")), ([*parts][::-1], ("-j", "2")), ([*parts], ("--memory", "1")), ([*parts], ("--memory", "300kB", "--scratch", folder))):
            out = c.out(f"{name} {len(trees)}")
            done = c.run(verb, *inputs, "-o", out, "--tables", "tsv", "-q", "--boilerplate", "12", *options, *more)
            if not c.check(f"{name}: runs", done.returncode == 0, done.stderr):
                return
            trees.append({path: content for path, content in tree_of(out).items() if path != "summary.json"} if inputs[0] != parts[0] else tree_of(out))
        same = [tree for at, tree in enumerate(trees) if at != 2]
        c.check(f"{name}: the same bytes", all(tree == same[0] for tree in same))
        c.check(f"{name}: the same tables in any order of files", all(same[0].get(path) == content for path, content in trees[2].items()))

    out = c.out("site boilerplate 12 dedup 0.8")
    near = next(dict(zip(rows[0], row)) for row in rows[1:] if row[place["rule"]] == "near" and row[place["whole_resemblance"]] != row[place["resemblance"]])
    done = c.run("explain", near["removed_id"], near["kept_id"], "--run", out, "--format", "json")
    explained = json.loads(done.stdout) if done.returncode == 0 else {}
    c.check("site boilerplate: explain counts what the run counted", str(explained.get("measures", {}).get("shared")) == near["shared"], (done.stderr, explained, near))
    done = c.run("explain", near["removed_id"], near["kept_id"], "--run", out)
    whole = f"{int(float(near['whole_resemblance']) * 10_000) / 10_000:.4f}"[:5]
    text = " ".join(done.stdout.split())
    c.check("site boilerplate: explain names what was removed", "Removed as boilerplate: of" in text and "“" in text and whole in text, (done.stdout, whole))
    if by_whole:
        whole = dict(zip(rows[0], by_whole[0]))
        done = c.run("explain", whole["removed_id"], whole["kept_id"], "--run", out, "--format", "json")
        explained = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check("site boilerplate: explain says that boilerplate decided", explained.get("reaches") is True and "with boilerplate reaches 0.8; without it, 0." in explained.get("verdict", ""), (done.stderr, explained))
    page = (out / "report.html").read_text(encoding="utf-8")
    c.check("site boilerplate: the report shows what was removed", "Removed boilerplate" in page and said["largest_sites"][0]["most_frequent"][0]["text"][:20] in page)
    done = c.run("dedup", docs, "-o", c.out("site boilerplate verbose"), "-v", "--boilerplate", "12")
    c.check("site boilerplate: shown with -v", done.returncode == 0 and "passages of boilerplate" in done.stderr and "alpha.example" in done.stderr, done.stderr)

    low = c.out("site boilerplate 12 cluster 0.5")
    refusals = (
        ("recluster", low, "-o", c.out("site boilerplate again"), "-t", "0.6"),
        ("cluster", docs, "-o", c.out("site boilerplate method"), "--boilerplate", "12", "--method", "minhash-lsh"),
        ("cluster", docs, "-o", c.out("site boilerplate terms"), "--boilerplate", "12", "--measure", "cosine"),
        ("plan", docs, "--boilerplate", "12"),
        ("dedup", docs, "-o", c.out("site boilerplate field"), "--site-field", "section"),
        *(("dedup", docs, "-o", c.out("site boilerplate value"), "--boilerplate", value) for value in ("0", "x", "101%", "0%", "1.2", "Auto")),
    )
    for refused in refusals:
        done = c.run(*refused)
        c.check(f"site boilerplate: refused by {refused[0]} {refused[-1]}", done.returncode != 0 and "boilerplate" in done.stderr and "panicked" not in done.stderr, done.stderr)

    # A stopped run takes the count from where it was kept, or counts again where the file is damaged.
    truth, out = tree_of(c.out("site boilerplate dedup -t 0.7 3")), c.out("site boilerplate stopped")
    arguments = (*parts, "-o", out, "--tables", "tsv", "-q", "--boilerplate", "12", "-t", "0.7", "--scratch", folder, "--memory", "1")
    state = folder / f"{out.name}.scratch"
    for damage in (None, "boilerplate", "chunks"):
        shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen([str(part) for part in (c.binary, "dedup", *arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline and not (state / "boilerplate").exists():
            time.sleep(0.0005)
        process.kill()
        process.wait()
        if damage and (state / damage).exists():
            content = bytearray((state / damage).read_bytes())
            content[len(content) // 2:len(content) // 2 + 1] = bytes(byte ^ 8 for byte in content[len(content) // 2:len(content) // 2 + 1])
            (state / damage).write_bytes(content)
        done = c.run("dedup", *arguments, "--resume", "--force")
        c.check(f"site boilerplate: resumed, {damage or 'nothing'} damaged", done.returncode == 0 and tree_of(out) == truth, done.stderr)
