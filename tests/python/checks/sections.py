"""--text-field of several fields and members of lists: pairs computed from the shingles of each text by itself."""
import csv
import json
import random

from checks.harness import Checks, dict_table, tree_of
from checks.inputs import write_jsonl

WORDS = 5


def conversations(rng: random.Random) -> list:
    """Questions with answers, of which turns are repeated, cut, swapped, or said by another."""
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(6)) for _ in range(400)]
    phrase = lambda: " ".join(rng.choices(vocabulary, k=rng.choice((0, 1, 3, 4, 5, 6, 12, 30))))
    made = []
    for _ in range(90):
        turns = [phrase() for _ in range(rng.randint(1, 4))]
        for _ in range(rng.randint(1, 4)):
            own, kind = list(turns), rng.random()
            if kind < 0.2:
                # The same words, divided in another way.
                words = " ".join(own).split()
                at = rng.randint(0, len(words))
                own = [" ".join(words[:at]), " ".join(words[at:])]
            elif kind < 0.4:
                rng.shuffle(own)
            elif kind < 0.6:
                own[-1] = " ".join(own[-1].split()[1:])
            elif kind < 0.7:
                own.append(phrase())
            chat = [{"role": ("user", "bot")[at % 2], "content": text, "score": at} for at, text in enumerate(own)]
            if rng.random() < 0.1:
                chat[0]["content"] = [{"type": "text", "text": own[0]}, {"type": "image", "url": "x"}]
            made.append({"id": f"c{len(made):04}", "chat": chat, "first": own[0], "last": own[-1]})
    return made


def shingles(texts: list) -> frozenset:
    """The shingles of texts, each by itself; one that is shorter is its own shingle."""
    found = set()
    for words in (text.split() for text in texts):
        size = min(WORDS, len(words))
        found |= {tuple(words[at : at + size]) for at in range(len(words) - size + 1) if size}
    return frozenset(found)


def turns(record: dict, role=None) -> list:
    contents = [turn["content"] for turn in record["chat"] if role in (None, turn["role"])]
    return [content if isinstance(content, str) else content[0]["text"] for content in contents]


def sections(c: Checks) -> None:
    folder = c.work / "sections"
    folder.mkdir()
    made = conversations(random.Random(63))
    docs = write_jsonl(folder / "docs.jsonl", made)
    table = folder / "docs.csv"
    with open(table, "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, ("id", "first", "last"), extrasaction="ignore")
        rows.writeheader()
        rows.writerows(made)
    cases = (
        ("all turns", docs, "chat[].content", turns),
        ("one role", docs, "chat[role=user].content", lambda record: turns(record, "user")),
        ("roles in turn", docs, "chat[role=bot].content,chat[role=user].content", lambda record: turns(record, "bot") + turns(record, "user")),
        ("fields", docs, "first,last", lambda record: [record["first"], record["last"]]),
        ("columns", table, "first,last", lambda record: [record["first"], record["last"]]),
    )
    for name, path, field, texts_of in cases:
        sets = {record["id"]: shingles(texts_of(record)) for record in made}
        names = sorted(name for name, own in sets.items() if own)
        expected = set()
        for at, a in enumerate(names):
            for b in names[at + 1 :]:
                shared = len(sets[a] & sets[b])
                if 10 * shared >= 6 * len(sets[a] | sets[b]):
                    expected.add((a, b, str(shared), str(len(sets[a])), str(len(sets[b]))))
        trees = []
        for number, options in enumerate((("-j", "1"), ("-j", "3", "--memory", "1"))):
            out = c.out(f"sections {name} {number}")
            c.run("cluster", path, "-o", out, "--text-field", field, "-t", "0.6", "--tables", "tsv", "-q", *options)
            trees.append(tree_of(out))
        found = {tuple(row[cell] for cell in ("a_id", "b_id", "shared", "size_a", "size_b")) for row in dict_table(out / "pairs.tsv")}
        c.check(f"sections: {name}: the pairs are those of the shingles of each text", found == expected and len(found) > 60, sorted(found ^ expected)[:5])
        c.check(f"sections: {name}: the same bytes for threads and memory", trees[0] == trees[1])
    # What is kept is what was read.
    out = c.out("sections kept")
    c.run("dedup", docs, "-o", out, "--text-field", "chat[].content", "-q")
    written = [path for part in ("kept", "removed", "rejected") for path in out.rglob(f"{part}*") if path.is_file()]
    lines = [line for path in written for line in path.read_bytes().splitlines()]
    c.check("sections: the records are written byte for byte", sorted(lines) == sorted(docs.read_bytes().splitlines()), written)
    # An index has the texts with their sections.
    index, listed = c.work / "sections.index", c.out("sections of an index")
    field = ("--text-field", "chat[].content")
    c.run("index", "create", index, *field, "-t", "0.6", "-q")
    c.run("index", "add", index, docs, *field, "-q")
    c.run("index", "export", index, "--list", "-o", listed, "--tables", "tsv", "-q")
    alone = c.out("sections all turns 0")
    pairs = [{(row["a_id"], row["b_id"], row["shared"]) for row in dict_table(path / "pairs.tsv")} for path in (listed, alone)]
    c.check("sections: an index has the same pairs", pairs[0] == pairs[1] and len(pairs[0]) > 60, sorted(pairs[0] ^ pairs[1])[:5])
    refused = c.run("index", "create", c.work / "plain.index", "-q"), c.run("index", "add", c.work / "plain.index", docs, *field, "-q")
    c.check("sections: an index without sections refuses them", refused[1].returncode == 2 and "joins several texts" in refused[1].stderr, refused[1].stderr)
    # A field that no record has is an error.
    wrong = c.run("cluster", docs, "-o", c.out("sections wrong"), "--text-field", "first,second", "-q")
    c.check("sections: a field that no record has is named", wrong.returncode == 2 and "`second`" in wrong.stderr, wrong.stderr)
    wrong = c.run("cluster", table, "-o", c.out("sections wrong table"), "--text-field", "first[]", "-q")
    c.check("sections: a column without lists is named", "holds no lists" in wrong.stderr, wrong.stderr)
    said = c.run("explain", "--run", alone, *sorted(expected_pair(alone)))
    c.check("sections: explain finds the numbers of a pair again", said.returncode == 0 and "resemblance" in said.stdout.lower(), said.stdout + said.stderr)


def expected_pair(out) -> tuple:
    row = dict_table(out / "pairs.tsv")[0]
    return row["a_id"], row["b_id"]
