"""The warning of removals that only a template explains (template_sites of summary.json)."""
import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from fractions import Fraction

import check_run
from boilerplate import LEAST, most, site_of
from checks.harness import Checks, left_behind, summary_of, table_of, tree_of
from checks.inputs import write_jsonl
from checks.site_boilerplate import pages

SAMPLE, LARGEST, FEWEST, ONE_IN = 256, 4096, 10, 10


class Document:
    """What the site of a document depends on."""

    def __init__(self, record: dict, path):
        self.address, self.file = record.get("url"), check_run.Input(path, path, True)


def expected(out, docs: list, settings: dict) -> list:
    """The sites, from the ledger and the texts."""
    records = {}
    for path in docs:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            record = json.loads(line)
            tokens = check_run.tokens(record["text"], settings)
            records[str(path), number] = site_of(Document(record, path), False), check_run.features(tokens, settings)
    header, *rows = table_of(out / "ledger.tsv")
    rows = [dict(zip(header, row)) for row in rows]
    place = lambda row, role: (row[f"{role}_file"], int(row[f"{role}_record"]))
    near = sorted((place(row, "removed"), place(row, "kept")) for row in rows if row["rule"] == "near")
    near = [pair for pair in near if all(len(records[one][1]) <= LARGEST for one in pair)]
    n = len(near)
    sample = [pair for at, pair in enumerate(near) if n <= SAMPLE or at * SAMPLE // n != (at + 1) * SAMPLE // n]
    if len(sample) < FEWEST:
        return []
    of_sites = defaultdict(list)
    for removed, kept in sample:
        if records[removed][0] == records[kept][0]:
            of_sites[records[kept][0]].append((removed, kept))
    found = []
    for site, pairs in of_sites.items():
        kept = {kept for _, kept in pairs}
        holders = Counter(feature for one in kept for feature in records[one][1])
        template = {feature for feature, count in holders.items() if count > most("auto", len(kept))}
        count = 0
        for pair in pairs:
            a, b = (records[one][1] - template for one in pair)
            alike = bool(a & b) and Fraction(len(a & b), len(a | b)) >= check_run.LEAST_REMAINING
            count += bool(template) and not alike
        if count >= FEWEST and count * ONE_IN >= len(pairs):
            found.append({"site": site, "sampled": len(pairs), "mostly_template": count})
    return sorted(found, key=lambda one: (-one["mostly_template"], one["site"]))


def sections(rng: random.Random, site: str, count: int, own: int) -> list:
    """Pages of a site: a header of 100 words, three of which name the section, and some own words."""
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(7)) for _ in range(4000)]
    header = rng.sample(vocabulary, 100)
    found = []
    for section in range(count):
        named = list(header)
        named[section * 97 // count:section * 97 // count + 3] = rng.sample(vocabulary, 3)
        for page in range(6):
            text = " ".join(named + rng.sample(vocabulary, own))
            found.append({"id": f"{site}-{section:02}-{page}", "url": f"https://{site}/{section}/{page}", "text": text})
    return found


def template_warnings(c: Checks) -> None:
    """Which runs warn, recomputed from the texts; the same bytes for any threads, memory and order, and after a stop."""
    folder, rng = c.work / "template-warnings", random.Random(91)
    template = sections(rng, "a.example", 14, 9) + sections(rng, "b.example", 60, 9)
    versions = [{**one, "id": f"v{at}", "url": f"https://c.example/{at}", "text": one["text"] + " more"} for at, one in enumerate(sections(rng, "c.example", 30, 40))]
    unlike = [{"id": f"u{at}", "text": " ".join(f"w{rng.randrange(10**6)}" for _ in range(40))} for at in range(40)]
    unlike += [{**one, "id": one["id"] + "x", "text": one["text"] + " end"} for one in unlike]
    cases = {
        "template": template, "one section": sections(rng, "d.example", 1, 9) * 1, "versions": versions, "unlike": unlike,
        "pages": pages(rng, 900),
    }
    warned = 0
    for name, records in cases.items():
        docs = write_jsonl(folder / f"{name.replace(' ', '-')}.jsonl", records)
        for options in ((), ("-t", "0.6"), ("-t", "0.5", "--mark"), ("--measure", "containment")):
            out = c.out(f"template warnings {name} {' '.join(options)}")
            done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "--max-loss", "100%", *options)
            if not c.check(f"template warnings {name} {options}: runs", done.returncode == 0, done.stderr):
                continue
            summary = summary_of(out)
            said = summary.get("template_sites", [])
            if "containment" not in options:
                wanted = expected(out, [docs], summary["settings"])
                c.check(f"template warnings {name} {options}: the sites", said == wanted, (said, wanted))
            sentence = [one for one in summary["warnings"] if "the template of their site" in one]
            warned += bool(said)
            c.check(f"template warnings {name} {options}: a warning if there are any", len(sentence) == bool(said) and ("besides the template" in done.stdout) == bool(said), (said, sentence, done.stdout))
            page = (out / "report.html").read_text(encoding="utf-8")
            c.check(f"template warnings {name} {options}: in the report", ("besides the template" in page) == bool(said))
    c.check("template warnings: some runs warn", warned > 1, warned)
    said = summary_of(c.out("template warnings template ")).get("template_sites")
    c.check("template warnings: both sites", said and {one["site"] for one in said} == {"a.example", "b.example"}, said)
    for name in ("versions", "unlike"):
        c.check(f"template warnings: none of {name}", "template_sites" not in summary_of(c.out(f"template warnings {name} ")))
    docs = folder / "template.jsonl"
    for options in (("--boilerplate", "auto"), ("--ignore-common", "40")):
        out = c.out(f"template warnings with {options[0]}")
        done = c.run("dedup", docs, "-o", out, "-q", "--max-loss", "100%", *options)
        c.check(f"template warnings: none with {options[0]}", done.returncode == 0 and "template_sites" not in summary_of(out), done.stderr)

    parts = [write_jsonl(folder / "parts" / f"{at}.jsonl", template[at::3]) for at in range(3)]
    trees = []
    for inputs, more in ((parts, ("-j", "1")), (parts, ("-j", "7")), (parts[::-1], ("-j", "2")), (parts, ("--memory", "1")), (parts, ("--scratch", folder))):
        out = c.out(f"template warnings {len(trees)}")
        done = c.run("dedup", *inputs, "-o", out, "--tables", "tsv", "-q", "--max-loss", "100%", *more)
        if not c.check("template warnings: runs", done.returncode == 0, done.stderr):
            return
        trees.append((tree_of(out), summary_of(out).get("template_sites"), inputs is parts))
    c.check("template warnings: the same bytes", all(tree == trees[0][0] for tree, _, same in trees if same))
    c.check("template warnings: the same sites in any order", all(sites == trees[0][1] and sites for _, sites, _ in trees), [sites for _, sites, _ in trees])
    resumed(c, template, rng)


