"""passages: runs of words that stand twice, what is cut of them and what is left, by brute force over the words of all texts."""
import csv
import json
import random
import unicodedata
from pathlib import Path

import check_run
from checks.decontaminated import vocabulary, words_of, written
from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_csv, write_jsonl

HEADER = "this notice stands above every page of the archive and says nothing of what is below it"


def made(seed: int) -> list:
    """Documents with copies of pieces of others, headers, periods and whole copies."""
    rng = random.Random(seed)
    vocab = vocabulary(rng)
    some = lambda least, most: [rng.choice(vocab) for _ in range(rng.randint(least, most))]
    all_words: list = []
    for number in range(180):
        words = some(0, 90)
        for _ in range(rng.choice((0, 1, 2, 3))):
            if all_words and (source := rng.choice(all_words)):
                start = rng.randrange(len(source))
                at = rng.randint(0, len(words))
                words[at:at] = source[start : start + rng.randint(1, 60)]
        if number % 6 == 0:
            words[:0] = HEADER.split()
        if number % 23 == 0:
            words += ["na"] * rng.randint(5, 40)
        if number % 31 == 7:
            words = list(rng.choice(all_words))
        all_words.append(words)
    lines = lambda words: "\n".join(" ".join(words[at : at + 7]) + "." for at in range(0, len(words), 7))
    texts = [lines(words) if number % 4 == 0 else written(rng, words) for number, words in enumerate(all_words)]
    return [{"n": number, "id": f"d{number}", "text": text or "–", "more": {"text": "no text", "x": [1, 2.50]}} for number, text in enumerate(texts)]


def first_places(texts: list, length: int) -> tuple:
    """The places of each window, ascending: by content."""
    places: dict = {}
    for doc, words in enumerate(texts):
        for at in range(len(words) - length + 1):
            places.setdefault(tuple(words[at : at + length]), []).append((doc, at))
    return places


def later_runs(texts: list, length: int, copies: int) -> list:
    """The longest runs of windows whose first places are consecutive, and not themselves."""
    places = first_places(texts, length)
    runs: list = []
    for doc, words in enumerate(texts):
        last = None
        for at in range(len(words) - length + 1):
            of = places[tuple(words[at : at + length])]
            first = of[0] if len(of) >= copies else None
            if first and last and first == (last[0], last[1] + 1):
                run = runs[-1]
                runs[-1] = (*run[:3], run[3] + 1, min(run[4], len(of)), max(run[5], len(of)))
            elif first:
                runs.append((doc, at, first, length, len(of), len(of)))
            last = first
    return [run for run in runs if run[2] < run[:2]]


def numbers_of(row: dict, *names: str) -> tuple:
    return tuple(int(row[name]) for name in names)


def check_tables(c: Checks, name: str, out: Path, docs: list, length: int, copies: int, number_of, beside: int = 0) -> None:
    """The passages, and that the bytes of both sides are the words. The first documents are `beside` those that are written."""
    texts = [words_of(doc["text"]) for doc in docs]
    wanted = [run for run in later_runs(texts, length, copies) if run[0] >= beside]
    rows = dict_table(out / "passages.tsv")
    found = [(number_of(row), int(row["unit"]), (number_of(row, "first_"), int(row["first_unit"])), *numbers_of(row, "units", "copies", "most_copies")) for row in rows]
    c.check(f"{name}: passages", found == wanted and len(found) > 20, ([one for one in found if one not in wanted][:3], [one for one in wanted if one not in found][:3], len(found)))
    wrong = []
    for row in rows:
        for role, first, end in (("", "byte", "end_byte"), ("first_", "first_byte", "first_end_byte")):
            doc, at = number_of(row, role), int(row[f"{role}unit"])
            inside = docs[doc]["text"].encode()[int(row[first]) : int(row[end])].decode()
            wrong += [] if words_of(inside) == texts[doc][at : at + int(row["units"])] and inside == inside.strip() else [(row, inside)]
    c.check(f"{name}: bytes", not wrong, wrong[:1])
    summary = summary_of(out)
    in_later: set = {(doc, at) for doc, start, _, words, *_ in wanted for at in range(start, start + words)}
    numbers = (len(wanted), len(in_later), max(run[3] for run in wanted) <= summary["longest"], sum(map(len, texts[beside:])))
    c.check(f"{name}: numbers", numbers == (summary["passages"], summary["later_units"], True, summary["units"]), (numbers, summary))


