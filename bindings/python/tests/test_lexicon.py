"""Lexicons: the bytes of the command, and use in every call that takes document frequencies."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import lookalike
from conftest import jsonl, sample_records, variants

TEXTS = variants(400, seed=41)


def test_frequencies_are_those_of_counting() -> None:
    counts = Counter(word for text in TEXTS for word in set(text.split()))
    lexicon = lookalike.Lexicon.build([*TEXTS, None])
    assert (lexicon.documents, len(lexicon), lexicon.problems) == (len(TEXTS), len(counts), 1)
    assert dict(lexicon.terms(len(counts))) == counts
    assert [count for _, count in lexicon.terms(5)] == sorted(counts.values())[:-6:-1]
    assert [count for _, count in lexicon.terms(5, rarest=True)] == sorted(counts.values())[:5]


@pytest.mark.parametrize("terms", ["all", "kolcz", "stop+stem"])
def test_bytes_are_those_of_the_command(command: str, tmp_path: Path, terms: str) -> None:
    records = sample_records()
    documents = jsonl(tmp_path / "docs.jsonl", records)
    arguments = ["lexicon", "build", documents, "--output", tmp_path / "command.lexicon", "--terms", terms, "--quiet"]
    subprocess.run([command, *map(str, arguments)], check=True)
    expected = (tmp_path / "command.lexicon").read_bytes()
    for number, options in enumerate([{}, {"threads": 1}, {"threads": 4, "memory": "1MiB"}, {"scratch": tmp_path}]):
        lexicon = lookalike.Lexicon.build(records[number:] + records[:number], terms=terms, **options)
        lexicon.save(tmp_path / "saved.lexicon")
        assert (tmp_path / "saved.lexicon").read_bytes() == expected
        opened = lookalike.Lexicon.open(tmp_path / "command.lexicon")
        assert lexicon == opened and hash(lexicon) == hash(opened) and lexicon.checksum == opened.checksum
        assert lexicon.description[1] == opened.description[1]
    body = [{"body": record["text"]} for record in records]
    assert lookalike.Lexicon.build(body, text="body", terms=terms) == opened
    assert lookalike.Lexicon.build([record["text"] for record in records], terms=terms, normalize="nfkc") != opened


def test_every_call_takes_one(tmp_path: Path) -> None:
    lexicon = lookalike.Lexicon.build(TEXTS)
    lexicon.save(tmp_path / "a.lexicon")
    method = {"method": "imatch:nidf=0.1..0.9", "verify": "none"}
    expected = lookalike.dedup(TEXTS, **method)
    for given in (lexicon, tmp_path / "a.lexicon", str(tmp_path / "a.lexicon"), lookalike.Lexicon.open(tmp_path / "a.lexicon")):
        result = lookalike.dedup(iter(TEXTS), lexicon=given, **method)
        assert result.summary["digest"] == expected.summary["digest"]
        stated = result.summary["settings"]["job"]["settings"]["method"]
        assert stated["lexicon_checksum"] == lexicon.checksum
        keys = lookalike.Signer(method["method"], lexicon=given).sign(TEXTS).keys().to_pylist()
        assert keys == lookalike.Signer(method["method"], lexicon=lexicon).sign(TEXTS).keys().to_pylist()
        evaluation = lookalike.evaluate(TEXTS, "imatch:nidf=0.1..0.9@none", lexicons=given)
        assert evaluation.methods.to_pydict() == lookalike.evaluate(TEXTS, "imatch:nidf=0.1..0.9@none").methods.to_pydict()
        assert lookalike.evaluate(TEXTS, "imatch", lexicons=[given, given]).summary["methods"]
    # Another collection's frequencies give other signatures.
    other = lookalike.Lexicon.build(variants(50, seed=42))
    assert lookalike.Signer(method["method"], lexicon=other).sign(TEXTS).keys().to_pylist() != keys


def test_settings_hold_one(tmp_path: Path) -> None:
    lexicon, other = lookalike.Lexicon.build(TEXTS), lookalike.Lexicon.build(TEXTS[:100])
    settings = lookalike.Settings(method="imatch", lexicon=lexicon)
    assert settings.lexicon_checksum == lexicon.checksum
    lexicon.save(tmp_path / "a.lexicon")
    opened = lookalike.Settings(method="imatch", lexicon=lookalike.Lexicon.open(tmp_path / "a.lexicon"))
    assert settings == opened == lookalike.Settings.from_json(settings.to_json()) and hash(settings) == hash(opened)
    assert settings != lookalike.Settings(method="imatch") and settings != lookalike.Settings(method="imatch", lexicon=other)
    assert settings.replace(threshold=0.7).replace(threshold=0.8) == settings
    assert settings.replace(lexicon=other).lexicon_checksum == other.checksum
    # The temporary file lives as long as the settings.
    path = Path(os.fspath(lexicon))
    del lexicon, other
    changed = settings.replace(threshold=0.7)
    del settings
    assert path.exists() and lookalike.dedup(TEXTS, settings=changed).kept()
    again = pickle.loads(pickle.dumps(changed))
    assert again == changed and os.fspath(again.lexicon) != os.fspath(changed.lexicon)
    del changed
    assert not path.exists() and lookalike.dedup(TEXTS, settings=again).kept()
    with pytest.raises(lookalike.LookalikeError) as raised:
        lookalike.dedup(TEXTS, settings=again.replace(lexicon_checksum="0" * 32))
    assert raised.value.code == "lexicon_checksum"


def keys_of(signer: lookalike.Signer) -> list[object]:
    return signer.sign(TEXTS).keys().to_pylist()


def test_lexicons_pickle_by_content_or_by_path_and_checksum(tmp_path: Path) -> None:
    built = lookalike.Lexicon.build([*TEXTS, None])
    built.save(tmp_path / "a.lexicon")
    opened = lookalike.Lexicon.open(tmp_path / "a.lexicon")
    content, place = pickle.dumps(built), pickle.dumps(opened)
    assert len(content) > 1000 > len(place)
    assert pickle.loads(content) == pickle.loads(place) == built and pickle.loads(content).problems == 1
    assert os.fspath(pickle.loads(place)) == str(tmp_path / "a.lexicon")
    signer = lookalike.Signer("imatch", lexicon=built)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(keys_of, (signer,)) == keys_of(signer)
    lookalike.Lexicon.build(TEXTS[:10]).save(tmp_path / "a.lexicon")
    with pytest.raises(lookalike.InputError, match="as when it was pickled") as raised:
        pickle.loads(place)
    assert raised.value.code == "lexicon_checksum"
    path = os.fspath(built)
    del built, signer
    assert not os.path.exists(path)


def test_what_is_no_lexicon_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("something else")
    for path in (tmp_path / "nosuch", tmp_path / "other"):
        with pytest.raises(lookalike.InputError) as raised:
            lookalike.Lexicon.open(path)
        assert raised.value.code == "lexicon" and str(path) in str(raised.value)
    with pytest.raises(lookalike.SettingsError) as wrong:
        lookalike.Lexicon.build(TEXTS, terms="nosuch")
    assert wrong.value.code == "term_filter"
    with pytest.raises(lookalike.DataError, match="no column `body`"):
        lookalike.Lexicon.build({"text": TEXTS}, text="body")
    with pytest.raises(lookalike.DataError, match="strict="):
        lookalike.Lexicon.build([None], strict=True)
    with pytest.raises(lookalike.InputError):
        lookalike.Lexicon.build(TEXTS).save(tmp_path / "no/such/folder")

    def broken() -> object:
        yield from TEXTS
        raise RuntimeError("the cable was cut")

    with pytest.raises(lookalike.DataError, match="the cable was cut"):
        lookalike.Lexicon.build(broken())
    # A lexicon of other terms than the method's.
    with pytest.raises(lookalike.LookalikeError, match="term filter"):
        lookalike.dedup(TEXTS, method="imatch", lexicon=lookalike.Lexicon.build(TEXTS, terms="kolcz"))
