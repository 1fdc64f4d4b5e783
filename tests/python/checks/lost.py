"""--max-lost: what is removed, and for which witness, computed from the words of all pairs."""
import random
from collections import Counter
from fractions import Fraction

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_jsonl


def made_texts() -> list:
    """Versions that add, lose, repeat and move words of a few texts."""
    rng = random.Random(57)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(4, 9))) for _ in range(300)]
    bases = [[rng.choice(vocabulary) for _ in range(rng.randint(60, 120))] for _ in range(25)]
    texts = []
    for _ in range(260):
        words = list(rng.choice(bases))
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            at = rng.randrange(len(words) - 12)
            kind = rng.choice(("lose", "add", "replace", "move", "repeat"))
            if kind == "lose":
                del words[at : at + rng.randint(1, 6)]
            elif kind == "add":
                words[at:at] = [rng.choice(vocabulary) for _ in range(rng.randint(1, 6))]
            elif kind == "replace":
                words[at] = rng.choice(vocabulary)
            elif kind == "move":
                words.append(words.pop(at))
            else:
                # The same shingles, and more words: a paragraph twice.
                words = words + words
        # Case and punctuation are no words.
        texts.append(" ".join(word.title() if rng.random() < 0.02 else word for word in words) + rng.choice((".", "", "!")))
    return texts


def lost(c: Checks) -> None:
    folder = c.work / "lost"
    folder.mkdir()
    texts = made_texts()
    names = [f"l{number:03}" for number in range(len(texts))]
    docs = write_jsonl(folder / "docs.jsonl", [{"id": name, "text": text} for name, text in zip(names, texts)])
    words = [Counter(text.lower().strip(".!").split()) for text in texts]
    sequences = [text.lower().strip(".!").split() for text in texts]
    shingles = [{tuple(words[at : at + 5]) for at in range(len(words) - 4)} for words in sequences]

    def is_match(a: int, b: int) -> bool:
        shared = len(shingles[a] & shingles[b])
        return 2 * shared >= len(shingles[a] | shingles[b])

    matches = [[b for b in range(a) if is_match(a, b)] for a in range(len(texts))]

    def expected(most: str) -> dict:
        found: dict = {}
        for a in range(len(texts)):
            for b in matches[a]:
                missing = sum((words[a] - words[b]).values())
                of = sum(words[a].values()) * Fraction(most[:-1]) / 100 if most.endswith("%") else int(most)
                if names[b] not in found and missing <= of:
                    found[names[a]] = names[b]
                    break
        return found

    wholes = []
    for most in ("0", "1", "5", "2.5%", "100%"):
        wanted, trees = expected(most), []
        for extra in (("-j", "1"), ("-j", "5"), ("-j", "2", "--memory", "1")):
            out = c.out(f"lost {most} {extra}")
            done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "-t", "0.5", "--max-lost", most, *extra)
            if c.check(f"lost: {most} runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
        found = {row["removed_id"]: row["kept_id"] for row in dict_table(out / "ledger.tsv")} if trees else {}
        wrong = [(name, found.get(name), wanted.get(name)) for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)]
        c.check(f"lost: {most}: what is removed, and for which witness", not wrong and len(found) > 20, (len(found), wrong[:3]))
        c.check(f"lost: {most}: the same bytes", len(trees) == 3 and trees[0] == trees[1] == trees[2])
        c.check(f"lost: {most}: recorded", bool(trees) and summary_of(out)["settings"].get("max_lost") == most)
        wholes.append(len(found))
    c.check("lost: the more may be lost, the more is removed", wholes[0] < wholes[1] < wholes[2] < wholes[4] and wholes == sorted(wholes[:3]) + wholes[3:], wholes)
    plain = c.out("lost plain")
    c.run("dedup", docs, "-o", plain, "--tables", "tsv", "-q", "-t", "0.5")
    c.check("lost: all may be lost", {row["removed_id"]: row["kept_id"] for row in dict_table(plain / "ledger.tsv")} == expected("100%"))

    # Beside other conditions of a removal, for documents of another collection, and by the best witness.
    half = len(texts) // 2
    first, second = (write_jsonl(folder / f"{at}.jsonl", [{"id": names[n], "text": texts[n]} for n in part]) for at, part in enumerate((range(half), range(half, len(texts)))))
    for name, options in {"contained": ("--contained-only", "0.9"), "best": ("--witness", "best"), "against": ("--against", first), "minhash": ("--method", "minhash-lsh")}.items():
        out = c.out(f"lost {name}")
        done = c.run("dedup", second if name == "against" else docs, "-o", out, "--tables", "tsv", "-q", "-t", "0.5", "--max-lost", "1", *options)
        c.check(f"lost: {name} runs", done.returncode == 0, done.stderr)
        rows = dict_table(out / "ledger.tsv") if done.returncode == 0 else []
        number = {one: at for at, one in enumerate(names)}
        over = [row for row in rows if sum((words[number[row["removed_id"]]] - words[number[row["kept_id"]]]).values()) > 1]
        c.check(f"lost: {name}: no removal loses more", len(rows) > 20 and not over, over[:2])

    done = c.run("explain", *next(iter(expected("1").items())), "--run", c.out("lost 1 ('-j', '1')"))
    c.check("lost: explain says it", done.returncode == 0 and "max_lost=1" in done.stdout, done.stdout[:500] + done.stderr)
    for wrong, words_of_it in ((("--max-lost", "101%"), "share"), (("--max-lost", "few"), "number of words"), (("--max-lost", "1", "--linkage", "components"), "leaders"), (("--max-lost", "1", "--method", "imatch", "--verify", "none"), "verify")):
        done = c.run("dedup", docs, "-o", c.out("lost refused"), "-q", *wrong)
        c.check(f"lost: refused: {wrong}", done.returncode not in (0, 101) and words_of_it in done.stderr and not c.out("lost refused").exists(), done.stderr)