def resumed(c: Checks, template: list, rng: random.Random) -> None:
    """Killed in each phase and gone on with: the same warning, and the same bytes."""
    place = c.work / "template-warnings-resumed"
    filler = [{"id": f"f{at}", "text": " ".join(str(rng.getrandbits(24)) for _ in range(180))} for at in range(12_000)]
    # The pages of the sites are in all chunks.
    step = len(filler) // len(template)
    for at, one in enumerate(template):
        filler.insert(at * (step + 1), one)
    docs = write_jsonl(place / "docs.jsonl", filler)
    out, state = place / "out", place / "out.scratch"

    def arguments(*more) -> list:
        return [str(part) for part in (c.binary, "dedup", docs, "-o", out, "--tables", "tsv", "-q", "--max-loss", "100%", *more)]

    done = subprocess.run(arguments(), capture_output=True, text=True)
    if not c.check("template warnings: undisturbed", done.returncode == 0 and summary_of(out).get("template_sites"), done.stderr):
        return
    truth = tree_of(out)
    shutil.rmtree(out)
    size = lambda path: path.stat().st_size if path.exists() else 0
    moments = {
        # A chunk is 2 MB of text, and the first of them is complete.
        "reading": lambda: size(state / "chunks") > 1 << 22,
        **{name: (lambda name=name: (state / name).exists()) for name in ("units", "postings", "matches")},
        "writing": lambda: any(size(path) > 0 for path in place.glob("out.partial-*/*.tsv")),
    }
    for threads, more in (("1", ()), ("2", ()), ("1", ("--memory", "1")), ("2", ("--memory", "1"))):
        for moment, ready in moments.items():
            name = f"template warnings: killed at {moment} on {threads} threads {' '.join(more)}"
            process = subprocess.Popen(arguments("--resume", "-j", threads, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 120
            while not ready() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.0005)
            alive = process.poll() is None
            process.kill()
            process.wait()
            if c.check(f"{name}: it was not over", alive and not out.exists()):
                # Resumed on another number of threads.
                done = subprocess.run(arguments("--resume", "-j", str(3 - int(threads)), *more), capture_output=True, text=True)
                c.check(f"{name}: goes on", done.returncode == 0 and summary_of(out)["run"].get("resumed"), done.stderr)
                c.check(f"{name}: the same warning and bytes", done.returncode == 0 and tree_of(out) == truth)
                c.check(f"{name}: nothing is left", not left_behind(place) and not state.exists(), os.listdir(place))
            shutil.rmtree(out, ignore_errors=True)
            shutil.rmtree(state, ignore_errors=True)
