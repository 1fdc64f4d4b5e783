"""The filter of messages: the verdicts of the command."""

from __future__ import annotations

import json
import pickle
import subprocess
import time
from pathlib import Path

import pytest

import lookalike
from conftest import variants

OFFER = " ".join(f"reason {number} to buy it now" for number in range(20))


@pytest.fixture
def prototypes(tmp_path: Path) -> lookalike.Index:
    return lookalike.Index.create(tmp_path / "spam", ttl="90d")


def test_verdicts_are_those_of_the_command(command: str, prototypes: lookalike.Index, tmp_path: Path) -> None:
    texts = [text for text in variants(400, seed=2) if len(text.split()) > 20]
    messages = [{"id": f"m{row}", "text": text} for row, text in enumerate(texts)]
    filter = lookalike.MessageFilter(prototypes.path, min_words=20)
    half = len(messages) // 2
    for reporter in ["ann", "bob", "carl"]:
        done = filter.report("spam", messages[:half], reporter=reporter)
        assert len(done) == half and all(one.counted or not one.new for one in done)
    filter.report("ham", messages[3]["text"], reporter="dora")
    (tmp_path / "messages.jsonl").write_text("".join(json.dumps(message) + "\n" for message in messages))
    arguments = ["filter", "--prototypes", prototypes.path, "--min-words", "20", str(tmp_path / "messages.jsonl")]
    printed = subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout
    expected = [json.loads(line) for line in printed.splitlines()]
    found = filter.verdicts(messages)
    assert [lookalike.Verdict(**verdict) for verdict in expected] == found
    assert {verdict.verdict for verdict in found} == {"none", "ham", "spam"}
    assert [filter.verdict(message["text"], id=message["id"]) for message in messages[:50]] == found[:50]
    again = pickle.loads(pickle.dumps(filter))
    assert again.verdicts(messages, threads=1) == found and len(filter.prototypes()) == len(prototypes)


def test_reports_count_once_and_are_taken_back(prototypes: lookalike.Index) -> None:
    with lookalike.MessageFilter(prototypes.path, reports=2) as filter:
        first = filter.report("spam", [{"id": "m1", "text": OFFER}], reporter="ann", time=int(time.time()) - 3600)[0]
        assert (first.prototype, first.new, first.counted, first.reports["spam"]) == ("m1", True, True, 1)
        assert not filter.report("spam", OFFER, reporter="ann")[0].counted
        assert filter.verdict(OFFER).verdict == "unsure"
        filter.report("spam", {"body": [OFFER]}, reporter="bob", text="body")
        verdict = filter.verdict(f"Dear friend, {OFFER}", id="m9", title="An offer")
        assert (verdict.verdict, verdict.id, verdict.match["id"]) == ("spam", "m9", "m1") and verdict.passages
        filter.report("ham", OFFER, reporter="bob")
        assert filter.verdict(OFFER).verdict == "ham"
        for reporter in ["ann", "bob"]:
            filter.report("revoke", OFFER, reporter=reporter)
        assert filter.verdict(OFFER).verdict == "none" and len(prototypes) == 0
        assert filter.verdicts([None])[0].verdict == "error" and "text" in filter.verdicts([None])[0].problem
        with pytest.raises(lookalike.DataError):
            filter.verdicts([None], strict=True)
        with pytest.raises(lookalike.SettingsError, match="reporter="):
            filter.report("spam", OFFER, reporter="")
        with pytest.raises(ValueError, match="spam, ham or revoke"):
            filter.report("junk", OFFER, reporter="ann")  # type: ignore[arg-type]
    with pytest.raises(lookalike.ResourceError, match="closed"):
        filter.verdict(OFFER)
    with pytest.raises(lookalike.SettingsError, match="ask="):
        lookalike.MessageFilter(prototypes.path, ask="cluster")
    with pytest.raises(lookalike.SettingsError, match="reports="):
        lookalike.MessageFilter(prototypes.path, reports=0)


def test_the_rule_is_kept_with_the_prototypes(tmp_path):
    index = lookalike.Index.create(tmp_path / "spam.index")
    messages = lookalike.MessageFilter(index)
    assert messages.rule() == {}
    text = " ".join(f"reason {n} to buy it" for n in range(20))
    more = text + " " + " ".join(f"word{n}" for n in range(200))
    messages.report("spam", [{"id": "m1", "text": text}], reporter="ann")
    assert messages.verdict(more).verdict == "none"
    kept = messages.set_rule(ask="contained-in", threshold=0.9, reports=1)
    assert kept == messages.rule() == {"ask": "contained-in", "threshold": "0.9", "reports": 1}
    assert lookalike.MessageFilter(index).verdict(more).verdict == "spam"
    assert lookalike.MessageFilter(index, reports=2).verdict(more).verdict == "unsure"
    assert messages.set_rule(ask="resembles") == {"ask": "resembles", "reports": 1}
