"""What games come to: plain data, with words and pictures for notebooks."""

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
    """A score with as many digits as are known."""
    digits = 4 if half_width < 0.005 else 3
    return f"{number:.{digits}f}"


@dataclass(frozen=True)
class Estimate:
    """A score from 0 to 1, and what is known of it."""

    #: The mean payoff: 1 for a game that is won, 1/2 for one that is drawn.
    score: float
    #: Where the expected score is, at the level of confidence; both bounds are the score if it is exact.
    interval: tuple[float, float]
    #: The probability that the interval holds the expected score.
    confidence: float
    #: Pairs of games that were played: the same deal twice, with the seats swapped.
    pairs: int
    #: Whether the expected score was computed.
    exact: bool

    def __float__(self) -> float:
        return self.score

    def __format__(self, spec: str) -> str:
        """The score in the format of a number, such as `.3f`; without one, all as by `str`."""
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
    """A score as it is written in results."""
    low, high = told["interval"]
    # What is exact has an interval of one point.
    exact = bool(told.get("exact", low == high))
    return Estimate(told["score"], (low, high), told["confidence"], told["pairs"], exact)


@dataclass(frozen=True)
class Match(Estimate):
    """What `a` scored against `b`."""

    a: Strategy
    b: Strategy
    seed: int
    #: Games of `a`, of which there are two in a pair.
    wins: int
    draws: int
    losses: int
    #: What `a` scored in each pair, in their order.
    pairs_scores: NDArray[np.float64] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.a.name} against {self.b.name}: {super().__str__()}"


@dataclass(frozen=True)
class Verdict:
    """What a race decided."""

    #: Whether the first is accepted as better.
    accepts: bool
    #: Why the race stopped, as in `history.csv`: "better", "worse", "not-better", "precision", ...
    reason: str
    #: What was observed: pairs, unless the race was fed with something else.
    observations: int
    #: Games that were counted.
    games: int
    #: The mean observation, which the rule to stop biases: read the interval.
    score: float
    #: Bounds of the expected score that hold at any time of stopping.
    interval: tuple[float, float]
    #: The seed of the deals; none where the race was fed by hand.
    seed: int | None = None

    def __bool__(self) -> bool:
        return self.accepts

    def __float__(self) -> float:
        return self.score

    def __format__(self, spec: str) -> str:
        """The score in the format of a number; without one, all as by `str`."""
        return format(self.score, spec) if spec else str(self)


def verdict_of(text: str, seed: int | None = None) -> Verdict:
    """The verdict that Rust tells."""
    told = json.loads(text)
    told["interval"] = tuple(told["interval"])
    return Verdict(**told, seed=seed)


@dataclass(frozen=True)
class Response(Estimate):
    """What a best response scores against a strategy: exactly, or the best that was found, which is a lower bound."""

    strategy: Strategy
    #: What responds: "exact", "trained", "itself" (nothing better was found), a member of the mixture, or a reference.
    responder: str
    #: The response, if it has parameters.
    response: Strategy | None
    #: How it plays, if that is known.
    words: str | None
    #: Games in which responses were trained.
    games: int
    #: The seed of these games.
    seed: int

    @property
    def exploitability(self) -> float:
        """What it takes beyond one half."""
        return self.score - 0.5


@dataclass(frozen=True)
class Nash:
    """The mixture of the members of a league that no member exploits."""

    #: How often each member is played.
    weights: NDArray[np.float64]
    #: How far the weights move when scores are drawn anew: `[n, 2]`, quantiles of a bootstrap, no confidence intervals.
    weight_intervals: NDArray[np.float64]
    #: What the best member scores against it beyond one half, in fresh games.
    exploitability: float
    #: Bounds of that.
    interval: tuple[float, float]
    #: The index of that member.
    best_response: int
    #: What the best member scores beyond one half against all members equally often.
    uniform_exploitability: float
    #: Members who beat each other in a circle, if that is certain.
    cycle: list[int] | None
    #: The mixture as a player.
    strategy: Strategy = field(repr=False)


@dataclass(frozen=True)
class Cross:
    """What the members of a league score against each other, `[n, n]`: rows against columns."""

    family: Family
    members: list[Strategy]
    seed: int
    scores: NDArray[np.float64]
    lows: NDArray[np.float64] = field(repr=False)
    highs: NDArray[np.float64] = field(repr=False)
    pairs: NDArray[np.int64] = field(repr=False)
    _core: Any = field(repr=False, compare=False)

    def nash(self, *, threads: int | None = None) -> Nash:
        """The mixture that no member exploits; a fifth as many games again say how good it is."""
        core = self._core
        if core is None:
            # It was pickled: the games are played again, and are the same.
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
        """The meetings, a row for every two members."""
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