def check_cuts(c: Checks, name: str, out: Path, docs: list, kept: dict, removed: set, length: int, rule: str, whole, number_of, beside: int = 0) -> None:
    """What was cut, from the texts alone: `kept` has the texts by document."""
    texts = [words_of(doc["text"]) for doc in docs]
    edits: dict = {}
    for row in dict_table(out / "edits.tsv"):
        edits.setdefault(number_of(row), []).append((*numbers_of(row, "byte", "end_byte"), row["put"], row["text"]))
    wrong, gone = [], {}
    for doc, of in enumerate(docs):
        data, made_text, at = of["text"].encode(), b"", 0
        gone[doc] = set(range(len(texts[doc]))) if doc in removed else set()
        for first, end, put, text in edits.get(doc, []):
            before, inside = len(words_of(data[:first].decode())), data[first:end].decode()
            gone[doc] |= set(range(before, before + len(words_of(inside))))
            made_text += data[at:first] + check_run.plain(put).encode()
            at = end
            wrong += [] if check_run.plain(text) == inside and words_of(inside) else [(doc, text, inside)]
        made_text += data[at:]
        if doc not in removed:
            left = [word for number, word in enumerate(texts[doc]) if number not in gone[doc]]
            wrong += [] if kept[doc] == made_text.decode() and words_of(kept[doc]) == left else [(doc, kept[doc], made_text)]
    c.check(f"{name}: output and edits give the input", not wrong and edits, wrong[:1])
    cuts = [(number_of(row), int(row["unit"]), number_of(row, "kept_"), int(row["kept_unit"]), int(row["units"]), row) for row in dict_table(out / "cuts.tsv")]
    same = all(texts[doc][at : at + words] == texts[other][place : place + words] for doc, at, other, place, words, _ in cuts)
    bytes_same = all(words_of(docs[doc]["text"].encode()[slice(*numbers_of(row, "byte", "end_byte"))].decode()) == words_of(docs[other]["text"].encode()[slice(*numbers_of(row, "kept_byte", "kept_end_byte"))].decode()) for doc, _, other, _, _, row in cuts)
    c.check(f"{name}: a cut and its witness are the same words", same and bytes_same and len(cuts) > 10)
    by_digest: dict = {}
    for doc, at, _, _, words, row in cuts:
        by_digest.setdefault(row["digest"], set()).add(tuple(texts[doc][at : at + words]))
    c.check(f"{name}: a digest is one of words", all(len(one) == 1 for one in by_digest.values()))
    proved: dict = {doc: set() for doc in gone}
    for doc, at, _, _, words, _ in cuts:
        proved[doc] |= set(range(at, at + words))
    c.check(f"{name}: every word that goes is in a cut", all(gone[doc] <= proved[doc] for doc in gone), [doc for doc in gone if not gone[doc] <= proved[doc]][:3])
    if not whole:
        c.check(f"{name}: all words of cuts go", all(gone[doc] == proved[doc] for doc in gone))
    c.check(f"{name}: counts", summary_of(out)["cut_units"] == sum(map(len, gone.values())) and summary_of(out)["cuts"] == len(cuts) and summary_of(out)["removed"] == len(removed) and summary_of(out)["cut"] == len(edits))
    c.check(f"{name}: the other collection stays", not any(gone[doc] for doc in range(beside)))
    if rule == "kept":
        broken = [(doc, at, other, place) for doc, at, other, place, words, _ in cuts if not gone[other].isdisjoint(range(place, place + words)) or (other, place) >= (doc, at)]
        c.check(f"{name}: every witness stands whole in what is kept", not broken, broken[:3])
    if rule == "kept" and not whole:
        twice = []
        for window, places in first_places(texts, length).items():
            stand = [(doc, at) for doc, at in places if gone[doc].isdisjoint(range(at, at + length))]
            twice += [(window, one, other) for one, other in zip(stand, stand[1:]) if other[0] >= beside and (one[0] != other[0] or one[1] + length <= other[1])]
        c.check(f"{name}: no window stands whole twice", not twice, twice[:1])
    if rule in ("later", "all") and not whole:
        places = first_places(texts, length)
        goes = {doc: set() for doc in gone}
        for of in places.values():
            for doc, at in of[1:] if rule == "later" else of if len(of) > 1 else ():
                goes[doc] |= set(range(at, at + length)) if doc >= beside else set()
        c.check(f"{name}: {rule}", goes == gone)


