"""Cases of directories, archives, earlier results, partitions, options with file names, and secrets of URLs."""
import base64
import io
import json
import tarfile
import zlib

from checks.cases import Case

WORDS = "the quick brown fox jumps over the lazy dog near the river bank while seven wise men watch from an old stone bridge"


def row(name: str, more: str = "", **fields) -> str:
    return json.dumps({"id": name, "text": f"{WORDS} {more}".strip(), **fields}) + "\n"


A, B = row("a"), row("b", "and then a very different story about ships begins in the northern harbour town")
COPY = row("copy")
MAIL = b"From: a@b.example\nSubject: %s\nMessage-ID: <%s@x>\n\nwords of a message that is called %s and has a text\n"
# An Arrow file of three rows, of which two are equal.
ARROW = zlib.decompress(base64.b85decode(
    "c-rk$L5|xn3{*GXbW!Ax!=lKM$3CMk=pSU6iPc!5E6M9M&{JR0NA&^wo0Otur%1Qwy;OiDQX+@Lk>Jbaa`~y0+N(T1sGZuXd-cE;k9QUOioFM(t1>Hf$KU5-zi>VW-sk*7*;8dr_?)u+"
    "i(~fck@L6ey&&#Oy}$D^wr#Rs$sVU(UU+>h=R5VWFx&}}+EkMNyZ|us1D{l-hwr7gjk=Dl`uEu1tV`bEChl+(_o=L3s%y;MO<nbhFDm>It826F|KNjaGh_CF>JA;8Z379lX)!=&j|eR}"
    "gj1lQhfa^{Sx=)xc!VB9BoFlv*^3dr4H%Q<otSh&aOi3d9rXk@#sT3NEcynH+TaRzq>w$!wM?u12}^-M<RD-~9ZU;;5U5(4Gp9S-P2k9<R=|6tzQbY)BL;Ucaq5*@uS1$(q;Q6a;mLB*"
    "6+LHqox7zc4BnwnSAIH)BCLS3e&DtiE=1?WZf#5yrq}XY8baoZD^K2u2)02DE$S|{|8L-}Z(t;+Su@iTb(vw;z*nllXbw9KOj>6eCe1e@>Pa7BHCbKHDmpFF&wch?J}Y`RL;)ffymoBt"
    "EJia+Rhl%q=$=8dD4E773p0zoin%B#q6trFXGCO4?5RzQFd0O4J4&;$JU3w=lk}R6MMc3f<a+I=@)~B%vKUfw5jUsGo4^UPGyhlfKjt?WQ@G&"
))
SUMMARY = '{\n  "tool": {\n    "name": "lookalike",\n    "version": "0.1.0"\n  },\n  "command": "dedup"\n}\n'
RESULT = {"summary.json": SUMMARY, "kept.jsonl": A + B, "removed.jsonl": COPY, "ledger.jsonl": '{"id": "a"}\n', "config.toml": ""}


def result(place: str) -> dict:
    return {f"{place}/{name}": content for name, content in RESULT.items()}


def tar(members: dict) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as out:
        for name, content in members.items():
            content = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def left_out(*names: str):
    """A condition: exactly these names are left out."""

    def check(run) -> str | None:
        found = sorted(name for of in run.summary.get("left_out", []) for name in of["names"])
        return None if found == sorted(names) else f"left out: {found}, not {sorted(names)}"

    return check


def no_secret(run) -> str | None:
    texts = [run.stdout, run.stderr, *(path.read_text(errors="replace") for path in run.out.glob("*.*"))]
    return "a secret is shown" if any("hunter2" in text for text in texts) else None


