"""--distinct-by: the pairs of documents that have the named parts in common, by every way of finding them, and no others.

What a document has of each part is known from how it was made, not found in its text.
"""
import random
from itertools import product

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import ids_of, write_jsonl


def made_records() -> tuple[list, dict]:
    """Records in groups that differ in a few words, and by id what each has of every part."""
    rng = random.Random(361)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(5, 9))) for _ in range(400)]
    bodies: list = []
    for _ in range(60):
        bodies.append([rng.choice(vocabulary) for _ in range(rng.randint(70, 110))])
    records, parts = [], {}
    for number in range(370):
        body = list(rng.choice(bodies))
        for _ in range(rng.choice((0, 0, 1, 2))):
            body[rng.randrange(len(body))] = rng.choice(vocabulary)
        # Few values of each, so that documents agree in all of them now and then.
        word, version = rng.choice(["guide", "manual"]), rng.choice(["1.5", "2.0"])
        count, name = rng.choice(["7", "1,200", "1200"]), rng.choice(["Paris", "Oslo"])
        identifier, symbol = rng.choice(["read_all", "readAll", "CVE-2024-17"]), rng.choice(["<", ">"])
        titled = rng.random() < 0.5
        title = f"{word} {version}"
        tail = f"in {name} we count {count} of {identifier} where a {symbol} b"
        text = " ".join(body[:40]) + " and " + tail + "\n" + " ".join(body[40:])
        record = {"id": f"d{number:03}", "text": text if titled else f"{title}\n{text}"}
        if titled:
            record["title"] = title
        language = rng.choice(["en", "de", None])
        if language:
            record["lang"] = language
        records.append(record)
        digits = ["2024", "17"] if identifier.startswith("CVE") else []
        in_text = [] if titled else [version]
        # Also an underscore, and points, commas and hyphens between digits.
        others = {"_": "_" in identifier, "-": bool(digits), ",": "," in count, ".": not titled}
        parts[record["id"]] = {
            "numbers": sorted([count.replace(",", ""), *digits, *in_text]),
            "identifiers": sorted([identifier, *in_text]),
            "title": [word],
            "title+numbers": [word, version],
            "names": [name.lower(), *(["cve"] if digits else [])],
            "symbols": [symbol] + [one for one, has in others.items() if has],
            "lang": language or "",
            "/CVE-(\\d+)/": digits[:1],
            "/Oslo,?|Paris/": [name],
        }
    rng.shuffle(records)
    return records, parts


def pairs_of(out, table: str = "pairs") -> dict:
    return {(row["a_id"], row["b_id"]): tuple(row.values())[6:] for row in dict_table(out / f"{table}.tsv")}


