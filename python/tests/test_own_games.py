"""Games that are objects of Python."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pytest

import ruse

State = tuple[Any, ...]


class Kuhn:
    """Kuhn poker. A state is the two cards, once they are dealt, and then the moves."""

    def start(self) -> State:
        return ()

    def turn(self, state: State) -> int | str | None:
        if len(state) < 2:
            return "chance"
        moves = "".join(state[2:])
        return None if moves in ("pp", "pbp", "pbb", "bp", "bb") else len(moves) % 2

    def legal(self, state: State) -> Iterable[Any]:
        if self.turn(state) == "chance":
            cards = [card for card in (1, 2, 3) if card not in state]
            return [(card, 1 / len(cards)) for card in cards]
        return ["p", "b"]

    def apply(self, state: State, action: Any) -> State:
        return (*state, action)

    def payoff(self, state: State) -> float:
        moves = "".join(state[2:])
        if moves in ("pbp", "bp"):
            return 1 if moves == "bp" else -1
        stake = 1 if moves == "pp" else 2
        return stake if state[0] > state[1] else -stake

    def observe(self, state: State, player: int) -> Hashable:
        return (state[player], "".join(state[2:]))


def test_a_class_is_a_game_that_is_solved_and_exploited() -> None:
    kuhn = ruse.game(Kuhn(), name="kuhn")
    solution = ruse.command("solve", kuhn)
    # Kuhn 1950: the first player loses 1/18 chip. The gap of `solve` is .001 of the range of four chips.
    assert solution["payoff"] == pytest.approx(-1 / 18, abs=0.004)
    assert solution["situations"] == 12
    bundled = ruse.family("kuhn_poker")
    assert kuhn.exploit("random").exploitability == pytest.approx(bundled.exploit("random").exploitability)
    assert kuhn.match("random", "first-legal").exact


def test_policies_play_own_games() -> None:
    policy = ruse.game(Kuhn()).policy(lambda seen, masks: masks / masks.sum(axis=1, keepdims=True))
    assert policy.exploit().exploitability == pytest.approx(ruse.game(Kuhn()).exploit("random").exploitability)


def test_players_remember_their_moves() -> None:
    class Twice(Kuhn):
        """Player 0 moves twice and sees nothing, so it must remember its first move to match it."""

        def turn(self, state: State) -> int | str | None:
            return 0 if len(state) < 2 else None

        def legal(self, state: State) -> Iterable[Any]:
            return ["a", "b"]

        def payoff(self, state: State) -> float:
            return 1 if state[0] == state[1] else -1

        def observe(self, state: State, player: int) -> Hashable:
            return None

    assert ruse.command("solve", ruse.game(Twice()))["payoff"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"turn": lambda self, state: 2}, "must be 0, 1"),
        ({"legal": lambda self, state: []}, "no legal action"),
        ({"payoff": lambda self, state: float("nan")}, "is nan"),
        (
            {
                "observe": lambda self, state, player: 0,
                "legal": lambda self, state: Kuhn().legal(state) if state[:1] != (1,) or len(state) < 2 else ["b", "p"],
            },
            "different actions",
        ),
        ({"legal": lambda self, state: [(1, 0.5)] if len(state) < 2 else ["p", "b"]}, "add up to 1"),
        ({"turn": lambda self, state: 0, "observe": lambda self, state, player: 0}, "never ends|more than"),
    ],
)
def test_wrong_games_are_refused(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(ruse.RuseError, match=problem):
        ruse.game(type("Wrong", (Kuhn,), changed)())


def test_an_object_without_methods_is_refused() -> None:
    with pytest.raises(ruse.RuseError, match="has no method start"):
        ruse.game(3)


def test_large_games_are_refused() -> None:
    with pytest.raises(ruse.RuseError, match="more than 20 nodes"):
        ruse.game(Kuhn(), most=20)


def test_games_of_openspiel_are_exact() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    # Southey et al. 2005: Leduc poker is worth -.0856 chips; the range is 26 chips, and the gap .001 of it.
    for name, value, error in [("kuhn_poker", -1 / 18, 0.004), ("leduc_poker", -0.0856, 0.026)]:
        family = ruse.game(pyspiel.load_game(name), name=name)
        assert ruse.command("solve", family)["payoff"] == pytest.approx(value, abs=error)
