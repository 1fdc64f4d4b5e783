"""The explain subcommand."""
import json

from checks.harness import Checks
from checks.inputs import good, write_jsonl


def explanations(c: Checks) -> None:
    """`compare` and `explain`."""
    folder = c.work / "explain"
    folder.mkdir()
    a, b = folder / "a.txt", folder / "b.txt"
    a.write_text("a rose is a rose is a rose")
    b.write_text("a rose is a flower is a rose")
    done = c.run("compare", a, b, "--shingle", "4", "--format", "json")
    measures = json.loads(done.stdout)["measures"] if done.returncode == 0 else {}
    ok = (measures.get("shared"), measures.get("size_a"), measures.get("size_b")) == (1, 3, 5)
    # 4-shingles of b: a rose is a, rose is a flower, is a flower is, a flower is a, flower is a rose.
    c.check("compare Broder's roses", ok, done.stdout + done.stderr)
    text = c.run("compare", a, b)
    c.check("compare shows the difference", text.returncode == 0 and "flower" in text.stdout and "\x1b" not in text.stdout, text.stdout)
    docs = write_jsonl(folder / "docs.jsonl", [
        {"id": "one", "text": "the quick brown fox jumps over the lazy dog near the river bank at noon"},
        {"id": "two", "text": "The quick brown fox jumps over the lazy dog near the river bank at noon."},
        {"id": "three", "text": "something else entirely without anything in common at all"},
        {"id": 17, "text": "seventeen is a number and this is a text of its own"},
        {"text": "nobody gave this text a name so it goes by its place"},
    ])
    run = folder / "run"
    c.run("dedup", docs, "-o", run, "-q", cwd=folder)
    for x, y, words_wanted in (("one", "two", ["lexically"]), ("one", "three", ["three"]), ("17", f"{docs}:5", ["0.8"])):
        done = c.run("explain", x, y, "--run", run)
        c.check(f"explain {x} and {y}", done.returncode == 0 and all(word in done.stdout for word in [x, y, *words_wanted]), done.stdout + done.stderr)
        parsed = c.run("explain", x, y, "--run", run, "--format", "json")
        c.check("explain --format json", parsed.returncode == 0 and json.loads(parsed.stdout)["a"]["id"] == x, parsed.stderr)
        same = c.run("compare", f"{docs}#{x}", f"{docs}#{y if y == 'two' or y == 'three' else 5}", "--format", "json")
        agree = same.returncode == 0 and json.loads(same.stdout)["measures"] == json.loads(parsed.stdout)["measures"]
        c.check("compare and explain agree", agree, same.stderr)
    alone = folder / "alone"
    c.run("dedup", docs, "-o", alone, "-q", "--drop-all")
    done = c.run("explain", "one", "two", "--run", alone)
    c.check("explain: nothing of a cluster was kept", done.returncode == 0 and "dropped" in done.stdout and "(keep_n=0)" in done.stdout, done.stdout + done.stderr)
    for arguments in (("explain", "one", "nobody", "--run", run), ("compare", f"{docs}#one", f"{docs}#nobody")):
        done = c.run(*arguments)
        c.check(f"{arguments[0]}: an unknown document is named", done.returncode == 1 and "nobody" in done.stderr, done.stderr)
    odd = write_jsonl(folder / "odd#1.jsonl", [
        {"id": "#a#", "text": "a text"}, {"id": "tab\there", "text": "a text"}, {"id": "line\nend", "text": "a text"}, {"text": "a text"},
    ])
    c.run("dedup", odd, "-o", folder / "odd-run", "-q", cwd=folder)
    for x, y in (("#a#", "tab\there"), ("line\nend", "#a#"), ("tab\there", f"{odd}:4")):
        done = c.run("explain", x, y, "--run", folder / "odd-run", "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"explain knows odd ids: {x!r}", (said.get("a", {}).get("id"), said.get("b", {}).get("id")) == (x, y), done.stderr)
        done = c.run("compare", f"{odd}#{x}", f"{odd}#{4 if ':4' in y else y}", "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"compare knows odd ids: {x!r}", said.get("measures", {}).get("resemblance") == 1, done.stderr)
    (folder / "wide.jsonl").write_bytes(good("a").encode("utf-16"))
    (folder / "cut.jsonl").write_text(good("a") + '{"id": "b", "te')
    for name, why in (("wide.jsonl", "UTF-16"), ("wide.jsonl#a", "UTF-16"), ("cut.jsonl#b", "cut.jsonl:2: the line ends")):
        done = c.run("compare", folder / name, a)
        c.check(f"compare says why there is no {name}", done.returncode == 1 and why in done.stderr, done.stderr)
    done = c.run("explain", "one", "two", "--run", folder)
    c.check("explain: a directory that is no run is named", done.returncode == 1 and str(folder) in done.stderr, done.stderr)
    done = c.run("explain", "one", "one", "--run", run)
    c.check("explain: one document is not compared with itself", done.returncode == 2 and "name two" in done.stderr, done.stderr)
    foreign = folder / "foreign"
    foreign.mkdir()
    (foreign / "summary.json").write_text("{}")
    done = c.run("explain", "one", "two", "--run", foreign)
    ok = done.returncode == 1 and "not written by this version" in done.stderr and str(foreign) in done.stderr
    c.check("explain: a summary of something else is told in words", ok, done.stderr)
    docs.write_text(docs.read_text().replace("quick", "slow"))
    done = c.run("explain", "one", "two", "--run", run)
    c.check("explain: changed inputs are noticed", "chang" in (done.stdout + done.stderr), done.stdout + done.stderr)
