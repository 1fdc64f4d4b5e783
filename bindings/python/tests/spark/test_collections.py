"""Real collections on Spark; only where ``LOOKALIKE_DATA`` names their directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike
import lookalike.spark
from conftest import collection_of

from .same import check

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DATA = os.environ.get("LOOKALIKE_DATA")


@pytest.mark.skipif(not DATA, reason="LOOKALIKE_DATA does not name the collections")
@pytest.mark.parametrize(
    ("collection", "action", "settings"),
    [
        ("lic_multi", "cluster", {"threshold": 0.5}),
        ("lic_multi", "dedup", {"threshold": 0.8, "witness": "best"}),
        ("planted_news_a", "dedup", {"threshold": 0.8}),
        ("planted_news_a", "dedup", {"threshold": 0.9, "measure": "containment", "keep": "longest"}),
        ("ver_rust_book", "dedup", {"threshold": 0.8}),
        ("ver_rust_book", "cluster", {"threshold": 0.8, "linkage": "leaders"}),
    ],
    ids=str,
)
def test_a_collection(
    stored: Callable[..., DataFrame], tmp_path: Path, collection: str, action: str, settings: dict[str, Any]
) -> None:
    table = collection_of(Path(str(DATA)) / collection)
    on_spark, here = getattr(lookalike.spark, action), getattr(lookalike, action)
    found = on_spark(stored(table), work=str(tmp_path / "work"), row="row", **settings)
    check(found, here(table, **settings))