def jsonl_texts(out: Path, docs: list) -> tuple:
    """Kept texts by document, removed documents, and whether all other fields are as they were."""
    kept, removed, same = {}, set(), True
    for role in ("kept", "removed"):
        path = out / f"{role}.jsonl"
        for line in path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else ():
            record = json.loads(line)
            doc = record["n"]
            same = same and [*record] == [*docs[doc]] and all(record[field] == docs[doc][field] for field in record if field != "text" or role == "removed") and "2.50" in line
            (kept.update({doc: record["text"]}) if role == "kept" else removed.add(doc))
    return kept, removed, same and len(kept) + len(removed) == len(docs)


def whole_lines(c: Checks, name: str, out: Path, docs: list, unit: str) -> None:
    """What goes begins and ends where lines or paragraphs do."""
    wrong = []
    for row in dict_table(out / "edits.tsv"):
        text = docs[int(row["id"][1:])]["text"].encode()
        before, behind = text[: int(row["byte"])].decode(), text[int(row["end_byte"]) :].decode()
        inside = text[int(row["byte"]) : int(row["end_byte"])].decode()
        ends = lambda between: "\n" in between if unit == "line" else any(mark in between for mark in ".!?…")
        gap = lambda text: text[max((at for at, letter in enumerate(text) if letter.isalnum()), default=-1) + 1 :]
        left = next((at for at, letter in enumerate(behind) if letter.isalnum()), len(behind))
        gap_before, gap_behind = gap(before), gap(inside) + behind[:left]
        wrong += [] if (not words_of(before) or ends(gap_before)) and (not words_of(behind) or ends(gap_behind)) else [row]
    c.check(f"{name}: whole {unit}s", not wrong, wrong[:1])


def passages(c: Checks) -> None:
    folder = c.work / "passages"
    folder.mkdir()
    docs = made(11)
    source = folder / "docs.jsonl"
    source.write_text("".join(json.dumps(doc, ensure_ascii=False).replace("2.5]", "2.50]") + "\n" for doc in docs), encoding="utf-8")
    number_of = lambda row, role="": int(row[f"{role}id"][1:])
    trees = {}
    for name, length, copies, rule, whole, options in (
        ("kept", 8, 2, "kept", None, ()), ("one thread", 8, 2, "kept", None, ("-j", "1")), ("three threads", 8, 2, "kept", None, ("-j", "3", "--memory", "64MB")),
        ("little memory", 8, 2, "kept", None, ("--memory", "64KB")),
        ("later", 8, 2, "later", None, ()), ("all", 8, 2, "all", None, ()), ("longer", 13, 2, "kept", None, ()), ("three copies", 8, 3, "kept", None, ()), ("a word", 1, 2, "kept", None, ()),
        ("lines", 8, 2, "kept", "line", ("--whole", "line")), ("sentences", 8, 2, "kept", "sentence", ("--whole", "sentence")),
    ):
        out = c.out(f"passages {name}")
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", "-L", str(length), "--copies", str(copies), "--cut", rule, *options)
        if not c.check(f"passages: {name} runs", done.returncode == 0, done.stderr):
            continue
        kept, removed, same = jsonl_texts(out, docs)
        c.check(f"passages: {name}: other fields", same)
        check_tables(c, f"passages: {name}", out, docs, length, copies, number_of)
        if copies == 2:
            check_cuts(c, f"passages: {name}", out, docs, kept, removed, length, rule, whole, number_of)
        if whole:
            whole_lines(c, f"passages: {name}", out, docs, whole)
        trees[name] = tree_of(out)
        if name == "kept":
            again = c.out("passages again")
            done = c.run("passages", out / "kept.jsonl", "-o", again, "-q", "-L", str(length))
            found = summary_of(again)["cut_units"] if done.returncode == 0 else None
            c.check("passages: what a second run finds are joints", found is not None and found * 50 < summary_of(out)["cut_units"], (found, done.stderr))
    c.check("passages: the same bytes for any threads and memory", trees["kept"] == trees["one thread"] == trees["three threads"] == trees["little memory"])
    spilled = [summary_of(c.out(f"passages {name}"))["run"].get("scratch_bytes", 0) for name in ("kept", "little memory")]
    c.check("passages: what exceeds the memory is spilled", spilled[0] == 0 < spilled[1], spilled)
    listed = c.out("passages none")
    done = c.run("passages", source, "-o", listed, "--tables", "tsv", "-q", "-L", "8", "--cut", "none")
    c.check("passages: none writes no documents", done.returncode == 0 and not (listed / "kept.jsonl").exists() and (listed / "passages.tsv").read_bytes() == trees["kept"]["passages.tsv"], done.stderr)
    against(c, folder, docs)
    other_files(c, folder, docs)
    guards(c, source)


