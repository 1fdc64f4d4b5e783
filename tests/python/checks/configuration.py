"""Configuration files, variables, presets, familiar names, sizes, help and manual pages."""
import json
import os
import re
import shlex
import subprocess

from checks.harness import SAMPLES, Checks, dict_table, summary_of, tree_of
from checks.inputs import collection, write_jsonl

CRATES = SAMPLES / "crates.jsonl"


def settings_of(out) -> dict:
    return summary_of(out)["settings"]["job"]["settings"]


def run_with(c: Checks, variables: dict, *arguments, cwd=None) -> subprocess.CompletedProcess:
    """A run with environment variables."""
    command = [str(part) for part in (c.binary, *arguments)]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True)


def configuration(c: Checks) -> None:
    """Each layer wins over those below it, and config.toml gives the same result again."""
    folder = c.work / "configuration"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 71, 80)
    file = folder / "look.toml"
    file.write_text('threshold = 0.6\nshingle_unit = "char"\nmemory = "1GiB"\n[dedup]\nthreshold = 0.65\nkeep = ["longest", "first"]\nno-report = true\n[index.create]\nttl = "9d"\n')
    number = 0

    def run(*arguments, variables=None, verb="dedup", ok=True):
        nonlocal number
        number += 1
        out = folder / f"out-{number}"
        done = run_with(c, variables or {}, verb, docs, "-o", out, "-q", *arguments)
        if ok:
            c.check(f"configuration {number}: runs", done.returncode == 0, done.stderr)
        return (settings_of(out), out) if ok and done.returncode == 0 else ({}, done)

    given, out = run("--config", file)
    c.check("a table of the command wins over the top of the file", given.get("threshold") == "0.65", given)
    c.check("keys may have underscores", given.get("analysis", {}).get("unit") == "char", given)
    c.check("arrays and flags are read", given.get("keep") == ["longest", "first"] and not (out / "report.html").exists(), given)
    given, _ = run("--config", file, verb="cluster")
    c.check("tables of other commands do not count", given.get("threshold") == "0.6" and given.get("keep") == ["first"], given)
    given, _ = run("--config", file, variables={"LOOKALIKE_THRESHOLD": "0.7", "LOOKALIKE_KEEP": ""})
    c.check("a variable wins over the file, an empty one is none", (given.get("threshold"), given.get("keep")) == ("0.7", ["longest", "first"]), given)
    given, _ = run("--config", file, "-t", "0.9", "--keep", "shortest", variables={"LOOKALIKE_THRESHOLD": "0.7"})
    c.check("the command line wins", (given.get("threshold"), given.get("keep")) == ("0.9", ["shortest"]), given)
    given, _ = run(variables={"LOOKALIKE_CONFIG": str(file), "LOOKALIKE_NGRAM": "3"})
    c.check("LOOKALIKE_CONFIG and aliases", (given.get("threshold"), given.get("shingle")) == ("0.65", 3), given)
    given, out = run("--config", file, variables={"LOOKALIKE_NO_REPORT": "false"})
    c.check("a variable turns a flag of the file off", out and (out / "report.html").exists(), given)
    for value in (("--preset", "fineweb"), ()):
        given, _ = run(*value, "--config", file, variables={} if value else {"LOOKALIKE_PRESET": "fineweb"})
        method = (given.get("method") or {}).get("spec", "")
        c.check(f"the file wins over the preset {value}", given.get("threshold") == "0.65" and "t=0.65" in method and given.get("linkage") == "components", given)
    given, _ = run("--shingle", "5", "--threshold", "0.8", "--linkage", "leaders", variables={"LOOKALIKE_PRESET": "gopher"})
    c.check("a default that is typed wins over a preset", (given.get("shingle"), given.get("linkage")) == (5, "leaders"), given)
    (folder / "strict.toml").write_text("strict = true\nquiet = true\n")
    given, _ = run("--config", folder / "strict.toml", "--skip-unreadable")
    (folder / "inputs.toml").write_text(f'inputs = [{json.dumps(str(docs))}]\noutput = {json.dumps(str(folder / "from file"))}\n')
    done = c.run("--config", folder / "inputs.toml", "dedup", "-q")
    c.check("inputs and output from a file", done.returncode == 0 and summary_of(folder / "from file").get("documents") == 80, done.stderr)

    for name, text, words in (
        ("a key", "treshold = 0.9", "is threshold meant?"), ("another command's key", "[dedup]\nreporter = 'x'", "no option of `dedup`"),
        ("a table", "[dedupe]\nthreshold = 0.9", "is dedup meant?"), ("a type", "threshold = {a = 1}", "no command"),
        ("a flag", "strict = 'maybe'", "true or false"), ("twice", "shingle = 5\nngram = 4", "twice"),
        ("TOML", "threshold = ", "bad.toml"), ("a value", "threshold = 7", "0.8"), ("a choice", "measure = 'luck'", "--measure is from"),
        ("requires", "against-only = true", "--against-only is from"), ("config", "config = 'x'", "no option"),
    ):
        bad = folder / "bad.toml"
        bad.write_text(text + "\n")
        _, done = run("--config", bad, ok=False)
        c.check(f"a wrong file, {name}: exit code 2 and {words}", done.returncode == 2 and words in done.stderr, done.stderr)
    _, done = run("--config", folder / "nothing.toml", ok=False)
    c.check("a missing file is named", done.returncode == 2 and "nothing.toml" in done.stderr, done.stderr)
    for variable, value, words in (("LOOKALIKE_TRESHOLD", "0.9", "LOOKALIKE_THRESHOLD meant"), ("LOOKALIKE_STRICT", "maybe", "true or false"), ("LOOKALIKE_MEASURE", "luck", "the variable LOOKALIKE_MEASURE")):
        _, done = run(variables={variable: value}, ok=False)
        c.check(f"a wrong variable {variable}", done.returncode == 2 and words in done.stderr, done.stderr)
    run(variables={"LOOKALIKE_SERVICE_HOST": "10.0.0.1", "LOOKALIKE_DATA": "/x", "LOOKALIKE_PORT": "tcp://1"})

    low = folder / "low"
    c.run("cluster", docs, "-o", low, "-q", "-t", "0.4")
    for name, arguments in {
        "plain": ("dedup", docs), "marked": ("dedup", docs, "--mark", "--mark-prefix", 'a "b"_', "--tables", "tsv"),
        "preset": ("dedup", docs, "--preset", "fineweb", "--bands", "20"), "char": ("cluster", docs, "--shingle-unit", "char", "-t", "0.70"),
        "cosine": ("dedup", docs, "--measure", "cosine", "--terms", "kolcz", "--keep", "longest,first", "--ignore-common", "9"),
        "against": ("dedup", docs, "--against", CRATES, "--against-only"), "recluster": ("recluster", low, "-t", "0.6"),
        "method": ("cluster", docs, "--method", "minhash-lsh", "--seed", "7", "--verify", "none"),
    }.items():
        one, two, three = (folder / f"{name} {at}" for at in range(3))
        running = () if name == "recluster" else ("-j", "1", "--scratch", folder)
        done = c.run(*arguments, "-o", one, "-q", "--no-report", *running)
        again = c.run(arguments[0], "--config", one / "config.toml", "-o", two, "-q", cwd=folder)
        c.check(f"config.toml, {name}: both run", (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr)
        c.check(f"config.toml, {name}: the same result", again.returncode == 0 and tree_of(one) == tree_of(two))
        text = (one / "config.toml").read_text()
        c.check(f"config.toml, {name}: it is the same the second time", again.returncode == 0 and (two / "config.toml").read_text().splitlines()[3:] == text.splitlines()[3:] or "preset" in text, text)
        c.check(f"config.toml, {name}: nothing of the machine", not re.search("^(threads|output|scratch|force|quiet) =", text, re.M), text)
    done = c.run("evaluate", docs, "-o", folder / "measured", "-q", "--methods", "exact", "minhash-lsh", "-t", "0.7")
    again = c.run("evaluate", "--config", folder / "measured" / "config.toml", "-o", folder / "measured-2", "-q")
    tables = [(folder / name / "deciles.parquet") for name in ("measured", "measured-2")]
    same = again.returncode == 0 and all(table.is_file() for table in tables) and tables[0].read_bytes() == tables[1].read_bytes()
    c.check("config.toml of evaluate", same, done.stderr + again.stderr + str(os.listdir(folder / "measured")))
    c.check("changed settings win over config.toml", run("--config", folder / "plain 0" / "config.toml", "-t", "0.3")[0].get("threshold") == "0.3")


def presets_and_names(c: Checks) -> None:
    """Presets, --num-perm and its like, and sizes."""
    folder = c.work / "presets"
    folder.mkdir()
    listed = json.loads(c.run("presets", "--format", "json").stdout)
    of_benchmarks = {"gpt3", "palm", "llama2", "cosmopedia", "marin"}
    names = {"fineweb", "slimpajama", "curator", "olmo3", "lee2021", "gopher", "code", "core"} | of_benchmarks
    c.check("presets of decontaminate", {preset["name"] for preset in listed if preset.get("command") == "decontaminate"} == of_benchmarks)
    c.check("all presets are listed", {preset["name"] for preset in listed} == names, listed)
    for preset in listed:
        name, options = preset["name"], preset["options"]
        shown = c.run("presets", name).stdout
        c.check(f"preset {name}: what is shown fits", all(len(line) <= 80 for line in shown.splitlines()) and preset["source"].split()[0] in shown, shown)
        bands = re.search(r"in (\d+) bands of (\d+) minima", shown)
        if bands:
            b, r = map(int, bands.groups())
            wrong = [(s, p) for s, p in preset["s_curve"] if abs(p - (1 - (1 - s**r) ** b)) > 1e-9]
            c.check(f"preset {name}: its curve is 1-(1-s^r)^b", not wrong, wrong)
        words = [word for option, value in options.items() for word in (f"--{option}", value)]
        toml = folder / f"{name}.toml"
        block = shown.split("In a file for --config:\n")[1].split("\n\n")[0]
        toml.write_text("\n".join(line.strip() for line in block.splitlines()) + "\n")
        outs = {way: folder / f"{name} {way}" for way in ("preset", "words", "file", "exact", "unverified")}
        runs = {
            "preset": ("--preset", name), "words": words, "file": ("--config", toml), "exact": ("--preset", name, "--method", "exact"),
        }
        if "method" in options:
            runs["unverified"] = ("--preset", name, "--verify", "none")
        job = ("dedup", CRATES, "--no-report")
        if name in of_benchmarks:
            runs.pop("exact")
            job = ("decontaminate", CRATES, "--against", SAMPLES / "descriptions.csv")
        done = [c.run(*job, "-o", outs[way], "-q", "--tables", "tsv", *arguments) for way, arguments in runs.items()]
        if not c.check(f"preset {name}: runs", all(one.returncode == 0 for one in done), [one.stderr for one in done]):
            continue
        first = tree_of(outs["preset"])
        c.check(f"preset {name}: its options and its file are the same", tree_of(outs["words"]) == first == tree_of(outs["file"]))
        kept = {way: summary_of(out).get("kept", 0) for way, out in outs.items() if out.exists()}
        if name in of_benchmarks:
            continue
        # Verified, the bands find no more than all pairs; unverified, no less than verified.
        c.check(f"preset {name}: verified bands remove no more than the exact join", kept["preset"] >= kept["exact"], kept)
        if "unverified" in kept:
            c.check(f"preset {name}: unverified, the bands remove no less", kept["unverified"] <= kept["preset"], kept)
    done = c.run("dedup", CRATES, "-o", folder / "no", "--preset", "fineweb2")
    c.check("a preset that does not exist", done.returncode == 2 and "slimpajama" in done.stderr, done.stderr)

    def spec(*options):
        out = folder / "spec"
        done = c.run("dedup", CRATES, "-o", out, "--force", "-q", "--no-report", *options)
        return settings_of(out)["method"]["spec"] if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"

    for options, wanted in (
        (("--method", "minhash-lsh", "--num-perm", "256"), "minhash-lsh:k=256"),
        (("--method", "minhash-lsh", "--bands", "20", "--rows", "13"), "minhash-lsh:bands=20,k=260,rows=13"),
        (("--method", "minhash-lsh:w=3", "--bands", "4", "--rows", "5", "--num-perm", "30", "--seed", "42"), "minhash-lsh:bands=4,k=30,rows=5,seed=42,w=3"),
        (("--preset", "olmo3", "--ngram", "3", "--bands", "9"), "minhash-lsh:bands=9,k=99,rows=11,t=0.8,w=3"),
        (("--preset", "olmo3", "--method", "minhash-lsh:t=0.5"), "minhash-lsh:t=0.5"),
    ):
        c.check(f"familiar names: {' '.join(options)}", spec(*options) == wanted, spec(*options))
    for options, words in (
        (("--bands", "20"), "add --method minhash-lsh"), (("--num-perm", "9"), "add --method minhash-lsh"), (("--seed", "9"), "imatch-random"),
        (("--method", "exact", "--rows", "9"), "add --method minhash-lsh"), (("--method", "exact", "--verify", "none"), "--verify"),
        (("--method", "lexical", "--bands", "9"), "minhash-lsh does"), (("--method", "minhash-lsh:bands=9,rows=3", "--bands", "9"), "leave one out"),
        (("--method", "minhash-lsh", "--bands", "9"), "rows"), (("--method", "minhash-lsh", "--bands", "9", "--rows", "9", "--num-perm", "80"), "at most k"),
    ):
        found = spec(*options)
        c.check(f"familiar names are refused: {' '.join(options)}", found.startswith("exit 2") and words in found, found)
    column = write_jsonl(folder / "column.jsonl", [{"key": f"k{at}", "body": "one two three four five six seven"} for at in range(3)])
    done = c.run("dedup", column, "-o", folder / "column", "-q", "--text-column", "body", "--id-column", "key", "--ngram", "4")
    c.check("--text-column, --id-column, --ngram", done.returncode == 0 and summary_of(folder / "column").get("kept") == 1, done.stderr)
    for size in ("1.5GB", "8GiB", "1T", "500M", "0.5GiB", "2000000000", "1tb", "300 MiB"):
        done = c.run("dedup", column, "-o", folder / "size", "--force", "-q", "--text-field", "body", "--memory", size)
        c.check(f"--memory {size}", done.returncode == 0, done.stderr)
    for size in ("1.5", "-1", "1e9", "1PB", "GB"):
        done = c.run("dedup", column, "-o", folder / "size-bad", "-q", f"--memory={size}x")
        c.check(f"--memory {size}x is refused with the forms", done.returncode == 2 and "8GiB" in done.stderr and "1.5GB" in done.stderr, done.stderr)


def helps(c: Checks) -> None:
    """-h and --help of every command fit into 80 columns, wherever they go, and every --help has examples; so do manual pages."""
    def ask(path: list, option: str) -> str:
        return run_with(c, {"COLUMNS": "200"}, *path, option).stdout

    paths, todo = [], [[]]
    while todo:
        path = todo.pop()
        paths.append(path)
        text = ask(path, "--help")
        listed = re.search(r"^Commands:\n((?:  .*\n|\n)+)", text, re.M)
        todo += [path + [name] for name in re.findall(r"^  (\S+)", listed.group(1), re.M) if name != "help"] if listed else []
    c.check("all commands are found", len(paths) > 35 and ["index", "sweep", "add"] in paths, paths)
    for path in paths:
        long, short = ask(path, "--help"), ask(path, "-h")
        name = " ".join(path) or "lookalike"
        wide = [line for line in (long + short).splitlines() if len(line) > 80]
        c.check(f"help of {name}: 80 columns", not wide, wide)
        c.check(f"help of {name}: examples", re.search(r"^Examples?:\n  ", long, re.M), long[-500:])
        c.check(f"help of {name}: -h is the shorter", len(short) <= len(long))
        # Options of the examples exist.
        for command, words in re.findall(r"^  (?:.*\| )?lookalike ((?:[a-z]+ )+)(.*(?:\\\n.*)*)", long, re.M):
            whose = ask(command.split(), "--help")
            while "Usage:" not in whose and " " in command.strip():
                command = command.strip().rpartition(" ")[0]
                whose = ask(command.split(), "--help")
            unknown = [option for option in re.findall(r"(?<= )--[a-z][a-z-]*", " " + words) if option not in whose]
            c.check(f"help of {name}: options of its examples", not unknown, unknown)
    pages = c.work / "man1"
    done = c.run("man", pages)
    written = {path.name for path in pages.iterdir()} if pages.is_dir() else set()
    wanted = {"-".join(["lookalike", *path]) + ".1" for path in paths}
    c.check("a manual page for every command", done.returncode == 0 and written == wanted, written ^ wanted)
    for name in ("lookalike-dedup.1", "lookalike.1", "lookalike-index-add.1"):
        text = (pages / name).read_text()
        c.check(f"{name} has its sections", all(f".SH {title}" in text for title in ("NAME", "SYNOPSIS", "OPTIONS")), text[:500])
    c.check("the page of the command itself is printed", c.run("man").stdout == (pages / "lookalike.1").read_text())


def ports(c: Checks) -> None:
    """The commands of docs/how-to/coming-from.md, as they are written there, and their files."""
    folder = c.work / "ports"
    folder.mkdir()
    (folder / "crates.jsonl").write_bytes(CRATES.read_bytes())
    page = (SAMPLES.parent / "docs" / "how-to" / "coming-from.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"```toml\n# (\S+\.toml)(.*?)```", page, re.S):
        (folder / name).write_text("#" + text)
    commands = re.findall(r"^lookalike (.*)$", page.partition("## On the command line")[2], re.M)
    c.check("the page has commands", len(commands) >= 8, commands)
    for command in commands:
        words = shlex.split(command)
        out = folder / words[words.index("--output") + 1]
        done = c.run(*words, "--tables", "tsv", "-q", "--no-report", cwd=folder)
        c.check(f"port to {out.name}: runs", done.returncode == 0, done.stderr)
        if words[-1] == "exact" or done.returncode:
            continue
        # Verified candidates: no removed pair is below the threshold. Unverified: no fewer are removed.
        measured = settings_of(out)
        low = [row for row in dict_table(out / "ledger.tsv") if row["rule"] == "near" and float(row["resemblance"]) < float(measured["threshold"])]
        c.check(f"port to {out.name}: linked by bands", measured["method"]["verify"] == "exact" and (measured["linkage"] == "components" or not low), low[:3])
        loose = c.run(*words[:-1], f"{out.name} unverified", "--verify", "none", "-q", "--no-report", cwd=folder)
        kept = summary_of(out).get("kept"), summary_of(folder / f"{out.name} unverified").get("kept", 0)
        c.check(f"port to {out.name}: unverified, no more is kept", loose.returncode == 0 and kept[1] <= kept[0], f"{kept} {loose.stderr}")


def dry_runs(c: Checks) -> None:
    """`--dry-run` lists files, settings and a prediction, and writes nothing."""
    folder = c.work / "dry"
    data = folder / "data"
    data.mkdir(parents=True)
    docs = collection(data / "docs.jsonl", 72, 90)
    (data / "more.txt").write_text("a text of some words")
    (data / "odd.bin").write_bytes(b"x")
    out = folder / "out"
    for verb in ("dedup", "cluster"):
        before = sorted(path for path in folder.rglob("*"))
        done = c.run(verb, data, "-o", out, "--dry-run", "-v", "--scratch", folder / "scratch", "--threshold", "0.7")
        c.check(f"{verb} --dry-run writes nothing", done.returncode == 0 and sorted(folder.rglob("*")) == before, done.stderr)
        sizes = f"jsonl +1 +{docs.stat().st_size}"
        said = re.search(sizes, done.stdout) and re.search("text +1 +20", done.stdout) and "at least 0.7 over word 5-shingles" in done.stdout and str(out) in done.stdout
        c.check(f"{verb} --dry-run lists files, settings and the output", said, done.stdout)
        c.check(f"{verb} --dry-run names skipped files", "Would skip 1 file" in done.stdout and "odd.bin" in done.stderr, done.stdout + done.stderr)
        planned = c.run("plan", data, "--command", verb, "--threshold", "0.7", "--format", "json")
        asked = c.run(verb, data, "-o", out, "--dry-run", "--threshold", "0.7", "--format", "json")
        told = json.loads(asked.stdout) if asked.returncode == 0 else {}
        expected = json.loads(planned.stdout)
        # The whole is the sample: the prediction is what a run finds.
        same = all((told.get("plan") or {}).get(name) == expected[name] for name in ("documents", "removed", "similarity") if name in expected)
        c.check(f"{verb} --dry-run predicts what plan does", same and told["plan"]["documents"] == 91, f"{told} {expected}")
    c.run("dedup", docs, "-o", out, "-q")
    done = c.run("dedup", docs, "-o", out, "--dry-run")
    c.check("--dry-run says that a result is in the way", done.returncode == 0 and "But: " in done.stdout and "--force" in done.stdout, done.stdout)
    c.check("not so with --force", "But: " not in c.run("dedup", docs, "-o", out, "--dry-run", "--force").stdout)
    done = c.run("dedup", docs, "-o", folder / "new", "--dry-run", "--against", data / "more.txt")
    c.check("--dry-run with --against: listed, not predicted", done.returncode == 0 and "No prediction: " in done.stdout and "--against" in done.stdout, done.stdout)
    done = c.run("dedup", docs, "-o", folder / "new", "--dry-run", "--keep-n", "2")
    c.check("--dry-run with --keep-n: not predicted", done.returncode == 0 and "No prediction: " in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", "-", "-o", folder / "new", "--dry-run", "--format", "json", stdin=docs.read_text(encoding="utf-8"))
    c.check("--dry-run of standard input", done.returncode == 0 and json.loads(done.stdout)["plan"]["documents"] == 90, done.stderr)
    done = c.run("dedup", docs, "-o", "-", "--dry-run", "--preset", "curator", cwd=folder)
    c.check("--dry-run of a stream, with a preset", done.returncode == 0 and "minhash-lsh" in done.stdout and "character 24-shingles" in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", folder / "nothing.jsonl", "-o", folder / "new", "--dry-run")
    c.check("--dry-run of a missing file", done.returncode == 1 and "nothing.jsonl" in done.stderr, done.stderr)
    done = c.run("dedup", docs, "-o", folder / "new", "--dry-run", "--threshold", "7")
    c.check("--dry-run of wrong settings", done.returncode == 2, done.stderr)
    c.check("nothing was written", not (folder / "new").exists())
