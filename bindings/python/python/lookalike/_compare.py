"""Two documents side by side."""

from __future__ import annotations

import html
import json
import math
import shutil
from typing import Any

from lookalike import _lookalike
from lookalike._options import SettingsKeywords, Unpack
from lookalike._settings import Settings, given_settings, shows


class Comparison:
    """How two documents compare: the integers that decide, and the texts aligned.

    Made by :func:`compare` and :meth:`Result.explain`.

    Attributes
    ----------
    shared, size_a, size_b : int
        Features that both have, and those of each.
    reaches : bool
        Whether the measure of the settings reaches the threshold. Decided by the integers, not by a quotient.
    verdict : str
        The same in a sentence.
    decision : str or None
        What a call decided about the two, where there was one.
    """

    shared: int
    size_a: int
    size_b: int
    reaches: bool
    verdict: str
    decision: str | None

    def __init__(self, compared: _lookalike.Compared, decision: str | None = None) -> None:
        self._compared = compared
        #: Everything about the two: measures, shared passages, differences.
        self.data: dict[str, Any] = json.loads(compared.json())
        measures = self.data["measures"]
        self.shared, self.size_a, self.size_b = measures["shared"], measures["size_a"], measures["size_b"]
        self.reaches, self.verdict, self.decision = self.data["reaches"], self.data["verdict"], decision

    @property
    def resemblance(self) -> float:
        """|A∩B| / |A∪B|; 0 for two documents without features."""
        return self._ratio(self.size_a + self.size_b - self.shared)

    @property
    def containment_a_in_b(self) -> float:
        """|A∩B| / |A|."""
        return self._ratio(self.size_a)

    @property
    def containment_b_in_a(self) -> float:
        """|A∩B| / |B|."""
        return self._ratio(self.size_b)

    @property
    def cosine(self) -> float:
        """|A∩B| / sqrt(|A|·|B|)."""
        return self._ratio(math.sqrt(self.size_a * self.size_b))

    def _ratio(self, whole: float) -> float:
        return self.shared / whole if whole else 0.0

    def diff(self, *, width: int | None = None, colour: bool = False) -> str:
        """The comparison as the command prints it: measures, shared passages, and the differences in their context.

        Parameters
        ----------
        width : int, optional
            Columns; by default those of the terminal.
        colour : bool
            Mark differences by colours of a terminal.
        """
        text = self._compared.text(width or shutil.get_terminal_size().columns, colour)
        return text if self.decision is None else f"{text}{self.decision}\n"

    def __repr__(self) -> str:
        return self.diff(width=100)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.diff(width=110))}</pre>"


@shows(SettingsKeywords)
def compare(a: str, b: str, /, *, settings: Settings | None = None, **keywords: Unpack[SettingsKeywords]) -> Comparison:
    """Compares two texts.

    Parameters
    ----------
    a, b : str
        The texts.
    settings : Settings, optional
        What decides; or any keyword of :class:`Settings`.

    Returns
    -------
    Comparison
        The counts that a run with these settings would find, and the texts aligned.

    Examples
    --------
    >>> import lookalike
    >>> found = lookalike.compare("a rose is a rose is a rose", "a rose is a rose", shingle=4)
    >>> found.shared, found.size_a, found.size_b, found.containment_b_in_a, found.reaches
    (2, 3, 2, 1.0, False)
    >>> found.verdict
    'Not near-duplicates: resemblance 0.6666 over word 4-shingles is below 0.8.'
    """
    return Comparison(_lookalike.compare_texts(a, b, given_settings(settings, keywords).to_json()))
