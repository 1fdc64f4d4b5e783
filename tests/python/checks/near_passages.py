"""passages --gaps: stretches of two documents that are nearly the same, by the longest common subsequence of their words."""
import json
import random

from checks.decontaminated import vocabulary, words_of
from checks.harness import Checks, dict_table, summary_of, tree_of


def made(seed: int) -> tuple:
    """Documents with copies of pieces of others, of which some words are changed, left out or added; where each copy stands."""
    rng = random.Random(seed)
    vocab = vocabulary(rng)
    some = lambda count: [rng.choice(vocab) for _ in range(count)]
    texts: list = []
    planted: list = []
    for number in range(120):
        words = some(rng.randint(10, 60))
        if texts and number % 2:
            source = rng.randrange(len(texts))
            start = rng.randrange(max(1, len(texts[source]) - 30))
            copy = texts[source][start : start + rng.randint(25, 60)]
            step = rng.randint(9, 14)
            for at in range(step, len(copy) - 8, step):
                copy[at : at + 1] = rng.choice(([rng.choice(vocab)], [], [copy[at], rng.choice(vocab)]))
            planted.append((number, len(words), len(copy), source))
            words += copy + some(rng.randint(0, 30))
        texts.append(words)
    return [{"id": f"d{number}", "text": " ".join(words)} for number, words in enumerate(texts)], planted


def common(one: list, other: list) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        corner = 0
        for at, against in enumerate(other):
            above = row[at + 1]
            row[at + 1] = corner + 1 if word == against else max(above, row[at])
            corner = above
    return row[-1]


def near_passages(c: Checks) -> None:
    folder = c.work / "near passages"
    folder.mkdir()
    docs, planted = made(3)
    source = folder / "docs.jsonl"
    source.write_text("".join(json.dumps(doc) + "\n" for doc in docs), encoding="utf-8")
    texts = [words_of(doc["text"]) for doc in docs]
    for length, gaps, agree in ((20, 2, "0.8"), (20, 1, "1"), (30, 3, "0.7")):
        name = f"near passages of {length}, {gaps}, {agree}"
        out = c.out(name)
        arguments = ("passages", source, "--tables", "tsv", "-q", "-L", str(length), "--gaps", str(gaps), "--agree", agree)
        done = c.run(*arguments, "-o", out)
        if not c.check(f"{name}: runs", done.returncode == 0, done.stderr):
            continue
        rows, wrong, ranges = dict_table(out / "near.tsv"), [], []
        for row in rows:
            sides = [(int(row[f"{role}id"][1:]), int(row[f"{role}unit"]), int(row[f"{role}units"])) for role in ("", "first_")]
            words = [texts[doc][at : at + units] for doc, at, units in sides]
            cut = [words_of(docs[doc]["text"].encode()[int(row[f"{role}byte"]) : int(row[f"{role}end_byte"])].decode()) for (doc, _, _), role in zip(sides, ("", "first_"))]
            same = int(row["same"])
            good = words == cut and common(*words) >= same and same >= float(agree) * max(map(len, words)) and min(map(len, words)) >= length and sides[0][0] > sides[1][0]
            wrong += [] if good else [row]
            ranges.append(sides)
        c.check(f"{name}: both sides agree as is said", not wrong and len(rows) > (10 if agree != "1" else 2), (wrong[:1], len(rows)))
        inside = lambda part, whole: part[0] == whole[0] and whole[1] <= part[1] and part[1] + part[2] <= whole[1] + whole[2]
        exact = [((int(row["id"][1:]), int(row["unit"]), int(row["units"])), (int(row["first_id"][1:]), int(row["first_unit"]), int(row["units"]))) for row in dict_table(out / "passages.tsv") if row["id"] != row["first_id"]]
        lost = [one for one in exact if not any(inside(one[0], sides[0]) and inside(one[1], sides[1]) for sides in ranges)]
        c.check(f"{name}: every exact passage is in one", not lost and (exact or length > 20), lost[:2])
        if agree == "0.8":
            # Most of each planted copy is in one: the words at its ends may be no part of a run.
            covers = lambda plant: max((min(sides[0][1] + sides[0][2], plant[1] + plant[2]) - max(sides[0][1], plant[1]) for sides in ranges if (sides[0][0], sides[1][0]) == (plant[0], plant[3])), default=0)
            missed = [plant for plant in planted if covers(plant) < 0.7 * plant[2]]
            c.check(f"{name}: planted copies are found", len(missed) <= len(planted) // 10, missed[:3])
        said = summary_of(out)["near"]
        c.check(f"{name}: numbers", (said["passages"], said["documents"]) == (len(rows), len({row["id"] for row in rows})), said)
        again = c.out(f"{name} again")
        done = c.run(*arguments, "-o", again, "-j", "1", "--memory", "64MB")
        c.check(f"{name}: one thread, little memory", done.returncode == 0 and tree_of(again) == tree_of(out), done.stderr)
    for options, said in ((("--agree", "0.9"), "agree=0.9"), (("--gaps", "2", "--within"), "gaps=2"), (("--gaps", "2", "--agree", "1.5"), "1.5"), (("--gaps", "x"), "x"), (("--gaps", "0"), "--gaps=0: a gap has 1 unit or more")):
        out = c.out(f"near passages {' '.join(options)}")
        done = c.run("passages", source, "-o", out, "-q", *options)
        c.check(f"near passages: {' '.join(options)} is refused", done.returncode in (1, 2) and said in done.stderr and not out.exists(), done.stderr)
