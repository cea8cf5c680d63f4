"""The games of `ruse` as environments of PettingZoo; PettingZoo and gymnasium must be installed.

`env` plays by numbers, with an agent in each seat; `ruse.gymnasium` has the same games against a strategy. In a
`TextEnvironment` one agent plays at a table (`ruse.table`) against a strategy. Its observations are the text that a person
sees, and its actions are the text that a person types, so programs and language models play like people.
"""

from __future__ import annotations

from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ._checks import SeedLike, drawn, missing

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ModuleNotFoundError as error:
    raise missing(error, __name__, "ruse[pettingzoo]") from None

from ._environment import Environments
from ._family import Family, Who
from ._play import TableSession

#: The longest view, and the longest action, in characters.
_LONGEST_VIEW = 20_000
_LONGEST_ACTION = 1_000


class _Typed(spaces.Text):
    """The space of typed actions."""

    def __init__(self, environment: TextEnvironment) -> None:
        super().__init__(_LONGEST_ACTION)
        self._environment = environment

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Returns a legal action: one of the choices, or "random" if there are no choices."""
        choices = self._environment.table.choices()
        return choices[int(self.np_random.integers(len(choices)))] if choices else "random"

    def contains(self, x: Any) -> bool:
        """Returns whether `x` is a text."""
        return isinstance(x, str) and len(x) <= _LONGEST_ACTION


class _View(spaces.Text):
    """The space of texts that a person sees."""

    def contains(self, x: Any) -> bool:
        """Returns whether `x` is a text."""
        return isinstance(x, str) and len(x) <= _LONGEST_VIEW


class TextEnvironment(AECEnv):  # type: ignore[misc]
    """A table in text form, as an environment with one agent, `player`.

    An illegal action changes nothing, and costs `penalty`. The reward at the end is twice the result minus one: 1 for
    a won game, -1 for a lost game.
    """

    metadata: dict[str, Any] = {"name": "ruse", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        family: str | Family,
        against: Who | None = None,
        *,
        seat: Literal["first", "second"] = "first",
        penalty: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._family = family if isinstance(family, Family) else Family(family)
        self._against = against
        self._seat: Literal["first", "second"] = seat
        self._penalty = penalty
        self._seed, self._game = drawn(None), -1
        self.render_mode = render_mode
        self.possible_agents = ["player"]
        self.agents: list[str] = []
        self.table = TableSession(self._family, against, seat)
        self._observations = {
            "player": spaces.Dict({"view": _View(_LONGEST_VIEW), "prompt": _View(_LONGEST_VIEW)})
        }
        self._actions = {"player": _Typed(self)}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of two texts: the view of a person, and the prompt."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Text:
        """Returns the space of actions; its samples are legal."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals the next game, or the first game of a seed."""
        if seed is None:
            self._game += 1
        else:
            self._seed, self._game = seed, 0
        self.table = TableSession(self._family, self._against, self._seat, self._seed, self._game)
        self.agents = list(self.possible_agents)
        self.agent_selection = "player"
        self.rewards = {"player": 0.0}
        self._cumulative_rewards = {"player": 0.0}
        self.truncations = {"player": False}
        self._tell()

    def _tell(self) -> None:
        result = self.table.result
        self.terminations = {"player": result is not None}
        if result is not None:
            self.rewards["player"] += 2 * result - 1
        info = {"choices": self.table.choices(), "grammar": self.table.grammar(), "log": self.table.log}
        self.infos: dict[str, dict[str, Any]] = {"player": info}

    def observe(self, agent: str) -> dict[str, str]:
        """Returns the view of a person, and the prompt."""
        return {"view": self.table.view()[:_LONGEST_VIEW], "prompt": self.table.prompt()[:_LONGEST_VIEW]}

    def step(self, action: str | None) -> None:
        """Plays a typed action."""
        if self.terminations["player"] or self.truncations["player"]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards["player"] = 0.0
        self.rewards = {"player": 0.0}
        try:
            self.table.act(action if action is not None else "")
        except ValueError as refusal:
            self.rewards["player"] -= self._penalty
            self._tell()
            self.infos["player"]["refused"] = str(refusal)
        else:
            self._tell()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Returns the view of a person in mode "ansi", otherwise None."""
        return self.table.view() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing, since there is nothing to close."""


class Environment(AECEnv):  # type: ignore[misc]
    """A game between two agents, `first` and `second`, who play by numbers. `env` creates it.

    An observation has the vector `observation`, whose meanings `meanings` lists, and the mask `action_mask` of the legal
    actions, whose texts `actions` lists. An action that is not legal loses the game. The rewards at the end are 1 and -1, or
    0 for a draw.
    """

    metadata: dict[str, Any] = {"name": "ruse", "render_modes": [], "is_parallelizable": True}

    def __init__(self, family: str | Family, *, seed: SeedLike | None = None) -> None:
        super().__init__()
        self._tables = Environments(family, "random", "both", seed)
        self._is_new = True
        #: The meaning of each number of an observation.
        self.meanings = self._tables.meanings
        #: The text of each action.
        self.actions = self._tables.actions
        self.render_mode = None
        self.possible_agents = ["first", "second"]
        self.agents: list[str] = []
        seen = spaces.Dict(
            {
                "observation": spaces.Box(self._tables.low, self._tables.high),
                "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8),
            }
        )
        self._observations = {agent: seen for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents}

    def __repr__(self) -> str:
        return f"<{self._tables!r}>"

    __str__ = __repr__

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of a vector and a mask."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of the numbered actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals the next game, or the first game of a seed."""
        if seed is not None:
            self._tables.restart(seed)
        elif not self._is_new:
            self._tables.deal()
        self._is_new = False
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look()

    def _look(self) -> None:
        observations, masks = self._tables.look()
        self._observation, self._mask = observations[0], masks[0]
        mover = self._tables.mover()
        self.agent_selection = "first" if mover is None else mover

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Returns what the agent sees if it is to act, otherwise zeros."""
        if agent == self.agent_selection and not self.terminations[agent]:
            return {"observation": self._observation, "action_mask": self._mask}
        return {"observation": self._tables.low.copy(), "action_mask": np.zeros_like(self._mask)}

    def step(self, action: SupportsIndex | None) -> None:
        """Plays an action of the agent to act."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        number = -1 if action is None else int(action)
        rewards, are_over, are_illegal = self._tables.step(np.array([number], dtype=np.int64))
        if are_over[0]:
            own = float(rewards[0])
            self.rewards = {"first": own, "second": -own}
            self.terminations = {agent: True for agent in self.agents}
            self.infos[agent]["illegal"] = bool(are_illegal[0])
        self._look()
        self._accumulate_rewards()

    def close(self) -> None:
        """Does nothing, since there is nothing to close."""


def env(family: str | Family, *, seed: SeedLike | None = None) -> Environment:
    """Returns an environment with an agent in each seat. `reset` deals the next game. The seed is drawn if it is None."""
    return Environment(family, seed=seed)


def parallel_env(family: str | Family, *, seed: SeedLike | None = None) -> Any:
    """Returns the environment `env` with the interface of parallel environments, in which one agent acts at a time."""
    return turn_based_aec_to_parallel(Environment(family, seed=seed))
