"""Games of OpenSpiel and PettingZoo as games that `ruse` tunes.

    $ ruse optimise "program:python -m ruse.adapters openspiel leduc_poker"
    $ ruse match "program:python -m ruse.adapters pettingzoo classic.connect_four_v3" random random

`from_pyspiel` returns such a family in Python. The game must have two players. A strategy draws an action with a probability
proportional to exp(score). The score is a sum over the numbers of the observation that are not zero: each is multiplied by a
parameter, which a hash assigns to its place and the action, and the sum is divided by the root of the number of summands. The
two seats have parameters of their own. Both games of a pair have the same random events.

In OpenSpiel, the observation is the tensor of the information state, or of the state if nothing is hidden; a payoff is the
difference of the returns, scaled to 0 to 1. In PettingZoo, games are won, drawn or lost by the sum of rewards.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ._checks import missing, whole
from ._ruse import RuseError

if TYPE_CHECKING:
    from ._family import Family

#: The default number of parameters of each seat.
FEATURES = 64
#: The parts of a payoff.
_PARTS = 12_000
_SEATS = ("first", "second")

_Floats = NDArray[np.float64]


class _Play(Protocol):
    """A game of another package in progress."""

    def seat(self) -> int | None:
        """Returns the seat to act, 0 or 1, or None at the end."""

    def look(self) -> tuple[_Floats, list[int]]:
        """Returns the observation of the seat to act, and its legal actions."""

    def act(self, action: int) -> None:
        """Plays an action."""

    def ask(self, bot: str) -> int:
        """Returns the action of a bot of the package at the seat to act."""

    def payoff(self) -> float:
        """Returns the payoff to the first seat, from 0 to 1."""


class _Game(Protocol):
    """A game of another package."""

    name: str
    #: The names and meanings of players of the package.
    bots: dict[str, str]

    def start(self, deal: int) -> _Play:
        """Begins a game. Its random events depend only on `deal`."""


class _OpenSpiel:
    """A game of OpenSpiel."""

    def __init__(self, text: str) -> None:
        try:
            import pyspiel
        except ModuleNotFoundError as error:
            raise missing(error, "ruse.adapters", "ruse[openspiel]") from None
        short = text.partition("(")[0]
        if short not in (known := pyspiel.registered_names()):
            near = difflib.get_close_matches(short, known, n=1)
            raise RuseError(f"OpenSpiel has no game {short}" + (f"; did you mean {near[0]}?" if near else ""))
        try:
            game = pyspiel.load_game(text)
            if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
                game = pyspiel.convert_to_turn_based(game)
        except pyspiel.SpielError as error:
            raise RuseError(f"OpenSpiel: {str(error).splitlines()[0]}") from None
        if game.num_players() != 2:
            raise RuseError(f"{text} has {game.num_players()} players, and must have two")
        kind = game.get_type()
        is_open = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        if not (is_open and kind.provides_observation_tensor) and not kind.provides_information_state_tensor:
            raise RuseError(f"{text} has no tensor of {'states' if is_open else 'information states'}")
        self.name = text
        self.game = game
        self.sees_state = is_open and kind.provides_observation_tensor
        self.range = game.max_utility() - game.min_utility()
        self.bots = {"mcts": "the search of OpenSpiel with 100 simulations at a turn"} if is_open else {}

    def mcts(self, seed: int) -> Any:
        import pyspiel

        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(self.game, evaluator, 2.0, 100, 100, True, seed, False)

    def start(self, deal: int) -> _OpenSpielPlay:
        return _OpenSpielPlay(self, deal)


class _OpenSpielPlay:
    def __init__(self, of: _OpenSpiel, deal: int) -> None:
        self._of = of
        self._state = of.game.new_initial_state()
        self._chance = np.random.default_rng([deal, 2])
        self._bots: dict[int, Any] = {}
        self._deal = deal

    def seat(self) -> int | None:
        state = self._state
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            reached = np.searchsorted(np.cumsum(weights), self._chance.random(), side="right")
            state.apply_action(outcomes[min(int(reached), len(outcomes) - 1)])
        return None if state.is_terminal() else int(state.current_player())

    def look(self) -> tuple[_Floats, list[int]]:
        state, seat = self._state, self._state.current_player()
        seen = state.observation_tensor(seat) if self._of.sees_state else state.information_state_tensor(seat)
        return np.asarray(seen, dtype=np.float64), state.legal_actions()

    def act(self, action: int) -> None:
        self._state.apply_action(action)

    def ask(self, bot: str) -> int:
        seat = self._state.current_player()
        if seat not in self._bots:
            self._bots[seat] = self._of.mcts(2 * self._deal % 2**31 + seat)
        return int(self._bots[seat].step(self._state))

    def payoff(self) -> float:
        first, second = self._state.returns()
        return float((first - second + self._of.range) / (2 * self._of.range)) if self._of.range else 0.5


class _PettingZoo:
    """An environment of PettingZoo, such as `classic.connect_four_v3`."""

    def __init__(self, text: str) -> None:
        try:
            self._module = importlib.import_module(f"pettingzoo.{text}")
        except ModuleNotFoundError as error:
            if error.name and error.name.startswith("pettingzoo."):
                raise RuseError(f"PettingZoo has no module {text}; an example is classic.connect_four_v3") from None
            raise missing(error, "ruse.adapters", "pettingzoo[classic]") from None
        self.name = text
        self.bots: dict[str, str] = {}
        self.env = self._module.env()
        if len(self.env.possible_agents) != 2:
            raise RuseError(f"{text} has {len(self.env.possible_agents)} agents, and must have two")

    def start(self, deal: int) -> _PettingZooPlay:
        return _PettingZooPlay(self.env, deal)


class _PettingZooPlay:
    def __init__(self, env: Any, deal: int) -> None:
        self._env = env
        self._agents = env.possible_agents
        self._sums = dict.fromkeys(self._agents, 0.0)
        env.reset(seed=deal % 2**32)

    def seat(self) -> int | None:
        env = self._env
        while env.agents:
            _, _, is_over, is_cut, _ = env.last(observe=False)
            if not (is_over or is_cut):
                return int(self._agents.index(env.agent_selection))
            env.step(None)
        return None

    def look(self) -> tuple[_Floats, list[int]]:
        seen, *_ = self._env.last()
        space = self._env.action_space(self._env.agent_selection)
        mask = seen.get("action_mask") if isinstance(seen, dict) else None
        if isinstance(seen, dict):
            seen = seen["observation"]
        legal = range(int(space.n)) if mask is None else np.flatnonzero(mask).tolist()
        return np.asarray(seen, dtype=np.float64).ravel(), list(legal)

    def act(self, action: int) -> None:
        self._env.step(action)
        for agent, reward in self._env.rewards.items():
            self._sums[agent] += reward

    def ask(self, bot: str) -> int:
        raise RuseError(f"there is no {bot}")

    def payoff(self) -> float:
        first, second = (self._sums[agent] for agent in self._agents)
        return float((np.sign(first - second) + 1) / 2)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hashes numbers (SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class _Softmax:
    """The strategy with these parameters, or uniform play without parameters."""

    def __init__(self, theta: _Floats | None, features: int) -> None:
        self._theta = None if theta is None else theta.reshape(2, features)
        self._features = np.uint64(features)

    def choose(self, seat: int, seen: _Floats, legal: list[int], generator: np.random.Generator) -> int:
        drawn = generator.random()
        if self._theta is None:
            return legal[int(drawn * len(legal))]
        places = np.flatnonzero(seen)
        items = _mixed(places.astype(np.uint64) + np.uint64(1))
        hashes = _mixed(items[None, :] ^ _mixed(np.array(legal, dtype=np.uint64) + np.uint64(1 << 32))[:, None])
        signs = 1.0 - 2.0 * (hashes >> np.uint64(63)).astype(np.float64)
        weights = self._theta[seat][(hashes % self._features).astype(np.int64)]
        scores = (signs * weights * seen[places]).sum(axis=1) / max(1, len(places)) ** 0.5
        shares = np.cumsum(np.exp(scores - scores.max()))
        return legal[min(int(np.searchsorted(shares, drawn * shares[-1], side="right")), len(legal) - 1)]


def _payoff(game: _Game, players: tuple[_Softmax | str, _Softmax | str], deal: int) -> float:
    """Returns the payoff to the first of the players in one game, rounded to parts."""
    play = game.start(deal)
    generators = [np.random.default_rng([deal, seat]) for seat in (0, 1)]
    while (seat := play.seat()) is not None:
        player = players[seat]
        if isinstance(player, str):
            play.act(play.ask(player))
        else:
            seen, legal = play.look()
            play.act(player.choose(seat, seen, legal, generators[seat]))
    return round(play.payoff() * _PARTS) / _PARTS


def _serve(game: _Game, features: int) -> None:
    """Answers the requests of `ruse` until it ends."""
    said = sys.stdout
    # Output of packages goes to standard error, since standard output carries the protocol.
    sys.stdout = sys.stderr
    parameters = [
        {"name": f"{seat}-{index}", "meaning": f"weight {index} of the {seat} seat: of pairs of a place in its observation and an action"}
        for seat in _SEATS
        for index in range(features)
    ]
    description = {
        "family": "".join(letter if letter.isalnum() else "-" for letter in game.name.lower()).strip("-"),
        "summary": "what each seat makes of its observation: weights of actions, one of which is drawn by them",
        "parameters": parameters,
        "references": [
            {"name": "random", "meaning": "any legal action", "parameters": [0] * len(parameters)},
            *({"name": name, "meaning": meaning} for name, meaning in game.bots.items()),
        ],
        "baseline": "random",
        "payoffs": _PARTS,
        "deterministic": True,
    }

    def player(described: list[float] | str) -> _Softmax | str:
        if isinstance(described, str) and described != "random":
            return described
        return _Softmax(None if described == "random" else np.array(described, dtype=np.float64), features)

    for line in sys.stdin:
        message = json.loads(line)
        if "hello" in message:
            answer: dict[str, Any] = description
        elif "pair" in message:
            a, b, deal = player(message["a"]), player(message["b"]), message["deal"]
            answer = {"pair": message["pair"], "payoffs": [_payoff(game, (a, b), deal), 1 - _payoff(game, (b, a), deal)]}
        else:
            break
        said.write(json.dumps(answer) + "\n")
        said.flush()


def from_pyspiel(game: Any, *, features: int = FEATURES) -> Family:
    """Returns the family of a game of OpenSpiel: a text such as "kuhn_poker" or "nim(pile_sizes=1;3)", or a `pyspiel.Game`.

    Each seat has `features` parameters, 1 to 65,536.
    """
    from . import family

    features = whole("features", features, 1, 65_536)
    _OpenSpiel(str(game))
    words = [sys.executable, "-m", "ruse.adapters", "openspiel", str(game), "--features", str(features)]
    return family("program:" + shlex.join(words))


def to_pyspiel(path: str) -> Any:
    """Returns a small rule file (FILE.kif) as a `pyspiel.Game`, with the goals of the roles as utilities."""
    try:
        import pyspiel
    except ModuleNotFoundError as error:
        raise missing(error, "ruse.adapters", "ruse[openspiel]") from None
    words = [sys.executable, "-m", "ruse", "export", "--efg", path]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", env={**os.environ, "NO_COLOR": "1"}, check=False)
    if done.returncode != 0:
        raise RuseError(done.stderr.strip().removeprefix("error: "))
    return pyspiel.load_efg_game(done.stdout)


def _main() -> None:
    words = argparse.ArgumentParser(prog="python -m ruse.adapters", description="A game of another package, which `ruse` starts.")
    words.add_argument("package", choices=["openspiel", "pettingzoo"])
    words.add_argument("game", help='such as "kuhn_poker", or "classic.connect_four_v3" in PettingZoo')
    words.add_argument("--features", type=int, default=FEATURES, help=f"parameters of each seat (default: {FEATURES})")
    given = words.parse_args()
    try:
        features = whole("features", given.features, 1, 65_536)
        game: _Game = _OpenSpiel(given.game) if given.package == "openspiel" else _PettingZoo(given.game)
    except RuseError as error:
        words.exit(2, f"error: {error}\n")
    _serve(game, features)


if __name__ == "__main__":
    _main()
