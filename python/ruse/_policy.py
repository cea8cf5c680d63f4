"""Policies: functions that return the probabilities of actions for many situations at once, such as neural networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ruse
from ._checks import Count, SeedLike, count_of, drawn
from ._environment import Environments
from ._family import Family, Strategy, Who
from ._results import Match, Response
from ._ruse import RuseError

#: The largest number of games that are played at the same time.
_MOST_TABLES = 4096

#: The largest difference of a sum of probabilities from 1.
_ROUNDING = 1e-3


class Policy:
    """A player that a function decides for. `family.policy(function)` creates it."""

    def __init__(
        self, family: Family, function: Callable[..., ArrayLike], *, probabilities: bool = True, batch: bool = True
    ) -> None:
        if not callable(function):
            raise RuseError(f"a policy is a function, and not {function!r}")
        self.family, self._function = family, function
        self._probabilities, self._batch = probabilities, batch
        # A wrong function fails here, and not after a long search.
        tables = Environments(family, "random", "first", 0)
        self.num_actions = len(tables.actions)
        if tables.mover() is not None:
            self(*tables.look())

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self._function, "__name__", type(self._function).__name__))

    def __call__(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the probabilities of all actions, `[n, actions]`, for observations `[n, features]` and masks `[n, actions]`."""
        if self._batch:
            said = self._array(self._function(observations, masks != 0))
        else:
            said = np.stack([self._array(self._function(one, mask != 0)) for one, mask in zip(observations, masks, strict=True)])
        shape = masks.shape if self._probabilities else masks.shape[:1]
        if said.shape != shape:
            raise RuseError(f"{self.name} returned an array of shape {said.shape}, and must return one of shape {shape}")
        if not self._probabilities:
            return np.eye(self.num_actions)[said.astype(np.int64)]
        if not np.isfinite(said).all():
            raise RuseError(f"{self.name} returned a probability that is not a finite number")
        if (said < 0).any():
            raise RuseError(f"{self.name} returned the probability {said.min():g}")
        if (said[masks == 0] > _ROUNDING).any():
            row = int(np.flatnonzero(((masks == 0) & (said > _ROUNDING)).any(axis=1))[0])
            raise RuseError(f"{self.name} returned a positive probability of an action that is not legal, in row {row}")
        sums = said.sum(axis=1)
        if (abs(sums - 1) > _ROUNDING).any():
            row = int(np.argmax(abs(sums - 1)))
            raise RuseError(f"{self.name} returned probabilities with the sum {sums[row]:g} in row {row}, and must return 1")
        said = np.where(masks != 0, said, 0.0)
        return np.asarray(said / said.sum(axis=1, keepdims=True), dtype=np.float64)

    @staticmethod
    def _array(said: Any) -> NDArray[np.float64]:
        """Converts what a function returned, which may be a tensor with a gradient."""
        said = said.detach() if hasattr(said, "detach") else said
        said = said.cpu() if hasattr(said, "cpu") else said
        return np.asarray(said, dtype=np.float64)

    def tabulate(self) -> Strategy:
        """Returns the strategy with the policy's probabilities in each situation of a small rule file.

        Its exploitability is exact. The family of the strategy is `FILE.kif:table`.
        """
        observations, actions = self.family._core.situations()
        masks = np.zeros((len(actions), self.num_actions), dtype=np.int8)
        for row, legal in enumerate(actions):
            masks[row, legal] = 1
        said = self(observations, masks) if actions else masks
        theta = [float(said[row, number]) for row, legal in enumerate(actions) for number in legal]
        name = self.family.name
        file = name if name.endswith((".kif", ".gdl", ".efg", ".nfg")) else name.rsplit(":", 1)[0]
        return Family(f"{file}:table", self.family._changes).strategy(theta)

    def exploit(self, **options: Any) -> Response:
        """Returns the exact best response to the policy in a small rule file; see `Family.exploit`."""
        strategy = self.tabulate()
        return strategy.family.exploit(strategy, **options)

    def match(self, against: Who = "random", *, pairs: Count = 500, seed: SeedLike | None = 1) -> Match:
        """Plays games in lockstep, so that the function is called once for each move of thousands of games.

        The result depends on the seed, and on nothing else.
        """
        opponent, seed = self.family.strategy(against), drawn(seed)
        num_pairs = count_of("pairs", pairs)
        tables = min(num_pairs, _MOST_TABLES)
        scores = np.stack([self._scores(opponent, seat, tables, num_pairs, seed) for seat in ("first", "second")])
        told = _ruse.estimate(*scores)
        counts = [int((scores > 0.5).sum()), int((scores == 0.5).sum()), int((scores < 0.5).sum())]
        return Match(
            told[0], (told[1], told[2]), told[3], num_pairs, False,
            a=self.family.strategy(self._player(seed)), b=opponent, seed=seed,
            wins=counts[0], draws=counts[1], losses=counts[2], pairs_scores=scores.mean(axis=0),
        )  # fmt: skip

    def _player(self, seed: int) -> Callable[[NDArray[np.float32], NDArray[np.bool_]], SupportsIndex]:
        """Returns a function that draws one action in one situation."""
        rng = np.random.default_rng(seed)

        def act(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> SupportsIndex:
            said = self(observation[None], mask[None].astype(np.int8))[0]
            return int(rng.choice(self.num_actions, p=said))

        act.__name__ = self.name
        return act

    def _scores(self, opponent: Strategy, seat: str, tables: int, games: int, seed: int) -> NDArray[np.float64]:
        """Plays this number of games in one seat, and returns the scores in the order of the deals."""
        environments = Environments(self.family, opponent, seat, seed, tables)
        rng = np.random.default_rng([seed, seat == "second"])
        scores, number = np.full(games, np.nan), np.arange(tables)
        are_over = np.zeros(tables, dtype=np.bool_)
        while np.isnan(scores).any():
            observations, masks = environments.look()
            # Where a game is over, the next step deals another one.
            is_open = masks.any(axis=1)
            if (~is_open & ~are_over).any():
                raise RuseError(f"a game of {self.family.name} ended before the {seat} player had a choice")
            actions = np.zeros(tables, dtype=np.int64)
            draws = rng.random(tables)
            if is_open.any():
                sums = self(observations[is_open], masks[is_open]).cumsum(axis=1)
                actions[is_open] = (sums < draws[is_open, None] * sums[:, -1:]).sum(axis=1)
            rewards, are_over, _ = environments.step(actions)
            ended = are_over & (number < games)
            scores[number[ended]] = (rewards[ended] + 1) / 2
            number[are_over] += tables
        return scores

    def __repr__(self) -> str:
        return f"<{self.family.name}: policy {self.name}>"
