"""The methods of the papers."""

from __future__ import annotations

import json
from typing import NamedTuple

from lookalike import _lookalike


class Parameter(NamedTuple):
    """A parameter of a method."""

    name: str
    #: As it is written in a description; empty if it follows from others.
    default: str
    help: str


class Method(NamedTuple):
    """A method of the papers, for ``method=`` of :class:`Settings` and :class:`Signer`."""

    name: str
    summary: str
    #: Paper and section.
    paper: str
    parameters: tuple[Parameter, ...]
    #: Whether it uses document frequencies, with some of its parameters or all.
    needs_lexicon: bool

    def s_curve(self, **parameters: object) -> list[tuple[float, float]] | None:
        """The probability that a pair becomes a candidate, by its resemblance; None for methods without such a curve.

        Parameters
        ----------
        **parameters
            Those of the method.

        Returns
        -------
        list of (resemblance, probability)

        Examples
        --------
        >>> import lookalike
        >>> curve = lookalike.methods()["minhash-lsh"].s_curve(bands=14, rows=8)
        >>> round(dict(curve)[0.8], 3)
        0.924
        """
        given = ",".join(f"{name}={value}" for name, value in parameters.items())
        curve = _lookalike.s_curve(f"{self.name}:{given}" if given else self.name)
        return None if curve is None else curve[1]


def methods() -> dict[str, Method]:
    """All methods by name, in the order of the papers.

    >>> import lookalike
    >>> [parameter.name for parameter in lookalike.methods()["simhash"].parameters][:2]
    ['d', 'join']
    """
    found = {}
    for about in json.loads(_lookalike.methods()):
        about["parameters"] = tuple(Parameter(**parameter) for parameter in about["parameters"])
        found[about["name"]] = Method(**about)
    return found