def distinct(c: Checks) -> None:
    folder = c.work / "distinct"
    folder.mkdir()
    records, parts = made_records()
    docs = write_jsonl(folder / "docs.jsonl", records)
    kinds = list(next(iter(parts.values())))

    def agree(a: str, b: str, named: list) -> bool:
        return all(parts[a][one] == parts[b][one] for one in named)

    exact = ("-t", "0.6")
    ways: dict = {"exact " + kind: (exact, [kind]) for kind in kinds}
    ways |= {
        "exact all": (exact, ["numbers", "title", "lang"]),
        "low": (("-t", "0.3"), ["numbers", "names"]),
        "containment": (("--measure", "containment", "-t", "0.7"), ["title", "lang"]),
        "cosine": (("--measure", "cosine", "-t", "0.8"), ["symbols"]),
        "few": (("--min-features", "95", *exact), ["numbers"]),
        "common": (("--ignore-common", "9", *exact), ["identifiers"]),
        "characters": (("--shingle-unit", "char", "-t", "0.8"), ["title+numbers"]),
    }
    for method, verify in product(("minhash-lsh", "imatch", "simhash:d=6"), ("exact", "sketch", "none")):
        ways[f"{method} {verify}"] = (("--method", method, "--verify", verify), ["names", "lang"])
    wholes: dict = {}
    for name, (options, named) in ways.items():
        if options not in wholes:
            out = c.out(f"distinct {name} whole")
            done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", *options)
            c.check(f"distinct: {name} without runs", done.returncode == 0, done.stderr)
            wholes[options] = pairs_of(out) if done.returncode == 0 else {}
        whole = wholes[options]
        expected = {pair: row for pair, row in whole.items() if agree(*pair, named)}
        trees = []
        for extra in (("-j", "1"), ("-j", "5", "--memory", "1")):
            out = c.out(f"distinct {name} {extra}")
            done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", *options, *extra, "--distinct-by", ",".join(named))
            if c.check(f"distinct: {name} runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
                found = pairs_of(out)
                wrong = [(pair, found.get(pair), expected.get(pair)) for pair in found.keys() | expected.keys() if found.get(pair) != expected.get(pair)]
                c.check(f"distinct: {name}: pairs that agree", not wrong, (len(wrong), wrong[:3]))
        c.check(f"distinct: {name}: the same bytes", len(trees) == 2 and trees[0] == trees[1])
        c.check(f"distinct: {name}: some, and fewer", 1 < len(expected) < len(whole), (len(expected), len(whole)))

    # What is kept is what is kept of the documents that agree alone.
    named = ["numbers", "title", "lang"]
    alike: dict = {}
    for record in records:
        alike.setdefault(str([parts[record["id"]][one] for one in named]), []).append(record)
    kept = set()
    for number, part in enumerate(alike.values()):
        out = c.out(f"distinct part {number}")
        c.run("dedup", write_jsonl(folder / f"part{number}.jsonl", part), "-o", out, "-q", *exact)
        kept |= ids_of(out / "kept.jsonl")
    out = c.out("distinct dedup")
    # In another order, and one by one: the same setting.
    options = ["--distinct-by", "lang", "--distinct-by", "title,numbers"]
    done = c.run("dedup", docs, "-o", out, "-q", *exact, *options, "--tables", "tsv")
    found = ids_of(out / "kept.jsonl")
    c.check("distinct: dedup keeps what it keeps of those that agree", done.returncode == 0 and found == kept and 50 < len(kept) < 420, (done.stderr, len(found), len(kept)))
    c.check("distinct: recorded", summary_of(out)["settings"].get("distinct_by") == ["lang", "title", "numbers"], str(summary_of(out)["settings"]))
    low, again = c.out("distinct exact all ('-j', '1')"), c.out("distinct again")
    done = c.run("recluster", low, "-o", again, "--tables", "tsv", "-q", "-t", "0.8")
    c.check("distinct: recluster", done.returncode == 0, done.stderr)
    higher = c.out("distinct higher")
    c.run("cluster", docs, "-o", higher, "--tables", "tsv", "-q", "-t", "0.8", "--distinct-by", "numbers,title,lang")
    c.check("distinct: recluster keeps to it", done.returncode == 0 and pairs_of(again) == pairs_of(higher))

    # Near misses: what is below the threshold and agrees, and what reaches it and does not.
    low, near = c.out("distinct at 0.4"), c.out("distinct near")
    c.run("cluster", docs, "-o", low, "--tables", "tsv", "-q", "-t", "0.4")
    for action in ("cluster", "dedup"):
        done = c.run(action, docs, "-o", near, "--tables", "tsv", "-q", *exact, "--near-misses", "0.2", "--distinct-by", "title,lang", "--force")
        c.check(f"distinct: {action} with near misses runs", done.returncode == 0, done.stderr)
        if done.returncode == 0:
            stays = ids_of(near / "kept.jsonl") if action == "dedup" else set(parts)
            above = wholes[exact]
            wanted = {pair: row for pair, row in pairs_of(low).items() if (pair in above) != agree(*pair, ["title", "lang"]) and stays.issuperset(pair)}
            found = pairs_of(near, "near_misses")
            c.check(f"distinct: {action}: near misses and what is kept apart", found == wanted and len(wanted) > 50, (len(found), len(wanted)))
            apart = sum(pair in above for pair in wanted)
            c.check(f"distinct: {action}: pairs that are kept apart are counted", summary_of(near)["near_misses"].get("kept_apart") == apart > 20, apart)

    # Why two are no pair is said.
    whole = wholes[exact]
    a, b = next(pair for pair in whole if parts[pair[0]]["title"] != parts[pair[1]]["title"] and agree(*pair, ["numbers", "lang"]))
    done = c.run("explain", a, b, "--run", out)
    said = {f"title differs ({parts[x]['title'][0]} / {parts[y]['title'][0]})" for x, y in ((a, b), (b, a))}
    c.check("distinct: explain names the difference", done.returncode == 0 and any(one in done.stdout for one in said), done.stdout[:800] + done.stderr)
    done = c.run("compare", f"{docs}#{a}", f"{docs}#{b}", *exact, "--distinct-by", "title,lang")
    c.check("distinct: compare names the difference", done.returncode == 0 and any(one in done.stdout for one in said) and "lang differs" not in done.stdout, done.stdout[:800] + done.stderr)

    # An index with the same settings, filled in two commits, has the same answer.
    index = c.out("distinct index")
    half = len(records) // 2
    done = c.run("index", "create", index, "-q", *exact, *options)
    c.check("distinct: an index is created", done.returncode == 0, done.stderr)
    for number, part in enumerate((records[:half], records[half:])):
        done = c.run("index", "add", index, write_jsonl(folder / f"half{number}.jsonl", part), "-q")
        c.check("distinct: an index is filled", done.returncode == 0, done.stderr)
    exported = c.out("distinct exported")
    done = c.run("index", "export", index, "-o", exported, "-q", "--tables", "tsv")
    rows = {(row["removed_id"], row["kept_id"]) for row in dict_table(exported / "ledger.tsv")} if done.returncode == 0 else set()
    ledger = {(row["removed_id"], row["kept_id"]) for row in dict_table(out / "ledger.tsv")}
    c.check("distinct: an index decides the same", rows == ledger and len(rows) > 20, (done.stderr, len(rows), len(ledger)))
    done = c.run("index", "check", index)
    c.check("distinct: the sets of an index are those of its texts", done.returncode == 0, done.stdout + done.stderr)
    new = [{**record, "id": "new " + record["id"]} for record in records[:150:3]]
    asked = write_jsonl(folder / "asked.jsonl", new)
    outs = []
    for name, against in (("files", docs), ("index", index)):
        one = c.out(f"distinct against {name}")
        done = c.run("dedup", asked, "--against", against, "-o", one, "-q", *exact, *options, "--tables", "tsv")
        c.check(f"distinct: against {name}", done.returncode == 0, done.stderr)
        outs.append({(row["removed_id"], row["kept_id"]) for row in dict_table(one / "ledger.tsv")} if done.returncode == 0 else set())
    c.check("distinct: against an index is against its documents", outs[0] == outs[1] and len(outs[0]) == len(new), [len(one) for one in outs])

    # Refused.
    for wrong, words_of_it in (("nmbers", "`nmbers`"), ("/(/", "unclosed group"), ("numbers,", "empty name")):
        done = c.run("cluster", docs, "-o", c.out("distinct refused"), "-q", "--distinct-by", wrong)
        c.check(f"distinct: refused: {wrong}", done.returncode not in (0, 101) and words_of_it in done.stderr and not c.out("distinct refused").exists(), done.stderr)
