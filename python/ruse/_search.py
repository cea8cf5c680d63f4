"""Searches with the methods of `ruse` in which your own code compares two vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ruse
from ._checks import Count, PathLike, SeedLike, count_of, drawn, number_of, numbers_of, whole
from ._ruse import RuseError

if TYPE_CHECKING:
    _Vector: TypeAlias = NDArray[np.float64]

#: A comparison: the score of `a` against `b`, from 0 to 1. If `b` is None, the opponent is your own baseline; `seed` determines the
#: deal, and two questions with the same seed must have the same luck.
Compare: TypeAlias = "Callable[[_Vector, _Vector | None, Seed], float]"


class Seed(int):
    """The seed of a question: a whole number, below 2^64.

    `family.pair(a, b, seed)` plays the pair of games that `optimise` plays for the same question.
    """

    _pair: _ruse.Pair

    def __new__(cls, number: int, pair: _ruse.Pair) -> Seed:
        seed = super().__new__(cls, number)
        seed._pair = pair
        return seed

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


@dataclass(frozen=True, eq=False)
class Question:
    """A question of a search: the score of `a` against `b`."""

    a: NDArray[np.float64]
    #: The opponent; None stands for your own baseline.
    b: NDArray[np.float64] | None
    #: The seed of the deal.
    seed: Seed


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a search."""

    champion: NDArray[np.float64]
    #: The mixture that the method has found: weights, with parameters or None for the baseline. None for methods without mixtures.
    mixture: list[tuple[float, NDArray[np.float64] | None]] | None
    #: The numbers of candidates tried and of comparisons made.
    iterations: int
    calls: int
    #: The reason why the search ended: "games" (the budget is used), "iterations" or "interrupted".
    stop_reason: str
    #: The seed of the search.
    seed: int


