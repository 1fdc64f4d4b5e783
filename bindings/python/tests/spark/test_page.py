"""The code of the page about Spark runs as it stands there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conftest import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_code_of_the_page_runs(session: SparkSession) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/how-to/spark.md").read_text(), flags=re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/how-to/spark.md", "exec"), names)  # noqa: S102
    assert names["session"] is session
