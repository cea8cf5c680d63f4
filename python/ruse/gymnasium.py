"""The games of `ruse` as environments of Gymnasium, which must be installed.

The learner plays one seat against a strategy. Observations are vectors, whose meanings `meanings` lists; actions are
numbers, whose texts `actions` lists. The mask of the legal actions is in `info["action_mask"]`. An action that is not
legal loses the game. The reward at the end is 1 for a won game, 0 for a draw, and -1 for a lost game.

With this module, Gymnasium knows each family by name: `gymnasium.make("ruse/nim-v0", against="optimal")`.
"""

from __future__ import annotations

import json
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import SeedLike, missing

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise missing(error, __name__, "ruse[gymnasium]") from None

from . import _ruse
from ._environment import Environments, Opponents
from ._family import Family
from ._ruse import RuseError

Seat = Literal["first", "second", "alternate"]
VectorSeat = Literal["first", "second", "alternate", "both"]


class Environment(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A game against a strategy. `make` creates it."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        family: str | Family,
        against: Opponents = "random",
        *,
        seat: Seat = "alternate",
        weights: ArrayLike | None = None,
        seed: SeedLike | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise RuseError(f'render_mode is {render_mode!r}, and must be "ansi" or None')
        if seat not in ("first", "second", "alternate"):
            raise RuseError(f'seat is {seat!r}, and must be "first", "second" or "alternate"')
        self._tables = Environments(family, against, seat, seed, weights=weights)
        self.render_mode = render_mode
        self._is_new = True
        #: The meaning of each number of an observation.
        self.meanings = self._tables.meanings
        #: The text of each action.
        self.actions = self._tables.actions
        self.observation_space = spaces.Box(self._tables.low, self._tables.high)
        self.action_space = spaces.Discrete(len(self.actions))

    def _told(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        observations, masks = self._tables.look()
        self._mask = masks[0]
        return observations[0], {"action_mask": self._mask}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deals the next game, or the first game of a seed."""
        super().reset(seed=seed)
        if seed is not None:
            self._tables.restart(seed)
        elif not self._is_new:
            self._tables.deal()
        self._is_new = False
        return self._told()

    def step(self, action: SupportsIndex) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponent's reply."""
        if self._tables.mover() is None:
            raise gymnasium.error.ResetNeeded("the game is over: call reset()")
        rewards, are_over, are_illegal = self._tables.step(np.array([int(action)], dtype=np.int64))
        observation, info = self._told()
        if are_illegal[0]:
            info["illegal"] = True
        return observation, float(rewards[0]), bool(are_over[0]), False, info

    def render(self) -> str | None:
        """Returns what the learner sees and may do, in words, with `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        observations, masks = self._tables.look()
        seen = [f"{meaning}: {number:g}" for meaning, number in zip(self.meanings, observations[0], strict=True) if number]
        legal = [action for action, is_legal in zip(self.actions, masks[0], strict=True) if is_legal]
        return "\n".join([*seen, "legal: " + ", ".join(legal)])

    def __repr__(self) -> str:
        return f"<{self._tables!r}>"

    __str__ = __repr__

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the mask of the legal actions; MaskablePPO of sb3-contrib calls this."""
        mask: NDArray[np.bool_] = self._mask != 0
        return mask


class VectorEnvironment(VectorEnv):
    """Many games against a strategy, which are played at the same time. `make_vec` creates it.

    After the end of a game, the next step deals the next game of this table and ignores the action.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        family: str | Family,
        num_envs: SupportsIndex,
        against: Opponents = "random",
        *,
        seat: VectorSeat = "alternate",
        weights: ArrayLike | None = None,
        seed: SeedLike | None = None,
    ) -> None:
        self._tables = Environments(family, against, seat, seed, num_envs, weights)
        self._has_both = seat == "both"
        self._is_new = True
        self.num_envs = self._tables.num_tables
        #: The meaning of each number of an observation.
        self.meanings = self._tables.meanings
        #: The text of each action.
        self.actions = self._tables.actions
        self.single_observation_space = spaces.Box(self._tables.low, self._tables.high)
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def __repr__(self) -> str:
        return f"<{self._tables!r}>"

    __str__ = __repr__

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deals the next game at each table, or the first games of a seed."""
        if seed is not None:
            self._tables.restart(seed)
        elif not self._is_new:
            self._tables.deal()
        self._is_new = False
        observations, masks = self._tables.look()
        return observations, self._info(masks)

    def _info(self, masks: NDArray[np.int8]) -> dict[str, Any]:
        """Returns the masks and, if the learner plays both seats, the seat to act at each table: 0, 1, or -1 after the game."""
        return {"action_mask": masks, "seat": self._tables.movers()} if self._has_both else {"action_mask": masks}

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action at each table, and the opponents' replies."""
        rewards, are_over, are_illegal = self._tables.step(np.ascontiguousarray(actions, dtype=np.int64))
        observations, masks = self._tables.look()
        info = {**self._info(masks), "illegal": are_illegal}
        return observations, rewards, are_over, np.zeros(self.num_envs, dtype=np.bool_), info


def make(
    family: str | Family,
    against: Opponents = "random",
    *,
    seat: Seat = "alternate",
    weights: ArrayLike | None = None,
    seed: SeedLike | None = None,
    render_mode: str | None = None,
) -> Environment:
    """Returns an environment in which the learner plays a seat against a strategy.

    By default, the opponent plays at random, the seats alternate, and the seed is drawn; `repr` shows them. `reset` deals
    the next game, and `reset(seed=s)` the first game of another seed. Of a list of opponents, one is drawn for each game, by
    `weights` if they are given.
    """
    return Environment(family, against, seat=seat, weights=weights, seed=seed, render_mode=render_mode)


def make_vec(
    family: str | Family,
    num_envs: SupportsIndex,
    against: Opponents = "random",
    *,
    seat: VectorSeat = "alternate",
    weights: ArrayLike | None = None,
    seed: SeedLike | None = None,
) -> VectorEnvironment:
    """Returns `num_envs` games that are played at the same time; see `make`.

    With `seat="both"`, the learner plays both seats: `info["seat"]` is the seat to act at each table, and rewards are those
    of the first seat.
    """
    return VectorEnvironment(family, num_envs, against, seat=seat, weights=weights, seed=seed)


def vector(num_envs: int, **settings: Any) -> VectorEnvironment:
    """Returns the environments of `gymnasium.make_vec("ruse/FAMILY-v0")`."""
    return VectorEnvironment(settings.pop("family"), num_envs, **settings)


for _family in json.loads(_ruse.catalogue())["families"]:
    gymnasium.register(
        id=f"ruse/{_family['name']}-v0",
        entry_point="ruse.gymnasium:Environment",
        vector_entry_point="ruse.gymnasium:vector",
        kwargs={"family": _family["name"]},
    )
