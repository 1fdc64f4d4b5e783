"""Fields beside the text: what separates documents, and what a method reads."""

from __future__ import annotations

import pytest

import lookalike

TEXT = "a rose is a rose is a rose by any other name"
RECORDS = [
    {"text": TEXT, "meta": {"label": "public"}, "tags": ["a", "b"]},
    {"text": TEXT, "meta": {"label": "secret"}, "tags": ["b", "a"]},
    {"text": TEXT, "meta": {"label": "public"}, "tags": ["c"]},
    {"text": TEXT, "tags": None},
]


def test_only_documents_with_the_same_value_match() -> None:
    assert lookalike.dedup(RECORDS).removed().to_pylist() == [1, 2, 3]
    assert lookalike.dedup(RECORDS, separate_by="meta.label").removed().to_pylist() == [2]
    assert lookalike.dedup(RECORDS, separate_by="tags").removed().to_pylist() == [1]
    settings = lookalike.Settings(separate_by="tags")
    assert lookalike.Settings.from_json(settings.to_json()) == settings
    with pytest.raises(lookalike.SettingsError, match="`lable`"):
        lookalike.dedup(RECORDS, separate_by="lable")


def test_a_method_reads_fields() -> None:
    method = "simhash:d=0,weights=tf,metadata=2,fields=meta.label"
    found = lookalike.dedup(RECORDS, method=method, verify="sketch")
    assert found.removed().to_pylist() == [2]
    evaluated = lookalike.evaluate(RECORDS, ["simhash:weights=tf,anchors=tags"])
    assert evaluated is not None


def test_what_is_signed_alone_has_no_fields() -> None:
    with pytest.raises(lookalike.SettingsError, match="`tags`"):
        lookalike.Signer("simhash:weights=tf,anchors=tags").sign(RECORDS)