NAMES = "names that begin with _ or ."
EARLIER = "an earlier result in an input"
CASES = [
    Case(NAMES, "files and folders at any depth", {
        "in/part-0.jsonl": A + B, "in/_SUCCESS": "", "in/.part-0.jsonl.crc": "x", "in/_temporary/0/part-0.jsonl": COPY,
        "in/day/_delta_log/0.json": "{}\n", "in/day/_metadata": "x", "in/.staging/x/part.jsonl": COPY,
    }, ["dedup", "in", "--strict"], kept=2, removed={}, problems=0, check=left_out(
        "in/_SUCCESS", "in/.part-0.jsonl.crc", "in/_temporary", "in/day/_delta_log", "in/day/_metadata", "in/.staging")),
    Case(NAMES, "they are read where they are named", {"in/_x.jsonl": A, "in/_y/b.jsonl": B, "in/.z/c.jsonl": COPY},
         ["dedup", "in/_x.jsonl", "in/_y", "in/.z"], kept=2, removed={"identical": 1}, check=left_out()),
    Case(NAMES, "what another argument names is not left out", {"in/a.jsonl": A, "in/_y/b.jsonl": B},
         ["dedup", "in", "in/_y"], kept=2, check=left_out()),
    Case(NAMES, "patterns", {"a.jsonl": A, "_b.jsonl": B, "_t/c.jsonl": COPY}, ["dedup", "*.jsonl"], kept=1, removed={}, check=left_out("_b.jsonl")),
    Case(NAMES, "patterns of any depth", {"x/a.jsonl": A, "x/_t/c.jsonl": COPY}, ["dedup", "**/*.jsonl"], kept=1, removed={}, check=left_out("x/_t")),
    Case(NAMES, "patterns that name them", {"a.jsonl": A, "_b.jsonl": B, "_t/c.jsonl": COPY}, ["dedup", "_*"], kept=2, removed={}, check=left_out()),
    Case(NAMES, "in a tar archive", {"a.tar": tar({"d/a.jsonl": A, "d/_temporary/0/a.jsonl": COPY, "d/_SUCCESS": "", "d/._a.jsonl": "x"})},
         ["dedup", "a.tar", "--strict"], kept=1, removed={}, problems=0, check=left_out("a.tar!d/_temporary", "a.tar!d/_SUCCESS", "a.tar!d/._a.jsonl")),
    Case(NAMES, "of the other collection", {"new.jsonl": COPY + B, "old/_t/a.jsonl": A, "old/o.jsonl": row("o", "an entirely other end of the tale")},
         ["dedup", "new.jsonl", "--against", "old"], kept=2, removed={}, check=left_out("old/_t")),
    Case(NAMES, "a Maildir is mail", {
        "M/cur/_1": MAIL % (b"one", b"1", b"one"), "M/new/1000000002.2.host": MAIL % (b"two", b"2", b"two"), "M/.Sent/cur/1000000003.3.host:2,S": MAIL % (b"three", b"3", b"three"),
        "_Old/cur/1000000004.4.host:2,S": MAIL % (b"four", b"4", b"four"), "_Old/new/5": MAIL % (b"five", b"5", b"five"), "M/dovecot.index": "x",
    }, ["dedup", "."], check=lambda run: None if run.summary["documents"] == 5 else run.summary["documents"]),
    Case(NAMES, "nothing else to read", {"in/_a.jsonl": A}, ["dedup", "in"], code=1, stderr=["1 name left out", "in/_a.jsonl", "no data"]),
    Case(NAMES, "dry run", {"in/a.jsonl": A, "in/_b.jsonl": B}, ["dedup", "in", "-o", "out", "--dry-run", "-v"], no_output=True,
         stderr=["in/_b.jsonl: left out: names that begin with _ or ."]),
    Case(EARLIER, "in a folder", {"in/x.jsonl": A + B, **result("in/clean")}, ["dedup", "in", "--strict"], kept=2, removed={}, problems=0, check=left_out("in/clean")),
    Case(EARLIER, "at any depth", {"in/x.jsonl": A + B, **result("in/u/v/clean"), **result("in/u/clean")}, ["dedup", "in"], kept=2, removed={},
         check=left_out("in/u/v/clean", "in/u/clean")),
    Case(EARLIER, "in a pattern", {"in/x.jsonl": A + B, **result("in/clean")}, ["dedup", "in/*"], kept=2, removed={}, check=left_out("in/clean")),
    Case(EARLIER, "in a deep pattern", {"in/x.jsonl": A + B, **result("in/clean")}, ["dedup", "in/**/*.jsonl"], kept=2, removed={}, check=left_out("in/clean")),
    Case(EARLIER, "its documents are named", {**result("in/one"), **result("in/two")}, ["dedup", "in/*/kept.jsonl"], kept=2, removed={"identical": 2}, check=left_out()),
    Case(EARLIER, "its documents are named by their folder", {"r/kept/a.jsonl": A, "r/kept/u/b.jsonl": B, "r/summary.json": SUMMARY}, ["dedup", "r/kept"], kept=2, check=left_out()),
    Case(EARLIER, "in a tar archive", {"a.tar": tar({"x.jsonl": A + B, **result("clean")})}, ["dedup", "a.tar", "--strict"], kept=2, removed={}, problems=0,
         check=left_out("a.tar!clean")),
    Case(EARLIER, "in the other collection", {"n.jsonl": A, "old/o.jsonl": B, **result("old/clean")}, ["dedup", "n.jsonl", "--against", "old"], kept=1, removed={}),
    Case(EARLIER, "a document of that name", {"in/x.jsonl": A, "in/d/summary.json": B}, ["dedup", "in"], kept=2, check=left_out()),
    Case(EARLIER, "the result itself", result("clean"), ["dedup", "clean"], code=1, stderr=["name its documents instead: clean/kept.jsonl"]),
    Case(EARLIER, "what a killed run has left", {"in/x.jsonl": A, "in/out.partial-4711/kept.jsonl": COPY}, ["dedup", "in"], kept=1, removed={}, check=left_out("in/out.partial-4711")),
    Case(EARLIER, "the next run clears it", {"x.jsonl": A, "out.partial-4711/kept.jsonl": COPY}, ["dedup", "x.jsonl", "-o", "out", "-q"], no_output=True,
         check=lambda run: "it is there" if (run.folder / "out.partial-4711").exists() or not (run.folder / "out/kept.jsonl").exists() else None),
    Case("saved data sets", "one part", {"d/data-0.arrow": ARROW, "d/state.json": "{\n}\n", "d/dataset_info.json": "{\n}\n", "d/cache-1f.arrow": ARROW},
         ["dedup", "d", "--strict"], kept=2, removed={"identical": 1}, problems=0, check=left_out("d/state.json", "d/dataset_info.json", "d/cache-1f.arrow")),
    Case("saved data sets", "several parts", {"dataset_dict.json": "{\n}\n", "train/data-0.arrow": ARROW, "train/state.json": "{\n}\n", "test/state.json": "{\n}\n"},
         ["dedup", "train", "dataset_dict.json"], kept=2, problems=2, check=left_out("train/state.json")),
    Case("saved data sets", "as a whole", {"s/dataset_dict.json": "{\n}\n", "s/train/data-0.arrow": ARROW, "s/train/state.json": "{\n}\n"},
         ["dedup", "s"], kept=2, problems=0, check=left_out("s/dataset_dict.json", "s/train/state.json")),
    Case("saved data sets", "in a tar archive", {"a.tar": tar({"d/state.json": "{\n}\n", "d/data-0.arrow": ARROW})}, ["dedup", "a.tar"], kept=2, problems=0, check=left_out("a.tar!d/state.json")),
    Case("saved data sets", "documents called so", {"d/state.json": A, "d/b.jsonl": B}, ["dedup", "d"], kept=2, problems=0, check=left_out()),
    Case("partitions", "separate by one", {"lang=en/a.jsonl": A + COPY, "lang=de/b.jsonl": row("c")}, ["dedup", ".", "--separate-by", "lang"], kept=2, removed={"identical": 1}),
    Case("partitions", "of text files", {"lang=en/a.txt": WORDS, "lang=en/b.txt": WORDS, "lang=de/b.txt": WORDS}, ["dedup", ".", "--separate-by", "lang"], kept=2, removed={"identical": 1}),
    Case("partitions", "in CSV and a tar archive", {"lang=en/a.csv": f"id,text\na,{WORDS}\n", "b.tar": tar({"lang=en/b.csv": f"id,text\nb,{WORDS}\n", "lang=fr/c.csv": f"id,text\nc,{WORDS}\n"})},
         ["dedup", ".", "--separate-by", "lang"], kept=2, removed={"identical": 1}),
    Case("partitions", "prefer one", {"src=a/x.jsonl": A, "src=b%20c/x.jsonl": COPY}, ["dedup", ".", "--keep", "prefer(src=b c)"], kept=1,
         check=lambda run: None if "copy" in (run.out / "kept/src=b%20c/x.jsonl").read_text() else "the other one is kept"),
    Case("partitions", "the largest of a number", {"q=2/x.jsonl": A, "q=10/x.jsonl": COPY, "q=__HIVE_DEFAULT_PARTITION__/x.jsonl": row("n")}, ["dedup", ".", "--keep", "max:q"],
         removed={"identical": 2}, check=lambda run: None if "copy" in (run.out / "kept/q=10/x.jsonl").read_text() else "another one is kept"),
    Case("partitions", "a field of the record wins", {"lang=en/a.jsonl": row("a", lang="de"), "lang=de/b.jsonl": COPY}, ["dedup", ".", "--separate-by", "lang"], kept=1, removed={"identical": 1}),
    Case("partitions", "dates", {"date=2021-05-01/x.jsonl": A, "date=2023-05-01/x.jsonl": COPY}, ["dedup", ".", "--keep", "newest"],
         check=lambda run: None if "copy" in (run.out / "kept/date=2023-05-01/x.jsonl").read_text() else "the older one is kept"),
    Case("partitions", "an id that is named", {"day=1/x.jsonl": '{"text": "%s"}\n' % WORDS}, ["dedup", ".", "--id-field", "day"], kept=1),
    Case("file names behind options", "--against takes all of them", {"new.jsonl": A + B, "old/1.jsonl": row("o", "something else that nobody has written before"), "old/2.jsonl": COPY, "old/3.jsonl": row("p", "and then a very different story about ships begins in the northern harbour town")},
         ["dedup", "new.jsonl", "--against", "old/1.jsonl", "old/2.jsonl", "old/3.jsonl"], kept=0, removed={"identical": 2}),
    Case("file names behind options", "inputs behind --against", {"new.jsonl": A, "old.jsonl": COPY}, ["dedup", "-o", "out", "-q", "--against", "old.jsonl", "--", "new.jsonl"], no_output=True,
         check=lambda run: None if (run.folder / "out/removed.jsonl").read_text() == A else "it is not removed"),
    Case("file names behind options", "an expanded pattern", {"docs.csv": f"id,text\na,{WORDS}\n", "l/a.csv": "x", "l/b.csv": "x"}, ["evaluate", "docs.csv", "--labels", "l/a.csv", "l/b.csv"],
         code=2, stderr=["--labels takes one file", "l/b.csv"]),
    Case("commands", "a program that does not exist", {"a.xyz": WORDS, "b.jsonl": B}, ["dedup", ".", "--extract", "xyz=no-such-program-of-ours {}"], code=2,
         stderr=["there is no program `no-such-program-of-ours`", "a.xyz"], check=lambda run: "there is a result" if run.out.exists() else None),
    Case("commands", "a program for no input", {"b.jsonl": B}, ["dedup", ".", "--extract", "xyz=no-such-program-of-ours {}"], kept=1),
    Case("commands", "a name like an option", {"-n.xyz": WORDS}, ["dedup", "*.xyz", "--extract", "xyz=cat {}"], kept=1, problems=0,
         check=lambda run: None if run.summary["tokens"] == len(WORDS.split()) else "the file was taken for an option"),
    Case("commands", "the configuration of a run starts none", {"a.xyz": WORDS, "r/summary.json": SUMMARY, "r/config.toml": 'inputs = ["a.xyz"]\nextract = ["xyz=touch trap {}"]\n'},
         ["dedup", "--config", "r/config.toml"], code=2, stderr=["configuration of a run", "--extract=", "xyz=touch trap {}"], check=lambda run: "it was started" if (run.folder / "trap").exists() else None),
    Case("commands", "the configuration of a run, elsewhere", {"a.xyz": WORDS, "own.toml": '# Options of `lookalike dedup` (version 1)\ninputs = ["a.xyz"]\nextract = ["xyz=cat {}"]\n'},
         ["dedup", "--config", "own.toml"], code=2, stderr=["give the option again"]),
    Case("commands", "given again", {"a.xyz": WORDS, "r/summary.json": SUMMARY, "r/config.toml": 'inputs = ["a.xyz"]\nextract = ["xyz=touch trap {}"]\n'},
         ["dedup", "--config", "r/config.toml", "--extract", "xyz=cat {}"], kept=1),
    Case("commands", "a configuration of one's own", {"a.xyz": WORDS, "own.toml": 'inputs = ["a.xyz"]\nextract = ["xyz=cat {}"]\n'}, ["dedup", "--config", "own.toml"], kept=1),
    Case("secrets of URLs", "in messages", {}, ["dedup", "ftp://ann:hunter2@h/a.jsonl?token=hunter2"], code=1, stderr=["ftp://h/a.jsonl"], check=no_secret),
    Case("secrets of URLs", "in the messages of patterns", {}, ["dedup", "https://h/?x[=hunter2"], code=1, check=no_secret),
    Case("secrets of URLs", "one that was not recorded", {}, ["dedup", "https://h/a.jsonl?not-recorded"], code=1, stderr=["recorded without its query", "give the whole address"]),
    Case("secrets of URLs", "in commands", {"a.jsonl": A}, ["dedup", "a.jsonl", "--extract", "xyz=fetch https://h/c?sig=hunter2 {}"], kept=1, check=no_secret),
]
