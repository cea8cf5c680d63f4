"""Results of games: plain data that notebooks show as text and pictures."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._table import Table

if TYPE_CHECKING:
    from ._family import Family, Strategy


def _shown(number: float, half_width: float) -> str:
    """Formats a score with three digits, or four if it is precise enough."""
    digits = 4 if half_width < 0.005 else 3
    return f"{number:.{digits}f}"


@dataclass(frozen=True)
class Estimate:
    """A score from 0 to 1, with its interval."""

    #: The mean payoff: 1 for a won game, 1/2 for a draw.
    score: float
    #: Bounds of the expected score at the level of confidence. Both equal the score if it is exact.
    interval: tuple[float, float]
    #: The probability that the interval contains the expected score.
    confidence: float
    #: The number of pairs played. A pair is the same deal played twice, with the seats swapped.
    pairs: int
    #: Whether the expected score was computed rather than estimated.
    exact: bool

    def __float__(self) -> float:
        return self.score

    def __format__(self, spec: str) -> str:
        """Formats the score as a number, such as `.3f`; without a format, same as `str`."""
        return format(self.score, spec) if spec else str(self)

    def __str__(self) -> str:
        low, high = self.interval
        half_width = (high - low) / 2
        score = _shown(self.score, half_width)
        if self.exact:
            return f"{score}, exact"
        bounds = f"{_shown(low, half_width)}, {_shown(high, half_width)}"
        return f"{score}, {self.confidence:.0%} interval [{bounds}], {self.pairs:,} pairs"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}</p>"


def estimate_of(told: Mapping[str, Any]) -> Estimate:
    """Reads a score as written in results."""
    low, high = told["interval"]
    # An exact score has an interval of one point.
    exact = bool(told.get("exact", low == high))
    return Estimate(told["score"], (low, high), told["confidence"], told["pairs"], exact)


@dataclass(frozen=True)
class Match(Estimate):
    """The score of `a` against `b`."""

    a: Strategy
    b: Strategy
    seed: int
    #: The numbers of games that `a` has won, drawn and lost; a pair has two games.
    wins: int
    draws: int
    losses: int
    #: The score of `a` in each pair, in order.
    pairs_scores: NDArray[np.float64] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.a.name} against {self.b.name}: {super().__str__()}"


@dataclass(frozen=True)
class Verdict:
    """The decision of a race."""

    #: Whether the first player is accepted as better.
    accepts: bool
    #: The reason why the race stopped, as in `history.csv`: "better", "worse", "not-better", "precision", ...
    reason: str
    #: The number of observations: pairs, unless other scores were pushed.
    observations: int
    #: The number of games counted.
    games: int
    #: The mean observation. The stopping rule biases it: use the interval.
    score: float
    #: Bounds of the expected score, valid at any stopping time.
    interval: tuple[float, float]
    #: The seed of the deals; None if scores were pushed.
    seed: int | None = None

    def __bool__(self) -> bool:
        return self.accepts

    def __float__(self) -> float:
        return self.score

    def __format__(self, spec: str) -> str:
        """Formats the score as a number; without a format, same as `str`."""
        return format(self.score, spec) if spec else str(self)


def verdict_of(text: str, seed: int | None = None) -> Verdict:
    """Reads a verdict of the Rust core."""
    told = json.loads(text)
    told["interval"] = tuple(told["interval"])
    return Verdict(**told, seed=seed)


@dataclass(frozen=True)
class Response(Estimate):
    """The score of a best response to a strategy. It is exact, or a lower bound: the score of the best response found."""

    strategy: Strategy
    #: The kind of response: "exact", "trained", "itself" (nothing better was found), a member of the mixture, or a reference.
    responder: str
    #: The response, if it has parameters.
    response: Strategy | None
    #: A description of how the response plays, if known.
    words: str | None
    #: The number of games played to train responses.
    games: int
    #: The seed of these games.
    seed: int
    #: Bounds of the exploitability, which are equal if it is exact.
    low: float
    high: float
    #: The basis of each bound.
    low_basis: str
    high_basis: str

    @property
    def exploitability(self) -> float | None:
        """The amount by which the score of the best response exceeds one half; None if only its bounds are known."""
        return self.score - 0.5 if self.exact else None


@dataclass(frozen=True)
class Nash:
    """The mixture of a league's members that no member exploits: a Nash equilibrium."""

    #: The probability of each member.
    weights: NDArray[np.float64]
    #: The spread of the weights over a bootstrap of the scores, `[n, 2]`: quantiles, which are not confidence intervals.
    weight_intervals: NDArray[np.float64]
    #: The amount by which the score of the best member against the mixture exceeds one half, in fresh games.
    exploitability: float
    #: Bounds of the exploitability.
    interval: tuple[float, float]
    #: The index of the best member.
    best_response: int
    #: The amount by which the score of the best member against the uniform mixture exceeds one half.
    uniform_exploitability: float
    #: The indices of members that beat each other in a cycle, if this is certain.
    cycle: list[int] | None
    #: The mixture as a player.
    strategy: Strategy = field(repr=False)


@dataclass(frozen=True)
class Cross:
    """The scores of the members of a league against each other, `[n, n]`: rows against columns."""

    family: Family
    members: list[Strategy]
    seed: int
    scores: NDArray[np.float64]
    lows: NDArray[np.float64] = field(repr=False)
    highs: NDArray[np.float64] = field(repr=False)
    pairs: NDArray[np.int64] = field(repr=False)
    _core: Any = field(repr=False, compare=False)

    def nash(self, *, threads: int | None = None) -> Nash:
        """Returns the mixture that no member exploits, scored on additional games: a fifth as many as the league has played."""
        core = self._core
        if core is None:
            # The object was pickled, so the same games are played again.
            again = self.family.league(self.members, pairs=int(self.pairs.max()), seed=self.seed, threads=threads)
            core = again._core
        told = json.loads(core.nash(threads))
        weights = np.array(told.pop("weights"), dtype=np.float64)
        told["weight_intervals"] = np.array(told["weight_intervals"], dtype=np.float64)
        told["interval"] = tuple(told["interval"])
        mixture = self.family.mixture(self.members, weights)
        return Nash(weights=weights, strategy=mixture, **told)

    @property
    def table(self) -> Table:
        """The meetings of the members, one per row."""
        n = len(self.members)
        places = [(i, j) for i in range(n) for j in range(n) if i != j]
        return Table(
            {
                "a": [self.members[i].name for i, _ in places],
                "b": [self.members[j].name for _, j in places],
                "score": [self.scores[place] for place in places],
                "low": [self.lows[place] for place in places],
                "high": [self.highs[place] for place in places],
                "pairs": [int(self.pairs[place]) for place in places],
            }
        )

    def __getstate__(self) -> dict[str, Any]:
        return {of.name: None if of.name == "_core" else getattr(self, of.name) for of in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def _repr_html_(self) -> str:
        names = [html.escape(member.name) for member in self.members]
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(
            f"<tr><th>{name}</th>" + "".join(f"<td>{score:.3f}</td>" for score in row) + "</tr>"
            for name, row in zip(names, self.scores.tolist(), strict=True)
        )
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
