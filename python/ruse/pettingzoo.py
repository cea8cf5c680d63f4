"""Our games as environments of PettingZoo, by text; PettingZoo and gymnasium must be installed.

One agent sits at a table (`ruse.table`), and our strategy at the other side: observations are what a person sees, actions what a
person types. A program, or a language model, plays as a person does. Whoever trains networks needs tensors, which are
another project's matter.
"""

from __future__ import annotations

from typing import Any, Literal

from ._checks import missing

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise missing(error, __name__, "ruse[pettingzoo]") from None

from ._family import Family, Who
from ._play import TableSession

#: The longest view that is handed over, and the longest action.
_LONGEST_VIEW = 20_000
_LONGEST_ACTION = 1_000


class _Typed(spaces.Text):
    """Actions as they are typed: those of the table, as far as it has a list."""

    def __init__(self, environment: TextEnvironment) -> None:
        super().__init__(_LONGEST_ACTION)
        self._environment = environment

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """An action that is allowed now: one of the choices, or any by the table where it has none."""
        choices = self._environment.table.choices()
        return choices[int(self.np_random.integers(len(choices)))] if choices else "random"

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str) and len(x) <= _LONGEST_ACTION


class _View(spaces.Text):
    """What a person sees."""

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str) and len(x) <= _LONGEST_VIEW


class TextEnvironment(AECEnv):  # type: ignore[misc]
    """A table of text as an environment with one agent, `player`.

    An action that is not allowed changes nothing, and costs `penalty`. The reward at the end is twice the result less one: 1 for
    a game that is won, -1 for one that is lost.
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
        self._seed, self._game = 1, -1
        self.render_mode = render_mode
        self.possible_agents = ["player"]
        self.agents: list[str] = []
        self.table = TableSession(self._family, against, seat)
        self._observations = {
            "player": spaces.Dict({"view": _View(_LONGEST_VIEW), "prompt": _View(_LONGEST_VIEW)})
        }
        self._actions = {"player": _Typed(self)}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Two texts: what a person sees, and what they are asked for."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Text:
        """Texts; samples are allowed actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals the next game, or the first one of a seed."""
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
        """What a person sees, and what they are asked for."""
        return {"view": self.table.view()[:_LONGEST_VIEW], "prompt": self.table.prompt()[:_LONGEST_VIEW]}

    def step(self, action: str | None) -> None:
        """Plays what was typed."""
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
        """What a person sees, if somebody wants to see it."""
        return self.table.view() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""
