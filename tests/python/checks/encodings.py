"""Text files in other encodings than UTF-8, among files of UTF-8 and UTF-16."""
from checks.harness import Checks, ledger_of, summary_of
from checks.inputs import texts

# Letters of texts become those of a script: the encodings that have it.
SCRIPTS = {
    "абвгдежзиклмнопрстуфхцчшщэюя": ("windows-1251", "koi8-r", "cp866", "iso-8859-5"),
    "αβγδεζηθικλμνξοπρστυφχψω": ("windows-1253", "iso-8859-7"),
    "àáâãäåçèéêëìíîïñòóôõöùúûü": ("windows-1252", "iso-8859-1"),
    "文字春夏秋冬東西南北山川日月火水木金土人大小上下": ("gb18030", "big5", "shift_jis", "euc-kr"),
}


def encodings(c: Checks) -> None:
    folder, runs = c.work / "encodings", []
    for script, names in SCRIPTS.items():
        made = ["".join(script[ord(letter) % len(script)] if letter.isalpha() else letter for letter in text) for text in texts(53, 60)]
        for name in names:
            made_of = [text.encode(name, errors="ignore").decode(name) for text in made]
            for kind in ("mixed", "utf-8"):
                (folder / name / kind).mkdir(parents=True)
            for number, text in enumerate(made_of):
                encoding = ("utf-8", name, name, "utf-16")[number % 4]
                (folder / name / f"mixed/{number:02}.{('txt', 'md')[number % 3 == 0]}").write_bytes(text.encode(encoding))
                (folder / name / f"utf-8/{number:02}.{('txt', 'md')[number % 3 == 0]}").write_text(text, encoding="utf-8")
            runs.append((f"encoding {name}", "dedup", ["."], ("-t", "0.6", "--text-encoding", name), {"cwd": folder / name / "mixed"}))
    c.all_checked(runs)
    for name in (name for names in SCRIPTS.values() for name in names):
        done = c.run("dedup", ".", "-o", c.out(f"encoding {name} utf-8"), "--tables", "tsv", "-q", "-t", "0.6", cwd=folder / name / "utf-8")
        found, expected = ({one: row["kept"] for one, row in ledger_of(c.out(out)).items()} for out in (f"encoding {name}", f"encoding {name} utf-8"))
        c.check(f"encoding {name}: decisions as of UTF-8", done.returncode == 0 and found == expected and len(found) > 10, (found, expected))
    mixed = folder / "koi8-r/mixed"
    done = c.run("dedup", ".", "-o", c.out("encoding none"), "--tables", "tsv", "-q", "-t", "0.6", cwd=mixed)
    c.check("encodings: without the option, letters are lost", ledger_of(c.out("encoding none")) != ledger_of(c.out("encoding koi8-r")), done.stderr)
    config = folder / "koi.toml"
    config.write_text('text-encoding = "koi8-r"\n')
    for door, more in (("file", {"args": ["--config", config]}), ("variable", {"env": {"LOOKALIKE_TEXT_ENCODING": "koi8-r"}})):
        out = c.out(f"encoding by {door}")
        done = c.run("dedup", ".", "-o", out, "--tables", "tsv", "-q", "-t", "0.6", *more.get("args", []), cwd=mixed, env=more.get("env"))
        c.check(f"encodings: named by a {door}", ledger_of(out) == ledger_of(c.out("encoding koi8-r")), done.stderr)
    settings = summary_of(c.out("encoding koi8-r"))["settings"]["job"]["settings"]
    c.check("encodings: the setting is recorded", settings["formats"]["text_encoding"] == "koi8-r", settings)
    done = c.run("dedup", ".", "-o", c.out("encoding alias"), "--tables", "tsv", "-q", "-t", "0.6", "--text-encoding", "CSKOI8R", cwd=mixed)
    c.check("encodings: another name of it", ledger_of(c.out("encoding alias")) == ledger_of(c.out("encoding koi8-r")), done.stderr)
    for wrong in ("utf-16le", "windwos-1251"):
        done = c.run("dedup", ".", "-o", c.out("encoding wrong"), "--text-encoding", wrong, cwd=mixed)
        c.check(f"encodings: {wrong} is refused", done.returncode == 2 and "--text-encoding" in done.stderr, done.stderr)
