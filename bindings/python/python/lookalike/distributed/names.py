"""Columns of the result tables, by those of the rows that steps make."""

from __future__ import annotations

_DOCUMENT = ("id", "file", "record")

#: Of documents that stay.
KEPT = {f"a_{name}": name for name in _DOCUMENT}

#: Of documents in clusters.
CLUSTERS = {
    **{f"a_{name}": name for name in _DOCUMENT},
    "place": "cluster",
    **{f"b_{name}": f"leader_{name}" for name in _DOCUMENT},
    "measure": "resemblance",
    "size": "size",
    "duplicates": "duplicates",
}


def _compared(a: str, b: str, cosine: bool, rule: bool) -> dict[str, str]:
    measures = ["resemblance", "containment_a_in_b", "containment_b_in_a", *(["cosine"] if cosine else [])]
    same = [*(["rule"] if rule else []), *measures, "shared", "size_a", "size_b"]
    return {
        **{f"a_{name}": f"{a}_{name}" for name in _DOCUMENT},
        **{f"b_{name}": f"{b}_{name}" for name in _DOCUMENT},
        **{name: name for name in same},
    }


def ledger(measure: str) -> dict[str, str]:
    """Of removed documents with their witnesses; `measure` is that of the run."""
    return _compared("removed", "kept", measure == "cosine", rule=True)


def pairs(measure: str) -> dict[str, str]:
    """Of pairs."""
    return _compared("a", "b", measure == "cosine", rule=False)
