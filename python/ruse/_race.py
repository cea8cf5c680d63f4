"""Races over scores that the caller pushes, of functions and of data, and the ranking of a benchmark."""

from __future__ import annotations

import csv
import math
import random
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, SupportsIndex

from . import _ruse
from ._checks import Count, SeedLike, count_or_none, drawn, number_of, whole
from ._results import Verdict, verdict_of
from ._ruse import RuseError

#: The levels of scores of any range: a multiple of 1 to 10, so that as many steps are kept exactly.
_LEVELS = 5040


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
        text = self._core.verdict(False)
        return None if text is None else verdict_of(text)

    @property
    def so_far(self) -> Verdict:
        """The verdict if no score follows. Its interval holds at any time of stopping."""
        return verdict_of(self._core.verdict(True) or "{}")

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


def race(
    first: Callable[[int], float],
    second: Callable[[int], float],
    *,
    range: tuple[float, float] = (0.0, 1.0),
    less: bool = False,
    delta: float = 0.05,
    precision: float = 0.01,
    most: Count | None = None,
    seed: SeedLike | None = 1,
) -> Verdict:
    """Calls two functions with the same seeds until one is proven to have the higher mean, and returns the verdict.

    A function takes a seed and returns a score within `range`. The difference of two means is `score`, and `interval` its
    bounds; both are in units of scores. `accepts` says that `first` is better, "not-better" that it does not lead by twice
    `precision`, as a share of the range. With `less`, lower scores are better. Ctrl-C, and `most` calls of each function,
    end the race without a decision.

    >>> race(lambda seed: seed % 7 + 2, lambda seed: seed % 7, range=(0, 10)).accepts
    True
    """
    start = drawn(seed)
    pairs = ((first(number), second(number)) for number in count(start))
    return race_scores(pairs, range=range, less=less, delta=delta, precision=precision, most=most)


def race_scores(
    scores: Iterable[Any],
    *,
    range: tuple[float, float] = (0.0, 1.0),
    against: float | None = None,
    less: bool = False,
    delta: float = 0.05,
    precision: float = 0.01,
    most: Count | None = None,
) -> Verdict:
    """Returns the verdict on pairs of scores, as `race` does, or on single scores against the number `against`.

    Scores are taken one by one, and no more than the verdict needs, so a generator may make them. Without `against`, single
    scores are compared with the middle of the range.

    >>> race_scores([(0.9, 0.2), (0.8, 0.3), (0.7, 0.1)] * 20).accepts
    True
    """
    low, high = (number_of("an end of the range", end) for end in range)
    if not low < high:
        raise RuseError(f"the range is {low} to {high}, and must ascend")
    limit = count_or_none("most", most)
    sign, span = (-1.0 if less else 1.0), high - low
    bound = (low + high) / 2 if against is None else number_of("against", against)
    # The race is about the middle of its range. A wider range on one side keeps the mean on its side.
    wide = 2 * max(high - bound, bound - low)
    test: Race | None = None
    rounding = random.Random(1)
    center = wide_of = 0.0
    try:
        for found in islice(scores, limit):
            pair = tuple(found) if hasattr(found, "__len__") or hasattr(found, "__iter__") else (found,)
            if len(pair) not in (1, 2):
                raise RuseError(f"{found!r} is neither a score nor a pair of scores")
            numbers = [number_of("a score", score) for score in pair]
            for score in numbers:
                if not low <= score <= high:
                    raise RuseError(f"the score {score} is outside of the range {low} to {high}")
            if test is None:
                center, wide_of = (0.0, 2 * span) if len(numbers) == 2 else (bound, wide)
                test = Race(delta=delta, precision=precision * span / wide_of, levels=_LEVELS)
            value = numbers[0] - (numbers[1] if len(numbers) == 2 else center)
            exact = (0.5 + sign * value / wide_of) * _LEVELS
            level = round(exact)
            if abs(exact - level) > 1e-6:
                level = math.floor(exact) + (rounding.random() < exact - math.floor(exact))
            if test.push(level / _LEVELS):
                break
    except KeyboardInterrupt:
        if test is None:
            raise
    if test is None:
        raise RuseError("there are no scores")
    verdict = test.verdict or test.so_far

    def unscaled(share: float) -> float:
        return center + sign * (share - 0.5) * wide_of

    ends = sorted(unscaled(end) for end in verdict.interval)
    return replace(verdict, games=0, score=unscaled(verdict.score), interval=(ends[0], ends[1]))


def assert_better(new: Iterable[float], old: Iterable[float], **settings: Any) -> None:
    """Raises an AssertionError unless the scores `new` are proven better than `old`, pair by pair; for tests.

    The settings are those of `race_scores`. The probability of passing without a difference is at most `delta`.
    """
    verdict = race_scores(zip(new, old, strict=True), **settings)
    low, high = verdict.interval
    assert verdict.accepts, (
        f"not proven better ({verdict.reason}): the mean difference of {verdict.observations} pairs is {verdict.score:.4g} "
        f"[{low:.4g}, {high:.4g}]"
    )


def _of_table(rows: Any, name: str, **options: Any) -> dict[str, Any]:
    """Returns what a command prints as JSON about a DataFrame, an array, or a list of rows."""
    from ._cli import command

    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "scores.csv"
        if hasattr(rows, "to_csv"):
            # Rows without names are numbered by a range.
            rows.to_csv(path, index=not hasattr(rows.index, "start"))
        elif hasattr(rows, "write_csv"):
            rows.write_csv(path)
        else:
            rows = list(rows)
            with path.open("w", newline="", encoding="utf-8") as file:
                if rows and isinstance(rows[0], dict):
                    writer = csv.DictWriter(file, list(rows[0]))
                    writer.writeheader()
                    writer.writerows(rows)
                else:
                    csv.writer(file).writerows(rows)
        found: dict[str, Any] = command(name, path, **options)
    return found


def rank(scores: Any, *, less: bool = False, range: tuple[float, float] | None = None) -> dict[str, Any]:
    """Ranks methods over tasks, and returns what `ruse rank --json` prints.

    `scores` is a DataFrame, or a list of rows, with the columns `method`, `task` and `score`, and perhaps `seed`; or with
    the tasks in the first column, and a column for each method.
    """
    ends = None if range is None else f"{range[0]},{range[1]}"
    return _of_table(scores, "rank", less=less, range=ends)


def power(scores: Any, *, difference: float = 0.05, power: float = 0.9) -> dict[str, Any]:
    """Returns the runs that show a difference between two methods of a benchmark, as `ruse power --json` prints them.

    `scores` is as in `rank`. `difference` is that of two mean scores, and `power` the probability that it is shown.
    """
    return _of_table(scores, "power", difference=difference, power=power)


def nash(payoffs: Any) -> dict[str, Any]:
    """Solves a game in normal form, and returns what `ruse solve --json` prints.

    `payoffs` has the payoffs of the row player: a DataFrame, an array, or a list of rows. The result has the `value`, the
    weights of `rows` and `columns`, and `unique`: whether the equilibrium is proven to be the only one.
    """
    return _of_table(payoffs, "solve")
