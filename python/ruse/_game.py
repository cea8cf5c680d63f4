"""Games that are objects of Python. A game becomes a rule file with all its information sets, so that everything works on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ._play import rule_file
from ._ruse import RuseError

if TYPE_CHECKING:
    from ._family import Family

#: The largest number of nodes of a game tree.
MOST_NODES = 50_000


class Game(Protocol):
    """A game of two players whose payoffs have the sum 0, from a start to its ends. States are never changed."""

    def start(self) -> Any:
        """Returns the state before the first move."""

    def turn(self, state: Any) -> int | str | None:
        """Returns the player to move, 0 or 1; "chance"; or None at the end."""

    def legal(self, state: Any) -> Iterable[Any]:
        """Returns the legal actions of the player to move; at a turn of chance, pairs of an event and its probability."""

    def apply(self, state: Any, action: Any) -> Any:
        """Returns the state after an action or an event."""

    def payoff(self, state: Any) -> float:
        """Returns the payoff to player 0 at the end."""

    def observe(self, state: Any, player: int) -> Hashable:
        """Returns what the player to move sees. Players remember what they saw and did at earlier turns."""


class _Spiel:
    """A `pyspiel.Game`."""

    def __init__(self, game: Any) -> None:
        import pyspiel

        if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        if game.num_players() != 2:
            raise RuseError(f"{game} has {game.num_players()} players, and must have two")
        self.game = game

    def start(self) -> Any:
        return self.game.new_initial_state()

    def turn(self, state: Any) -> int | str | None:
        if state.is_terminal():
            return None
        return "chance" if state.is_chance_node() else int(state.current_player())

    def legal(self, state: Any) -> Iterable[Any]:
        return state.chance_outcomes() if state.is_chance_node() else state.legal_actions()  # type: ignore[no-any-return]

    def apply(self, state: Any, action: Any) -> Any:
        return state.child(action)

    def payoff(self, state: Any) -> float:
        first, second = state.returns()
        if abs(first + second) > 1e-9:
            raise RuseError(f"{self.game} has payoffs {first:g} and {second:g}, and must have the sum 0")
        return float(first)

    def observe(self, state: Any, player: int) -> Hashable:
        return str(state.information_state_string(player))

    def label(self, state: Any, action: Any) -> str:
        return str(state.action_to_string(state.current_player(), action))


class _Tree:
    """The text of a game tree in the format of Gambit."""

    def __init__(self, game: Game, most: int) -> None:
        self._game, self._most = game, most
        self._label: Callable[[Any, Any], str] = getattr(game, "label", lambda state, action: str(action))
        self._sets: dict[tuple[int, Hashable, Hashable], tuple[int, list[str]]] = {}
        self.lines: list[str] = []
        self._add(game.start(), ((), ()))

    def _add(self, state: Any, pasts: tuple[tuple[Any, ...], tuple[Any, ...]]) -> None:
        """Adds a node and all nodes below it. `pasts` has the sets and moves of each player so far."""
        number = len(self.lines) + 1
        if number > self._most:
            raise RuseError(
                f"the game has more than {self._most:,} nodes: raise `most`, or let a program play its games, as in "
                'ruse.family("program:python game.py")'
            )
        player = self._game.turn(state)
        if player is None:
            payoff = float(self._game.payoff(state))
            if not math.isfinite(payoff):
                raise RuseError(f"the payoff of {state!r} is {payoff}")
            self.lines.append(f't "" {number} "" {{ {payoff!r} {-payoff!r} }}')
            return
        legal = list(self._game.legal(state))
        if not legal:
            raise RuseError(f"{state!r} is not the end, and has no legal action")
        if player == "chance":
            events = [(event, float(probability)) for event, probability in legal]
            if abs(sum(share for _, share in events) - 1) > 1e-9 or min(share for _, share in events) < 0:
                raise RuseError(f"the probabilities in {state!r} are {[share for _, share in events]}, and must add up to 1")
            moves = " ".join(f"{_quoted(self._label(state, event))} {share!r}" for event, share in events)
            self.lines.append(f'c "" {number} "" {{ {moves} }} 0')
            for event, share in events:
                self._add(self._game.apply(state, event), pasts)
            return
        if player not in (0, 1):
            raise RuseError(f'turn({state!r}) is {player!r}, and must be 0, 1, "chance" or None')
        seen = self._game.observe(state, player)
        labels = [self._label(state, action) for action in legal]
        index, known = self._sets.setdefault((player, pasts[player], seen), (len(self._sets) + 1, labels))
        if known != labels:
            raise RuseError(f"player {player} sees {seen!r} in two states with different actions: {known} and {labels}")
        moves = " ".join(map(_quoted, labels))
        self.lines.append(f'p "" {player + 1} {index} {_quoted(str(seen))} {{ {moves} }} 0')
        for place, action in enumerate(legal):
            past = (*pasts[player], (index, place))
            self._add(self._game.apply(state, action), (past, pasts[1]) if player == 0 else (pasts[0], past))


def _quoted(text: str) -> str:
    """Returns a text in quotation marks, on one line."""
    return '"' + " ".join(text.split()).replace("\\", "/").replace('"', "'") + '"'


def game(source: Any, *, name: str = "game", players: Sequence[str] = ("first", "second"), most: int = MOST_NODES) -> Family:
    """Returns the family of a game that is an object: one with the methods of `ruse.Game`, or a `pyspiel.Game`.

    All states are visited, so the game must be small. It can then be solved, matches and exploitabilities are exact, and
    methods learn from all information sets.
    """
    if type(source).__module__.startswith("pyspiel"):
        source = _Spiel(source)
    missing = [of for of in ("start", "turn", "legal", "apply", "payoff", "observe") if not hasattr(source, of)]
    if missing:
        raise RuseError(f"{source!r} has no method {missing[0]}; a game has the methods of ruse.Game")
    title = f"EFG 2 R {_quoted(name)} {{ {' '.join(map(_quoted, players))} }}"
    try:
        lines = _Tree(source, most).lines
    except RecursionError:
        raise RuseError("a play of the game is too long, or never ends") from None
    return rule_file("\n".join([title, *lines]), name)
