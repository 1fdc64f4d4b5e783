"""Every method of the papers is reachable, with its document frequencies."""

from __future__ import annotations

import pytest

import lookalike
from conftest import variants

TEXTS = variants(300, seed=12)


@pytest.mark.parametrize("name", lookalike.methods())
@pytest.mark.parametrize("verify", ["exact", "sketch", "none"])
def test_every_method_finds_duplicates(name: str, verify: str) -> None:
    texts = [*TEXTS, " ".join(TEXTS[0].split()[:1] * 3), *TEXTS[:50]]
    result = lookalike.dedup(texts, method=name, verify=verify)
    # Copies are found by every method.
    assert {row for row in range(len(texts) - 50, len(texts))} <= set(result.removed())
    method = result.summary["settings"]["job"]["settings"]["method"]
    assert method["spec"] == name and ("lexicon_checksum" in method) == uses_frequencies(name)
    if verify == "exact":
        assert all(row["resemblance"] >= 0.8 for row in result.ledger.to_pylist())


def uses_frequencies(name: str) -> bool:
    """Whether the method counts document frequencies with its default parameters."""
    try:
        lookalike.Signer(name).sign(["a"])
    except lookalike.SettingsError as error:
        return "lexicon=" in str(error)
    return False


def test_methods_are_described() -> None:
    methods = lookalike.methods()
    assert {"dsc", "imatch", "imatch-random", "simhash", "minhash-lsh"} <= set(methods)
    for method in methods.values():
        assert method.summary and method.paper and all(parameter.help for parameter in method.parameters)
    curve = methods["minhash-lsh"].s_curve(bands=14, rows=8)
    assert curve is not None and curve[0] == (0.0, 0.0) and curve[-1] == (1.0, 1.0)
    assert dict(curve)[0.8] == pytest.approx(1 - (1 - 0.8**8) ** 14)
    assert methods["imatch"].s_curve() is None
    with pytest.raises(lookalike.SettingsError, match="has no parameter"):
        methods["minhash-lsh"].s_curve(nosuch=1)