def against(c: Checks, folder: Path, docs: list) -> None:
    """Documents of another collection take precedence, wherever their file is in the order of names, and are not written."""
    write = lambda path, some: path.write_text("".join(json.dumps(doc, ensure_ascii=False).replace("2.5]", "2.50]") + "\n" for doc in some), encoding="utf-8")
    number_of = lambda row, role="": int(row[f"{role}id"][1:])
    for name, count in (("a", 70), ("z", 110)):
        write(folder / f"{name}.jsonl", docs[:count])
        write(folder / "m.jsonl", docs[count:])
        for rule in ("kept", "later", "all"):
            out, title = c.out(f"passages against {name} {rule}"), f"passages: against {name}: {rule}"
            done = c.run("passages", folder / "m.jsonl", "--against", folder / f"{name}.jsonl", "-o", out, "--tables", "tsv", "-q", "-L", "8", "--cut", rule)
            if not c.check(f"{title} runs", done.returncode == 0, done.stderr):
                continue
            kept, removed, _ = jsonl_texts(out, docs)
            c.check(f"{title}: the records of the input", sorted([*kept, *removed]) == [*range(count, len(docs))])
            check_tables(c, title, out, docs, 8, 2, number_of, beside=count)
            everything = kept | {doc: docs[doc]["text"] for doc in range(count)}
            check_cuts(c, title, out, docs, everything, removed, 8, rule, None, number_of, beside=count)
    for name in ("own", "other"):
        (folder / name).mkdir()
        for doc in docs[:40] if name == "other" else docs[40:80]:
            (folder / name / f"{doc['id']}.txt").write_text(doc["text"], encoding="utf-8")
    out = c.out("passages against files")
    done = c.run("passages", folder / "own", "--against", folder / "other", "-o", out, "--tables", "tsv", "-q", "-L", "8")
    if c.check("passages: against files runs", done.returncode == 0, done.stderr):
        listed = [Path(line).name for role in ("kept", "removed") if (out / f"{role}-files.txt").exists() for line in (out / f"{role}-files.txt").read_text(encoding="utf-8").splitlines()]
        c.check("passages: against files: the files of the input", sorted(listed) == sorted(path.name for path in (folder / "own").iterdir()), listed)
    done = c.run("passages", folder / "m.jsonl", "--against", folder / "m.jsonl", "-o", c.out("passages against itself"), "-q")
    c.check("passages: against itself is refused", done.returncode in (1, 2) and "m.jsonl" in done.stderr, done.stderr)


