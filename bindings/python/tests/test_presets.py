"""Presets, and parameters of methods under familiar names."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike

TEXT = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize("name", ["fineweb", "slimpajama", "curator", "olmo3", "lee2021", "gopher", "code", "core"])
def test_a_preset_is_settings(name: str) -> None:
    settings = lookalike.Settings.preset(name)
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    result = lookalike.dedup([TEXT, TEXT + "!", "another text of some other words"], preset=name)
    assert result.summary["settings"]["threshold"] == settings.threshold
    assert len(result.ledger.to_pylist()) == 1


def test_other_settings_win_and_the_method_follows() -> None:
    settings = lookalike.Settings.preset("olmo3", threshold=0.9, shingle=3, num_perm=300, seed=7, keep="longest")
    assert settings.method == "minhash-lsh:bands=26,k=300,rows=11,seed=7,t=0.9,w=3"
    assert (settings.threshold, settings.shingle, settings.keep, settings.linkage) == ("0.9", 3, ("longest",), "components")
    assert lookalike.Settings.preset("olmo3", method="minhash-lsh", bands=3, rows=4).method == "minhash-lsh:bands=3,k=12,rows=4"
    assert lookalike.Settings.preset("olmo3", method=None).method is None


def test_familiar_names_set_parameters() -> None:
    run = lookalike.Run("x.jsonl", "out", method="minhash-lsh", bands=20, rows=13, seed=42)
    assert run.settings.method == "minhash-lsh:bands=20,k=260,rows=13,seed=42"


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"bands": 3}, "minhash-lsh"),
        ({"preset": "gopher", "bands": 3}, "gopher has none"),
        ({"preset": "nosuch"}, "slimpajama"),
        ({"method": "minhash-lsh:k=3", "num_perm": 3}, "leave one out"),
        ({"method": "lexical", "rows": 3}, "does not have"),
    ],
)
def test_what_makes_no_sense_is_refused(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(lookalike.SettingsError, match=words):
        lookalike.dedup([TEXT], **keywords)
