"""Usage errors, option values, output streams, exit codes, scratch and output directories."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

from checks.harness import Checks, left_behind, summary_of, tree_of
from checks.inputs import collection, good, write_jsonl


def setting_names(c: Checks) -> None:
    """Settings are options on the terminal, and names in what is stored, which other programs write and read as well."""
    folder = c.work / "setting names"
    folder.mkdir()
    plain = write_jsonl(folder / "plain.jsonl", [{"id": at, "text": f"{at} one two three four five six seven"} for at in range(3)])
    bad = folder / "bad.jsonl"
    bad.write_text(good("a", "b") + '{"id": "c"}\n')
    c.check("a run to be refused", c.run("cluster", plain, "-o", folder / "low", "-q").returncode == 0)
    cut = c.run("cluster", plain, "-o", folder / "cut", "-q", "--max-pairs", "1", "--threshold", "0.1", "--tables", "tsv")
    c.check("a run with too few pairs", cut.returncode == 0, cut.stderr)
    stored = (folder / "cut" / "summary.json").read_text(), (folder / "cut" / "report.html").read_text()
    c.check("a stored warning names the setting", all("limited by the setting max_pairs" in text for text in stored), stored[0])
    spared = ("-o", folder / "never")
    for crate, exit_code, words, arguments in (
        ("io", 1, "--output", ("dedup", plain, "-o", folder / "low")),
        ("io", 1, "replace it with --force", ("dedup", plain, "-o", folder / "low")),
        ("io", 1, "name it with --input-format: jsonl", ("dedup", write_jsonl(folder / "odd.xyz", []), *spared)),
        ("engine", 3, "stopped by --strict", ("dedup", bad, *spared, "--strict")),
        ("engine", 3, "with --text-field", ("dedup", bad, *spared, "--strict")),
        ("engine", 1, "--scratch, or raise --memory", ("dedup", plain, *spared, "--memory", "1", "--scratch", bad / "below")),
        ("lookalike", 2, "--keep=newest: none", ("dedup", plain, *spared, "--keep", "newest")),
        ("lookalike", 2, "needs --linkage=leaders", ("cluster", plain, *spared, "--witness", "best")),
        ("lookalike", 2, "use --threshold=0.8 or more, or run `cluster` again with --measure=resemblance and --threshold=0.7",
         ("recluster", folder / "low", *spared, "-t", "0.7")),
        # Not options of recluster: the message says what they are options of.
        ("lookalike", 1, "cut short by --max-pairs", ("recluster", folder / "cut", *spared, "-t", "0.9")),
        ("methods", 2, "with --lexicon", ("plan", plain, "--method", "simhash:weights=tfidf")),
    ):
        done = c.run(*arguments)
        said = done.returncode == exit_code and words in done.stderr and "the setting " not in done.stderr
        c.check(f"{crate}: {arguments[0]} says {words}", said and not (folder / "never").exists(), f"exit {done.returncode}: {done.stderr}")
    for verb in ("dedup", "cluster"):
        out = folder / f"bad {verb}"
        done = c.run(verb, bad, "-o", out, "--tables", "tsv")
        c.check(f"{verb}: a bad record is shown with the option", done.returncode == 0 and "name it with --text-field" in done.stderr, done.stderr)
        listed = (out / "problems.tsv").read_text(encoding="utf-8")
        c.check(f"{verb}: and stored with the setting", "name it with the setting text_field" in listed and "--" not in listed, listed)
    shown, json_shown = (c.run("cluster", plain, "-o", folder / "again", "--force", "--max-pairs", "1", "--threshold", "0.1", *more) for more in ((), ("--format", "json")))
    c.check("a warning is shown with the option", "limited by --max-pairs" in shown.stdout and "the setting" not in shown.stdout, shown.stdout)
    c.check("JSON is as it is stored", "limited by the setting max_pairs" in json_shown.stdout, json_shown.stdout)


def usage(c: Checks) -> None:
    """Wrong usage, existing results, missing inputs."""
    docs = collection(c.work / "few.jsonl", 31, 60)
    folder = c.work / "usage"
    folder.mkdir()
    out = folder / "twice"
    first, again = (c.run("dedup", docs, "-o", out, "-q") for _ in range(2))
    content = (out / "kept.jsonl").read_bytes()
    c.check("an existing result is not overwritten", first.returncode == 0 and again.returncode == 1 and "--force" in again.stderr, again.stderr)
    c.check("--force replaces it", c.run("dedup", docs, "-o", out, "-q", "--force", "--threshold", "0.2").returncode == 0)
    c.check("it is another now", (out / "kept.jsonl").read_bytes() != content)
    mine = folder / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    done = c.run("dedup", docs, "-o", mine, "--force")
    c.check("--force spares what is no result", done.returncode == 1 and (mine / "thesis.txt").is_file(), done.stderr)
    inside = c.run("dedup", out / "kept.jsonl", "-o", out, "--force")
    c.check("an input inside the output is refused", inside.returncode == 2 and (out / "kept.jsonl").is_file(), inside.stderr)
    for arguments in ((), ("dedup",), ("dedup", docs), ("nonsense",), ("dedup", docs, "-o", "x", "--measure", "luck"), ("dedup", docs, "-o", "x", "--against-only")):
        done = c.run(*arguments, cwd=folder)
        c.check(f"wrong usage is exit code 2: {arguments[:1]}", done.returncode == 2 and "--help" in done.stderr, done.stderr)
    for option, value, hint in (
        ("--threshold", "0", "0.8"), ("--threshold", "1.5", "0.8"), ("--threshold", "80%", "0.8"), ("--threshold", "nan", "0.8"),
        ("--threshold", "80", "0.8"), ("--threshold", "", "0.8"),
        ("--keep", "latest", "longest"), ("--keep", "best", "longest"), ("--keep", "max:", "max:FIELD"), ("--keep", "first,best", "longest"),
        ("--shingle", "0", "1 to 1000"), ("--shingle", "1001", "1 to 1000"), ("--shingle", "five", "--shingle"),
        ("--terms", "kolcz", "cosine"), ("--terms", "none", "kolcz"), ("--normalize", "upper", "nfkc"), ("--shingle-unit", "line", "word"),
        ("--max-record", "much", "MB"), ("--max-record", "0", "--max-record"), ("--memory", "0", "--memory"), ("--memory", "lots", "MB"),
        ("--threads", "many", "--threads"), ("--tables", "xls", "parquet"), ("--format", "xml", "json"), ("--linkage", "single", "leaders"), ("--witness", "last", "first"),
        ("--method", "nosuch", "minhash-lsh"), ("--method", "minhash-lsh:nosuch=1", "nosuch"), ("--method", "minhash-lsh:b=x", "b"),
        ("--method", "imatch:filter=nosuch", "filter"), ("--max-pairs", "few", "--max-pairs"), ("--input-format", "exe", "jsonl"),
    ):
        done = c.run("dedup", docs, "-o", folder / "bad", option, value)
        c.check(f"{option} {value} is wrong usage, with a hint", done.returncode == 2 and hint in done.stderr, f"exit {done.returncode}: {done.stderr}")
    for command in (["dedup"], ["lexicon", "build"]):
        done = c.run(*command, docs, "-o", folder / "bad", "-j", "100000")
        said = done.returncode == 2 and "1024" in done.stderr
        c.check(f"{command[0]}: more threads than make sense are refused", said, done.stderr)
    try:
        odd = os.fsencode(folder) + b"/names/not-utf8-\xff.txt"
        os.makedirs(os.path.dirname(odd))
        with open(odd, "wb") as out:
            out.write(b"a text")
        command = [os.fsencode(c.binary), b"dedup", odd, b"-o", os.fsencode(folder / "bad")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        c.check("a name that is not UTF-8 says what to do", done.returncode == 2 and "directory" in done.stderr, done.stderr)
        done = c.run("dedup", folder / "names", "-o", folder / "names-out", "-q")
        kept = (folder / "names-out" / "kept-files.txt").read_text() if done.returncode == 0 else ""
        c.check("its directory is read", "not-utf8-\\xff.txt" in kept, done.stderr + kept)
    except OSError:
        pass  # Not every file system can hold such a name.
    done = c.run("dedup", "", "-o", folder / "bad")
    c.check("an empty name is wrong usage", done.returncode == 2 and "variable" in done.stderr, done.stderr)
    for name in ("nothing.jsonl", "no*such.jsonl"):
        done = c.run("dedup", folder / name, "-o", folder / "bad")
        c.check(f"missing {name} is named", done.returncode == 1 and name in done.stderr, done.stderr)
    (folder / "odd.xyz").write_text(good("a"))
    done = c.run("dedup", folder / "odd.xyz", "-o", folder / "bad")
    c.check("an unknown form names an option that exists", done.returncode == 1 and "--input-format" in done.stderr, done.stderr)
    done = c.run("dedup", folder / "odd.xyz", "-o", folder / "odd", "--input-format", "jsonl", "-q")
    c.check("--input-format reads it", done.returncode == 0 and summary_of(folder / "odd").get("documents") == 1, done.stderr)
    taken = folder / "taken.jsonl"
    taken.write_text('{"id": "a", "text": "x", "cluster": 5}\n')
    done = c.run("dedup", taken, "-o", folder / "bad", "--mark")
    c.check("a field that --mark would add is refused", done.returncode == 1 and "taken.jsonl:1" in done.stderr and "--mark-prefix" in done.stderr, done.stderr)
    done = c.run("dedup", taken, "-o", folder / "prefixed", "--mark", "--mark-prefix", "dup_", "-q")
    ok = done.returncode == 0 and '"dup_cluster":' in (folder / "prefixed" / "marked.jsonl").read_text()
    c.check("--mark-prefix makes room", ok, done.stderr)
    c.check("failures leave nothing", not (folder / "bad").exists() and not left_behind(folder), left_behind(folder))


def origins_and_secrets(c: Checks) -> None:
    """Messages name the source of an option that is not from the command line; results have no passwords."""
    docs = collection(c.work / "origins.jsonl", 34, 40)
    out, file = c.out("origins"), c.work / "origins.toml"
    file.write_text('keep = ["max:nowhere"]\n')
    for origin, arguments, variables in (
        ("the variable LOOKALIKE_KEEP", (), {"LOOKALIKE_KEEP": "max:nowhere"}),
        (str(file), ("--config", file), {}),
    ):
        done = c.run("dedup", docs, "-o", out, *arguments, env=variables)
        said = done.returncode == 2 and all(words in done.stderr for words in ("--keep=max:nowhere", f"--keep is from {origin}"))
        c.check(f"an option from {origin} that the documents refuse", said and not out.exists(), f"exit {done.returncode}: {done.stderr}")
    # Values that no parser of arguments checks, and files.
    for name, value in (("threshold", "abc"), ("threshold", "true"), ("shingle", "0"), ("max-loss", "30"), ("max-cluster", "0"), ("contained-only", "7"),
                        ("method", "nosuch"), ("method", "minhash-lsh:q=1"), ("preset", "nosuch"), ("plan", "nosuch.plan"), ("against", "nosuch.jsonl"), ("extract-timeout", "0")):
        file.write_text(f"{name} = {value if value in ('true', '0') else json.dumps(value)}\n")
        variable = "LOOKALIKE_" + name.upper().replace("-", "_")
        for origin, arguments, variables in ((f"the variable {variable}", (), {variable: value}), (str(file), ("--config", file), {})):
            done = c.run("dedup", docs, "-o", out, *arguments, env=variables)
            said = done.returncode in (1, 2) and f"--{name} is from {origin}\n" in done.stderr + "\n"
            c.check(f"--{name} {value} from {origin} names it", said and not out.exists(), f"exit {done.returncode}: {done.stderr}")
    for name, value in (("--threshold", "abc"), ("--shingle", "0"), ("--max-loss", "30"), ("--max-cluster", "0"), ("--method", "nosuch")):
        done = c.run("dedup", docs, "-o", out, name, value)
        c.check(f"a message about {name} names it", done.returncode == 2 and name in done.stderr and " is from " not in done.stderr, done.stderr)
    file.write_text('inputs = ["nosuch.jsonl"]\n')
    done = c.run("dedup", "-o", out, "--config", file)
    c.check("an input from a file", done.returncode == 1 and f"\ninputs is from {file}" in done.stderr, done.stderr)
    typed = c.run("dedup", docs, "-o", out, "--keep", "max:nowhere")
    c.check("what was typed has no origin", typed.returncode == 2 and " is from " not in typed.stderr, typed.stderr)
    for name, value in (("--lexicon", docs), ("--key-limit", "7")):
        done = c.run("dedup", docs, "-o", out, "--method", "exact", name, value)
        c.check(f"--method exact refuses {name}", done.returncode == 2 and f"{name} has no effect without a method" in done.stderr and not out.exists(), done.stderr)
    # No input has this extension: the commands are recorded and never started.
    for url in ("https://ann:hunter2@example.org/convert", "https://example.org/convert?X-Amz-Signature=hunter2"):
        done = c.run("dedup", docs, "-o", out, "--force", "--extract", f"xyz=fetch {url} {{}}")
        c.check("a command with a password in it is accepted", done.returncode == 0, done.stderr)
        recorded = summary_of(out)["run"]["command_line"] if done.returncode == 0 else ""
        c.check("the recorded command line has no password", "origins.jsonl" in recorded and "not-recorded" in recorded and "hunter2" not in recorded, recorded)
        config = (out / "config.toml").read_text() if done.returncode == 0 else "hunter2"
        c.check("config.toml has no password", "hunter2" not in config, config)


def escape_sequences(c: Checks) -> None:
    """Names and arguments that hold escape sequences, or no UTF-8, reach no terminal as they are."""
    if os.name != "posix":
        return
    folder = c.work / "escapes"
    folder.mkdir()
    (folder / "a.jsonl").write_text(good("a", "b"))
    (folder / "\x1b[2J\u202e\x9b31m.jsonl").write_text(good("c") + "no json\n")
    (folder / "skipped \x1b]0;title\x07.bin").write_text("x")
    try:
        with open(os.fsencode(folder) + b"/no utf-8 \xff\x1b.jsonl", "w") as file:
            file.write(good("d") + "no json\n")
    except OSError:
        # Some file systems have no such names.
        pass
    out = c.out("escape \x1b[31m sequences")
    hostile = folder / "nothing \x1b[5m here"
    runs = {
        "dedup": ("dedup", folder, "-o", out, "--tables", "tsv", "-v"),
        "JSON": ("dedup", folder, "-o", c.out("escapes json"), "--format", "json"),
        "an existing result": ("dedup", folder, "-o", out),
        "a missing file": ("dedup", hostile, "-o", c.out("never")),
        "compare": ("compare", hostile, hostile),
        "an unknown option": ("dedup", "--\x1b[2J", folder),
        "a wrong value": ("dedup", folder, "-o", out, "--memory", "\x1b[2J"),
        "an unknown method": ("methods", "\x1b[2J"),
        "plan": ("plan", folder, "--format", "json"),
    }
    done = {}
    for name, arguments in runs.items():
        done[name] = c.run(*arguments)
        printed = done[name].stdout + done[name].stderr
        acting = [character for character in printed if character not in "\n\t" and (ord(character) < 32 or 127 <= ord(character) < 160 or character == "\u202e")]
        c.check(f"escape sequences, {name}: nothing acts on a terminal", printed and not acting, repr(printed))
    c.check("escape sequences: the skipped file is named", "skipped \\u{1b}]0;title" in done["dedup"].stderr, done["dedup"].stderr)
    for name, text in (("JSON", done["JSON"].stdout), ("plan", done["plan"].stdout), ("summary.json", (c.out("escapes json") / "summary.json").read_text())):
        try:
            json.loads(text)
            valid = True
        except ValueError:
            valid = False
        c.check(f"escape sequences: {name} is JSON", valid, text)


def streams(c: Checks) -> None:
    """Standard input and output."""
    docs = collection(c.work / "stream.jsonl", 32, 60)
    reference, piped = c.out("stream file"), c.out("stream stdin")
    c.run("dedup", docs, "-o", reference, "-q")
    done = c.run("dedup", "-", "-o", piped, "-q", stdin=docs.read_text(encoding="utf-8"))
    same = done.returncode == 0 and (piped / "kept.jsonl").read_bytes() == (reference / "kept.jsonl").read_bytes()
    c.check("standard input gives the same documents", same, done.stderr)
    c.check("--quiet is quiet", done.stdout == "" and done.stderr == "", done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("stream plain"))
    c.check("no progress line off a terminal", done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout, done.stderr)
    for verb in ("dedup", "cluster"):
        done = c.run(verb, docs, "-o", c.out(f"stream json {verb}"), "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"{verb} --format json prints the summary", said == summary_of(c.out(f"stream json {verb}")) and said.get("documents") == 60, done.stderr)
    for shell in ("bash", "zsh", "fish"):
        c.check(f"completions for {shell}", "lookalike" in c.run("completions", shell).stdout)
    for verb in ("dedup", "cluster", "compare", "explain"):
        c.check(f"{verb} --help has examples", "Examples:" in c.run(verb, "--help").stdout)
    c.check("--help says what the exit codes mean", "not a single document" in c.run("--help").stdout)
    c.check("--version", re.match(r"lookalike \d+\.\d+\.\d+", c.run("--version").stdout))


def standard_error(c: Checks) -> None:
    """A standard error that is closed or full does not fail a run, and hides no failure."""
    docs = collection(c.work / "stderr.jsonl", 33, 40)
    with open(docs, "a", encoding="utf-8") as out:
        out.write("{this is no record\n")
    for name, redirect in (("closed", "2>&-"), ("full", "2>/dev/full")):
        if name == "full" and not os.path.exists("/dev/full"):
            continue
        for what, expected, arguments in (
            ("result", 0, ["dedup", docs, "-o", c.out(f"stderr {name}"), "-v"]),
            ("wrong usage", 2, ["dedup", docs, "-o", c.out(f"stderr usage {name}"), "--keep", "best"]),
            ("failure", 1, ["dedup", c.work / "no-such-file.jsonl", "-o", c.out(f"stderr failed {name}")]),
            ("guard", 3, ["dedup", docs, "-o", c.out(f"stderr guard {name}"), "--strict"]),
        ):
            command = " ".join(shlex.quote(str(part)) for part in (c.binary, *arguments))
            done = subprocess.run(["sh", "-c", f"{command} {redirect}"], capture_output=True, text=True)
            c.check(f"{name} standard error: {what}", done.returncode == expected, f"exit {done.returncode}: {done.stdout}")
        c.check(f"{name} standard error: the result is whole", summary_of(c.out(f"stderr {name}")).get("documents") == 40)


def scratch_directories(c: Checks) -> None:
    """A scratch directory that was being made when the run was killed, or that cannot be made."""
    docs = collection(c.work / "scratched.jsonl", 34, 60)
    folder = c.work / "scratches"
    half_made = ((), ("lock",), ("lock", "job.partial"), ("lock", "job.json"))
    for number, files in enumerate(half_made):
        for resume in ((), ("--resume",)):
            place = folder / f"{number}{'r' if resume else ''}" / "with" / "parents"
            left = place / "out.scratch"
            left.mkdir(parents=True)
            for name in files:
                (left / name).write_text("" if name == "lock" else '{"settings": ')
            out = c.out(f"scratched {number} {resume}")
            done = c.run("dedup", docs, "-o", out.with_name("out"), "-q", "--scratch", place, *resume)
            c.check(f"half-made scratch {files} {resume}: is reused", done.returncode == 0 and not left.exists(), done.stderr)
            shutil.rmtree(out.with_name("out"), ignore_errors=True)
    done = c.run("dedup", docs, "-o", c.out("scratch parents"), "-q", "--scratch", folder / "made" / "by" / "the" / "run")
    c.check("--scratch makes its parents", done.returncode == 0, done.stderr)
    done = c.run("dedup", docs, "-o", c.out("scratch file"), "-q", "--scratch", docs / "below")
    said = done.returncode == 1 and "scratched.jsonl" in done.stderr and "--scratch" in done.stderr
    c.check("a scratch directory that cannot be made is named", said, done.stderr)
    mine = folder / "mine" / "out.scratch"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("years of work")
    done = c.run("dedup", docs, "-o", folder / "out", "-q", "--scratch", folder / "mine")
    c.check("a directory of somebody else is spared", done.returncode == 1 and (mine / "thesis.txt").exists(), done.stderr)


def wrong_values(c: Checks) -> None:
    """Every wrong value of an option of any command is exit code 2; files and guards are not."""
    folder = c.work / "wrong-values"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 91, 60)
    lexicon, run = folder / "docs.lexicon", folder / "run"
    for made in (("lexicon", "build", docs, "-o", lexicon, "-q"), ("cluster", docs, "-o", run, "-t", "0.5", "-q")):
        done = c.run(*made)
        c.check(f"wrong values: {made[0]} runs", done.returncode == 0, done.stderr)
    by_lexicon = ("--method", "imatch", "--lexicon", lexicon, "--lexicon-checksum")
    out = ("-o", folder / "never")
    for code, hint, arguments in (
        (2, "32 hexadecimal", ("dedup", docs, *out, *by_lexicon, "12")), (3, "checksum", ("dedup", docs, *out, *by_lexicon, "0" * 32)),
        (2, "--method", ("dedup", docs, *out, "--key-limit", "3")), (2, "above 0", ("compare", docs, docs, "-t", "80")),
        (2, "LOW..HIGH", ("lexicon", "window", lexicon, "--nidf", "3")), (2, "0 to 1", ("lexicon", "window", lexicon, "--nidf", "2..x")),
        (2, "nosuch", ("lexicon", "build", docs, *out, "--terms", "nosuch")), (2, "nosuch", ("methods", "nosuch")),
        (2, "no parameter", ("methods", "minhash-lsh:zz=1")), (2, "recall", ("plan", docs, "--recall", "2")),
        (2, "--lexicon", ("plan", docs, "--method", "imatch")), (2, "nosuch", ("evaluate", docs, *out, "--methods", "nosuch")),
        (2, "above 0", ("evaluate", docs, *out, "--list-from", "3")), (2, "--list-from", ("evaluate", docs, *out, "--list-from", "0.9")),
        (2, "0.5 or more", ("recluster", run, *out, "-t", "0.3")), (2, "--keep=newest", ("recluster", run, *out, "-t", "0.8", "--keep", "newest")),
        (1, "nowhere", ("recluster", folder / "nowhere", *out, "-t", "0.8")), (1, "--force", ("dedup", docs, "-o", run)),
        (1, "nowhere", ("dedup", folder / "nowhere.jsonl", *out)),
    ):
        done = c.run(*arguments)
        label = " ".join(str(part) for part in arguments if part not in (docs, *out))
        c.check(f"wrong values: {label}: exit code {code}", done.returncode == code and hint in done.stderr, f"exit {done.returncode}: {done.stderr}")
    c.check("wrong values: nothing is left", not (folder / "never").exists() and not left_behind(folder), os.listdir(folder))
    for number, arguments in enumerate((("dedup", "-"), ("plan", docs), ("evaluate", docs, "--methods", "imatch"))):
        scratch = folder / f"made-{number}" / "by" / "the run"
        result = () if arguments[0] == "plan" else ("-o", folder / f"out-{number}")
        done = c.run(*arguments, *result, "--scratch", scratch, stdin=docs.read_text(encoding="utf-8"))
        c.check(f"--scratch of {arguments[0]} makes its parents", done.returncode == 0 and scratch.is_dir(), done.stderr)


def replacing(c: Checks) -> None:
    """Killed while an earlier result is replaced: the old or the new one has the name, whole."""
    folder = c.work / "replacing"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 92, 1500)
    out = folder / "out"
    trees = []
    for threshold in ("0.8", "0.4"):
        done = c.run("dedup", docs, "-o", out, "-q", "--force", "--tables", "tsv", "-t", threshold)
        c.check(f"replacing: {threshold} runs", done.returncode == 0, done.stderr)
        trees.append(tree_of(out))
    c.check("replacing: the two results differ", trees[0] != trees[1])
    for kill in range(24):
        threshold = ("0.8", "0.4")[kill % 2]
        command = [str(part) for part in (c.binary, "dedup", docs, "-o", out, "-q", "--force", "--tables", "tsv", "-t", threshold)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The summary is written last: from here on, files are synced, renamed and deleted.
        while process.poll() is None and not any(folder.glob("out.partial-*/summary.json")):
            time.sleep(0.0005)
        time.sleep(kill * 0.001)
        process.kill()
        process.wait()
        # The next run restores what was aside, and is refused without --force.
        again = c.run("dedup", docs, "-o", out, "-q")
        c.check(f"replacing: kill {kill}: a result has the name", again.returncode == 1 and "--force" in again.stderr, again.stderr)
        found = [at for at, tree in enumerate(trees) if tree_of(out) == tree]
        c.check(f"replacing: kill {kill}: it is one of the two, whole", len(found) == 1, sorted(tree_of(out)))
        for left in folder.glob("out.*"):
            shutil.rmtree(left)
    inputs_in_results(c, folder, docs)


def inputs_in_results(c: Checks, folder: Path, docs: Path) -> None:
    """A result that holds what a run reads is not replaced; a result is no input."""
    out, spare = folder / "holds", folder / "spare"
    c.run("dedup", docs, "-o", out, "-q")
    inside = {name: out / name for name in ("packed.tar", "index", "terms.lexicon", "plan.json", "labels.tsv")}
    with tarfile.open(inside["packed.tar"], "w") as tar:
        tar.add(docs, "docs.jsonl")
    c.run("index", "create", inside["index"], "-q")
    c.run("index", "add", inside["index"], docs, "-q")
    c.run("lexicon", "build", docs, "-o", inside["terms.lexicon"], "-q")
    inside["plan.json"].write_text(c.run("plan", docs, "--format", "json").stdout)
    inside["labels.tsv"].write_text("a_id\tb_id\nr1\tr2\n")
    before = tree_of(out)
    for name, arguments in (
        ("packed.tar", ["dedup", inside["packed.tar"]]),
        ("index", ["dedup", docs, "--against", inside["index"]]),
        ("terms.lexicon", ["dedup", docs, "--method", "imatch", "--lexicon", inside["terms.lexicon"]]),
        ("plan.json", ["dedup", docs, "--plan", inside["plan.json"]]),
        ("labels.tsv", ["evaluate", docs, "--labels", inside["labels.tsv"]]),
    ):
        done = c.run(*arguments, "-o", out, "--force", "-q")
        ok = done.returncode == 2 and f"{name} lies inside it and would be deleted" in done.stderr
        c.check(f"replacing: {name} is not deleted with a result", ok and tree_of(out) == before, (done.returncode, done.stderr))
    for name in inside:
        path = inside[name]
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for arguments in (["dedup", out], ["dedup", docs, "--against", out]):
        done = c.run(*arguments, "-o", spare, "-q")
        ok = done.returncode == 1 and f"name its documents instead: {out}/kept.jsonl" in done.stderr
        c.check("replacing: a result is no input", ok and not spare.exists(), done.stderr)
    # A directory whose documents have such a name is one.
    own = folder / "own"
    own.mkdir()
    (own / "summary.json").write_text('{"id": "a", "text": "the summary of a book, in the words of its author"}\n')
    done = c.run("dedup", own, "-o", spare, "-q")
    c.check("replacing: a summary of the user is read", done.returncode == 0 and summary_of(spare)["documents"] == 1, done.stderr)


def no_report(c: Checks) -> None:
    """`--no-report`: the same result without report.html, recorded in the settings."""
    folder = c.work / "no-report"
    folder.mkdir()
    docs = folder / "docs.jsonl"
    words = [f"word{number}" for number in range(60)]
    docs.write_text("".join(
        json.dumps({"id": f"d{number}", "text": " ".join(words[: 40 + number % 7])}) + "\n" for number in range(30)
    ))

    def files(out: Path) -> dict:
        unlike = ("report.html", "summary.json", "config.toml", "evaluation.json", "methods.tsv")
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name not in unlike}

    runs = {
        "dedup": ("dedup", docs), "cluster": ("cluster", docs), "marked": ("dedup", docs, "--mark"),
        "recluster": ("recluster", c.out("no report with cluster"), "--threshold", "0.9"),
        "evaluate": ("evaluate", docs, "--methods", "exact"),
    }
    for name, arguments in runs.items():
        outs = {}
        for label, options in (("with", ()), ("without", ("--no-report",))):
            outs[label] = c.out(f"no report {label} {name}")
            done = c.run(*arguments, "--output", outs[label], "--tables", "tsv", *options)
            c.check(f"no report: {name} {label} a report runs", done.returncode == 0, done.stderr)
            is_with = label == "with"
            c.check(f"no report: {name} {label}: report.html", (outs[label] / "report.html").is_file() == is_with)
            c.check(f"no report: {name} {label}: what is printed", ("Report:" in done.stdout) == is_with, done.stdout)
            said = json.loads((outs[label] / ("evaluation.json" if name == "evaluate" else "summary.json")).read_text())
            c.check(f"no report: {name} {label}: the settings", said["settings"].get("no_report", False) is not is_with, said["settings"])
        c.check(f"no report: {name}: the same result", files(outs["with"]) == files(outs["without"]) != {})
    done = c.run("explain", "d0", "d7", "--run", c.out("no report without dedup"))
    c.check("no report: explain needs none", done.returncode == 0, done.stderr)