def other_files(c: Checks, folder: Path, docs: list) -> None:
    """CSV and Parquet have the texts of JSONL; text files are listed, as no list of files can have another text."""
    rows = [{"id": doc["id"], "text": unicodedata.normalize("NFC", doc["text"])} for doc in docs]
    texts = {}
    plain_docs = write_jsonl(folder / "same.jsonl", rows)
    table = write_csv(folder / "same.csv", rows)
    for name, source in (("jsonl", plain_docs), ("csv", table)):
        out = c.out(f"passages of {name}")
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", "-L", "8")
        if not c.check(f"passages: {name} runs", done.returncode == 0, done.stderr):
            continue
        if name == "jsonl":
            records = [json.loads(line) for line in (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
        else:
            with open(out / "kept.csv", encoding="utf-8", newline="") as read:
                records = list(csv.DictReader(read))
        texts[name] = {record["id"]: record["text"] for record in records}
    c.check("passages: CSV as JSONL", texts.get("csv") == texts.get("jsonl") and len(texts["csv"]) > 100)
    files = folder / "files"
    files.mkdir()
    for doc in docs[:60]:
        (files / f"{doc['id']}.txt").write_text(doc["text"], encoding="utf-8")
    out = c.out("passages of files")
    done = c.run("passages", files, "-o", out, "--tables", "tsv", "-q", "-L", "8")
    if c.check("passages: files run", done.returncode == 0, done.stderr):
        summary = summary_of(out)
        c.check("passages: files are kept as they are", summary.get("uncut", 0) > 0 and (summary["cut"], summary["removed"], summary["kept"]) == (0, 0, 60) and any("could not be cut" in one for one in summary["warnings"]), summary)
    for command in ("show", "recluster"):
        done = c.run(command, out, *(("--threshold", "0.9", "-o", c.out("passages recluster")) if command == "recluster" else ()))
        c.check(f"passages: {command} says what it needs", done.returncode != 0 and "a result of `passages`" in done.stderr, done.stderr)
    # What is not in the text is not known to be elsewhere: attachments, markup.
    body = " ".join(f"word{number}" for number in range(30))
    mails = "".join(f"From a@b Mon Jan  1 00:00:00 2024\nSubject: {number}\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\n{body}\n--x\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\n{number}\n--x--\n\n" for number in range(3))
    (folder / "forms.mbox").write_text(mails, encoding="utf-8")
    pages = write_jsonl(folder / "pages.jsonl", [{"id": "text", "text": f"So {body} and {body}."}, {"id": "page", "html": f"<p>{body}</p>"}, {"id": "long", "html": f"<p>other words before</p><p>{body}</p>"}, {"id": "more", "text": f"other words before {body}"}])
    for source, numbers in ((folder / "forms.mbox", (0, 0, 2)), (pages, (1, 1, 2))):
        out = c.out(f"passages of {source.name}")
        done = c.run("passages", source, "-o", out, "-q", "-L", "10")
        summary = summary_of(out) if done.returncode == 0 else {}
        c.check(f"passages: {source.name}: nothing is removed that is not a field", (summary.get("removed"), summary.get("cut"), summary.get("uncut")) == numbers, (summary, done.stderr))


def guards(c: Checks, source: Path) -> None:
    """Settings that make no sense, and a loss that is too large: nothing is written."""
    for options, said in ((("--max-loss", "1%"), "max-loss=1%"), (("-L", "0"), "0"), (("-L", "20000"), "16384"), (("--copies", "1"), "1"), (("--cut", "none", "--whole", "line"), "cut=none"), (("--cut", "none", "--max-loss", "5%"), "cut=none"), (("--cut", "some"), "some")):
        out = c.out(f"passages {' '.join(options)}")
        done = c.run("passages", source, "-o", out, "-q", *options)
        c.check(f"passages: {' '.join(options)} is refused", done.returncode in (1, 2, 3) and said in done.stderr and not out.exists(), done.stderr)
    for documents, code in ((100, 3), (99, 0)):
        folder = c.work / f"passages-loss-{documents}"
        text = lambda at: " ".join(f"w{at}n{number}" for number in range(20))
        files = [write_jsonl(folder / f"{name}.jsonl", [{"id": f"{name}{at}", "text": text(at)} for at in of]) for name, of in (("a", range(1000)), ("b", range(documents)))]
        out = c.out(f"passages, loss of {documents}")
        done = c.run("passages", *files, "-o", out, "-q", "-L", "20", "--max-loss", "20%", "--no-report")
        said = code == 0 or f"2000 of 2000 words of {files[1]}" in done.stderr
        c.check(f"passages: a loss of one file of {documents} documents", done.returncode == code and said and out.exists() == (code == 0), done.stderr)
