"""Tables at which a learner plays by numbers, for the bridges to Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import SupportsIndex, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ruse
from ._checks import SeedLike, drawn, whole
from ._family import Family, Who
from ._ruse import RuseError

_SEATS = ("first", "second", "alternate")
_MOST_TABLES = 2**20


#: An opponent, or several.
Opponents: TypeAlias = "Who | list[Who]"


class Environments:
    """Tables with a game each, for a learner in one seat or in both."""

    def __init__(
        self,
        family: str | Family,
        against: Opponents,
        seats: str,
        seed: SeedLike | None,
        tables: SupportsIndex = 1,
        weights: ArrayLike | None = None,
    ) -> None:
        self.family = family if isinstance(family, Family) else Family(family)
        if seats not in (*_SEATS, "both"):
            raise RuseError(f'seat is {seats!r}, and must be "first", "second", "alternate" or "both"')
        self._seats = seats
        if self.family._told["board_opponent"] is None:
            raise RuseError(f"the actions of {self.family.name} have no numbers")
        # A list of numbers is a strategy, too.
        if isinstance(against, list) and not all(isinstance(one, (int, float)) for one in against):
            weights = np.ones(len(against)) if weights is None else weights
            self._opponent = self.family.mixture(against, weights)
        elif weights is not None:
            raise RuseError("weights belong to a list of opponents")
        else:
            self._opponent = self.family.strategy(cast("Who", against))
        self.num_tables = whole("the number of environments", tables, 1, _MOST_TABLES)
        self.restart(drawn(seed))
        features = self._core.features()
        self.meanings = [meaning for meaning, _, _ in features]
        self.low = np.array([low for _, low, _ in features], dtype=np.float32)
        self.high = np.array([high for _, _, high in features], dtype=np.float32)
        self.actions = self._core.actions()

    def __repr__(self) -> str:
        against = "both seats" if self._seats == "both" else f"seat={self._seats!r}, against={self._opponent.name!r}"
        return f"{self.family.name}, {self.num_tables} at a time, {against}, seed={self.seed}"

    def restart(self, seed: int) -> None:
        """Deals the first games of a seed."""
        self.seed, self._game = seed, 0
        self._core = _ruse.Environments(self.family._core, self._opponent._core, self.num_tables, self._seats, seed)
        self._core.deal(0)

    def deal(self) -> None:
        """Deals the next games of the seed."""
        self._game += self.num_tables
        self._core.deal(self._game)

    def look(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Returns what the seats to act see, (tables, features), and masks of their legal actions, (tables, actions)."""
        observations = np.empty((self.num_tables, len(self.low)), dtype=np.float32)
        masks = np.empty((self.num_tables, len(self.actions)), dtype=np.int8)
        self._core.look(observations, masks)
        return observations, masks

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]:
        """Plays an action at each table, or deals the next game where a game is over.

        Returns, for each table, the reward, from -1 to 1, whether the game is over, and whether the action was not legal
        and lost the game.
        """
        rewards = np.empty(self.num_tables, dtype=np.float32)
        are_over, are_illegal = (np.empty(self.num_tables, dtype=np.bool_) for _ in range(2))
        self._core.step(actions, rewards, are_over, are_illegal)
        return rewards, are_over, are_illegal

    def movers(self) -> NDArray[np.int8]:
        """Returns the seat to act at each table: 0, 1, or -1 after the game."""
        seats = (self._core.is_first(table) for table in range(self.num_tables))
        return np.array([-1 if is_first is None else 0 if is_first else 1 for is_first in seats], dtype=np.int8)

    def mover(self) -> str | None:
        """Returns the seat to act at the first table, or None after the game."""
        is_first = self._core.is_first(0)
        return None if is_first is None else "first" if is_first else "second"
