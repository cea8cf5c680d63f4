"""Races over scores that the caller pushes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

from . import _ruse
from ._checks import number_of, whole
from ._results import Verdict, verdict_of


class Race:
    """A sequential test of whether a candidate is better than an incumbent: push scores until it is decided.

    A score is 1 if the candidate has won, 0 if it has lost, or a value in between, in `levels` equal steps. The error
    probability `delta` is valid even though the test may stop after any score.

    >>> race = Race()
    >>> while not race.push(1):
    ...     pass
    >>> race.verdict.accepts
    True
    """

    def __init__(
        self,
        *,
        comparison: str = "betting",
        delta: float = 0.05,
        precision: float = 0.01,
        accept: str | None = None,
        levels: SupportsIndex = 2,
    ) -> None:
        most = 24_000
        self._settings = (
            comparison,
            number_of("delta", delta),
            number_of("precision", precision),
            accept,
            whole("levels", levels, 1, most),
        )
        self._core = _ruse.Race(*self._settings)
        self._pushed: list[float] = []

    def push(self, score: float) -> bool:
        """Adds a score, and returns whether the race is decided."""
        score = number_of("a score", score)
        decided = self._core.push(score)
        self._pushed.append(score)
        return decided

    @property
    def observations(self) -> int:
        """The number of scores so far."""
        return len(self._pushed)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None before the decision."""
        text = self._core.verdict()
        return None if text is None else verdict_of(text)

    def __reduce__(self) -> tuple[Callable[..., Race], tuple[Any, ...]]:
        return _again, (self._settings, self._pushed)

    def __repr__(self) -> str:
        return f"<race after {self.observations} observations: {self.verdict or 'undecided'}>"


def _again(settings: tuple[str, float, float, str | None, int], pushed: list[float]) -> Race:
    """Returns a race with these settings, to which these scores have been added."""
    comparison, delta, precision, accept, levels = settings
    race = Race(comparison=comparison, delta=delta, precision=precision, accept=accept, levels=levels)
    for score in pushed:
        race.push(score)
    return race
