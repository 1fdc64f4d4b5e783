"""The list of clusters in report.html: decoded, it is the table of clusters, with the texts of the inputs."""
import base64
import json
import random
import re
import zlib
from collections import defaultdict
from pathlib import Path

from checks.harness import Checks, dict_table


def blocks(out: Path) -> dict:
    """The data of a page by name, still compressed: from the page, or from the files beside it."""
    page = (out / "report.html").read_text(encoding="utf-8")
    found = dict(re.findall(r'<script type="text/plain" id="data-(\w+)">([A-Za-z0-9+/=]*)</script>', page))
    for path in (out / "report-data").glob("*.js"):
        name, content = re.fullmatch(r'lookalikeBlock\("(\w+)","([A-Za-z0-9+/=]*)"\);\n', path.read_text(encoding="ascii")).groups()
        assert name == path.stem
        found[name] = content
    return found


def decoded(found: dict) -> tuple[dict, list]:
    """The index, and the clusters of all blocks."""
    plain = {name: json.loads(zlib.decompress(base64.b64decode(content))) for name, content in found.items()}
    index = plain.pop("index")
    return index, [cluster for number in range(len(plain)) for cluster in plain[str(number)]]


def collection(folder: Path) -> list[Path]:
    """Two files with 900 groups of 1 to 4 versions each, and one group of 300."""
    chance = random.Random(11)
    words = [f"w{n}" for n in range(4000)]
    paths = [folder / name for name in ("a.jsonl", "b.jsonl")]
    files = [open(path, "w", encoding="utf-8") for path in paths]
    for group in range(900):
        text = chance.choices(words, k=80)
        for version in range(300 if group == 450 else chance.randint(1, 4)):
            own = list(text)
            if chance.random() < 0.7:
                own[chance.randrange(80)] = f"edit{version}"
            body = " ".join(own) + ("é" * 4000 if group == 7 else "")
            record = {"id": f"{group}-{version}", "title": f"Group {group}", "text": body, "url": f"https://example.org/{group}"}
            files[chance.randrange(2)].write(json.dumps(record, ensure_ascii=False) + "\n")
    for file in files:
        file.close()
    return paths


def report_data(c: Checks) -> None:
    folder = c.work / "report-data"
    folder.mkdir()
    paths = collection(folder)
    texts = {}
    for path in paths:
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            texts[str(path), number] = json.loads(text)
    common = ("-t", "0.6", "--tables", "tsv", "--quiet")
    for verb in ("dedup", "cluster"):
        runs = {
            "one thread": ("-j", "1"), "two threads": ("-j", "2"), "little memory": ("--memory", "8MiB"), "beside": ("--report-size", "1kB"),
            "other order": (),
        }
        found = {}
        for name, options in runs.items():
            out = c.out(f"report {verb} {name}")
            inputs = reversed(paths) if name == "other order" else paths
            done = c.run(verb, *inputs, "-o", out, *common, *options)
            c.check(f"{verb}, {name}: runs", done.returncode == 0, done.stderr)
            c.check(f"{verb}, {name}: data beside the page only where asked for", (out / "report-data").exists() == (name == "beside"))
            found[name] = blocks(out)
        for name in runs:
            c.check(f"{verb}, {name}: the same data", found[name] == found["one thread"])
        out = c.out(f"report {verb} one thread")
        index, clusters = decoded(found["one thread"])
        table = defaultdict(list)
        for row in dict_table(out / "clusters.tsv"):
            table[int(row["cluster"])].append(row)
        c.check(f"{verb}: every cluster is listed once", sorted(index["number"]) == sorted(table) and len(clusters) == len(table))
        sizes = list(zip([-size for size in index["size"]], index["number"]))
        c.check(f"{verb}: the largest first", sizes == sorted(sizes))
        wrong = []
        for at, (number, cluster) in enumerate(zip(index["number"], clusters)):
            rows = table[number]
            documents = cluster["d"]
            leader = next(row for row in rows if row["id"] == row["leader_id"])
            shown = [(d[0], index["sources"][d[1]], d[2]) for d in documents]
            own = (leader["id"], leader["file"], int(leader["record"]))
            members = sorted((row["id"], row["file"], int(row["record"])) for row in rows if row is not leader)
            if shown[0] != own or shown[1:] != members[:200] or cluster["h"] != len(members) - len(members[:200]):
                wrong.append(("documents", number))
            if index["size"][at] != len(rows) or index["id"][at] != leader["id"]:
                wrong.append(("index", number))
            values = {row["id"]: row["resemblance"] for row in rows}
            # Of a member that resembles its leader only through others, it may not be known.
            if any(d[6] is not None and abs(d[6] - float(values[d[0]])) > 1e-9 for d in documents[1:]):
                wrong.append(("similarity", number))
            known = [float(row["resemblance"]) for row in rows if row["resemblance"] != ""]
            if abs(index["least"][at] - min(known)) > 1e-6:
                wrong.append(("least", number))
            if index["files"][at] != sorted({index["sources"].index(row["file"]) for row in rows}):
                wrong.append(("files", number))
            for d, name in zip(documents, shown):
                record = texts[name[1], name[2]]
                whole = record["text"].encode()
                if d[7] == "identical":
                    good = d[4] == "" and whole == texts[shown[0][1], shown[0][2]]["text"].encode()
                else:
                    part = d[4].encode()
                    is_whole = len(whole) <= index["excerpt"]
                    good = whole.startswith(part) and d[5] == (0 if is_whole else len(whole)) and (part == whole) == is_whole
                    good = good and (is_whole or index["excerpt"] - 4 < len(part) <= index["excerpt"]) and d[3] == record["title"]
                if not good:
                    wrong.append(("text", name))
        c.check(f"{verb}: the documents, numbers and texts of every cluster", not wrong, wrong[:5])
    low = c.out("report cluster one thread")
    again = c.out("report recluster")
    done = c.run("recluster", low, "-o", again, "-t", "0.8", "--tables", "tsv", "--quiet")
    index, clusters = decoded(blocks(again))
    table = {int(row["cluster"]) for row in dict_table(again / "clusters.tsv")}
    c.check("recluster: every cluster, without texts", done.returncode == 0 and sorted(index["number"]) == sorted(table) and not any(d[4] for k in clusters for d in k["d"]))
    both = c.run("dedup", *paths, "-o", folder / "never", "--no-report", "--report-size", "1MB")
    c.check("--report-size needs a report", both.returncode == 2 and not (folder / "never").exists(), both.stderr)