class Searcher:
    """A search that asks for comparisons and receives their scores.

    Its questions and numbers are the same as in `optimise` with the same settings. It can be saved between two questions: the
    file contains the scores, which determine its state.

    >>> searcher = Searcher(2, method="iterative", budget=50)
    >>> while (question := searcher.ask()) is not None:
    ...     searcher.tell(question, float(abs(question.a[0]) < abs(question.b[0])))
    >>> searcher.calls
    50
    """

    def __init__(
        self,
        dimension: SupportsIndex,
        *,
        method: str = "iterative",
        budget: Count = 20_000,
        iterations: Count | None = None,
        comparison: str | None = None,
        delta: float | None = None,
        precision: float | None = None,
        accept: str | None = None,
        start: ArrayLike | None = None,
        levels: SupportsIndex = 2,
        seed: SeedLike | None = 1,
        **options: Any,
    ) -> None:
        """Creates a search over `dimension` parameters that needs at most `budget` comparisons.

        Scores are from 0 to 1, in `levels` equal steps. `options` are the options of the method.
        """
        dimension = whole("dimension", dimension, 1, 1_000_000)
        first = None if start is None else numbers_of("start", start)
        if first is not None and not np.isfinite(first).all():
            raise RuseError("start has a number that is not finite")
        if first is not None and first.shape != (dimension,):
            raise RuseError(f"start is of shape {first.shape}, and must be of shape ({dimension},)")
        self._settings: dict[str, Any] = {
            "dimension": dimension,
            "method": method,
            "budget": count_of("budget", budget),
            "iterations": None if iterations is None else count_of("iterations", iterations),
            "comparison": comparison,
            "delta": None if delta is None else number_of("delta", delta),
            "precision": None if precision is None else number_of("precision", precision),
            "accept": accept,
            "start": None if first is None else first.tolist(),
            "levels": whole("levels", levels, 2, 24_000),
            "seed": drawn(seed),
            "options": {key.replace("_", "-"): value for key, value in options.items()},
        }
        try:
            settings = json.dumps(self._settings, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise RuseError(f"settings are finite numbers and texts: {error}") from None
        self._core = _ruse.Searcher(settings)
        self._told: list[float] = []

    def ask(self) -> Question | None:
        """Returns the next question, or None when the search has ended. Returns the same question until it is answered."""
        asked = self._core.ask()
        if asked is None:
            return None
        a, b, seed, pair = asked
        return Question(np.array(a), None if b is None else np.array(b), Seed(seed, pair))

    def tell(self, question: Question, score: float) -> None:
        """Answers the last question with the score of `question.a`, from 0 to 1."""
        asked = self._core.ask()
        if asked is None or int(question.seed) != asked[2] or question.a.tolist() != asked[0]:
            raise RuseError("this is not the question that was asked last; tell before you ask again")
        score = number_of("a score", score)
        self._core.tell(score)
        self._told.append(score)

    def recommend(self) -> NDArray[np.float64]:
        """Returns the last accepted strategy, or the result of the search after its end."""
        found = self.found
        if found is not None:
            return found.champion
        # The first step of a search takes its start.
        self._core.ask()
        return np.array(self._core.champion())

    @property
    def found(self) -> Found | None:
        """The result; None before the end."""
        text = self._core.end()
        if text is None:
            return None
        told: dict[str, Any] = json.loads(text)
        mixture = told["mixture"]
        if mixture is not None:
            mixture = [(weight, None if theta is None else np.array(theta)) for weight, theta in mixture]
        return Found(**{**told, "champion": np.array(told["champion"]), "mixture": mixture, "seed": self.seed})

    @property
    def seed(self) -> int:
        """The seed of the search, drawn if the given one was None."""
        return int(self._settings["seed"])

    @property
    def calls(self) -> int:
        """The number of answered questions."""
        return len(self._told)

    @property
    def iterations(self) -> int:
        """The number of candidates tried."""
        return self._core.iterations()

    def save(self, path: PathLike) -> None:
        """Writes the search to a new file."""
        with open(path, "x", encoding="utf-8") as file:
            json.dump({"settings": self._settings, "told": self._told}, file)

    @staticmethod
    def load(path: PathLike) -> Searcher:
        """Loads a saved search, which can then be continued."""
        with open(path, encoding="utf-8") as file:
            try:
                saved = json.load(file)
                return _again(saved["settings"], saved["told"])
            except (KeyError, TypeError, json.JSONDecodeError) as error:
                raise RuseError(f"{path} holds no search: {error!r}") from None

    def __reduce__(self) -> tuple[Callable[..., Searcher], tuple[dict[str, Any], list[float]]]:
        return _again, (self._settings, self._told)

    def __repr__(self) -> str:
        method, budget = self._settings["method"], self._settings["budget"]
        return f"<search by {method}: {self.calls} of {budget} comparisons>"


def _again(settings: Mapping[str, Any], told: list[float]) -> Searcher:
    """Returns a search with these settings that has received these answers."""
    keys = {key: value for key, value in settings.items() if key not in ("dimension", "options")}
    searcher = Searcher(settings["dimension"], **keys, **settings["options"])
    for score in told:
        if searcher._core.ask() is None:
            raise RuseError("the search was told more than it asks: it was saved by another version")
        searcher._core.tell(score)
    searcher._told = list(told)
    return searcher


def search(compare: Compare, dimension: SupportsIndex, **settings: Any) -> Found:
    """Tunes parameters with `compare(a, b, seed)`, the score of `a` against `b`, or against your baseline if `b` is None.

    `settings` are the settings of `Searcher`. Ctrl-C ends the search, and the result so far is returned.
    """
    searcher = Searcher(dimension, **settings)
    try:
        while (question := searcher.ask()) is not None:
            searcher.tell(question, compare(question.a, question.b, question.seed))
    except KeyboardInterrupt:
        if searcher.calls == 0:
            raise
        return Found(searcher.recommend(), None, searcher.iterations, searcher.calls, "interrupted", searcher.seed)
    found = searcher.found
    assert found is not None, "a search that asks no more has ended"
    return found
