"""Tests of games of OpenSpiel and PettingZoo as games of `ruse`, and the other way round."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import ruse
from ruse import adapters


def lines(*words: str, requests: list[dict[str, object]]) -> list[dict[str, object]]:
    """Returns the answers of an adapter."""
    said = "".join(json.dumps(request) + "\n" for request in [{"hello": {"protocol": 1, "kind": "game"}}, *requests])
    command = [sys.executable, "-m", "ruse.adapters", *words]
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_game_of_openspiel_is_tuned() -> None:
    pytest.importorskip("pyspiel")
    family = adapters.from_pyspiel("kuhn_poker", features=16)
    assert family.space.dimension == 32
    found = family.optimise("es", budget="8k", seed=1)
    fresh = family.match(found.champion, "random", pairs=2000, seed=2)
    # A best response to random play wins .4583 chips more a game (NashConv .9167 of Kuhn poker, both seats), of 4.
    assert 0.53 < fresh.score < 0.5 + 0.4584 / 4 + 0.02
    again = adapters.from_pyspiel("kuhn_poker", features=16).optimise("es", budget="8k", seed=1)
    first, second = found.champion.parameters, again.champion.parameters
    assert first is not None and second is not None
    assert first.tolist() == second.tolist()


def test_payoffs_are_scaled_returns_and_deals_are_shared() -> None:
    pytest.importorskip("pyspiel")
    requests: list[dict[str, object]] = [{"pair": deal, "a": "random", "b": "random", "deal": deal} for deal in range(200)]
    description, *answers = lines("openspiel", "kuhn_poker", requests=requests)
    assert description["family"] == "kuhn-poker"
    # Both games of a pair are the same game here: a player loses as one seat what it wins as the other.
    payoffs = [answer["payoffs"] for answer in answers]
    assert all(isinstance(pair, list) and sum(pair) == 1 for pair in payoffs)
    # One or two chips are won; the first player wins -1/18 under best play, and 1/8 under random play.
    assert {pair[0] for pair in payoffs if isinstance(pair, list)} == {0.0, 0.25, 0.75, 1.0}
    assert lines("openspiel", "kuhn_poker", requests=requests)[1:] == answers


def test_bots_of_openspiel_are_references() -> None:
    pytest.importorskip("pyspiel")
    family = adapters.from_pyspiel("tic_tac_toe")
    assert family.match("mcts", "random", pairs=40, seed=1).score > 0.9
    simultaneous = adapters.from_pyspiel("goofspiel(num_cards=4)")
    assert simultaneous.match("baseline", "random", pairs=20, seed=1).score == 0.5


def test_an_environment_of_pettingzoo_is_a_game() -> None:
    pytest.importorskip("pettingzoo.classic.tictactoe_v3")
    requests: list[dict[str, object]] = [
        {"pair": pair, "a": [0.5 * (index % 7) - 1 for index in range(32)], "b": "random", "deal": 10 + pair} for pair in range(60)
    ]
    words = ("pettingzoo", "classic.tictactoe_v3", "--features", "16")
    _, *answers = lines(*words, requests=requests)
    payoffs = [payoff for answer in answers for payoff in answer["payoffs"]]  # type: ignore[attr-defined]
    assert set(payoffs) == {0.0, 0.5, 1.0}
    assert lines(*words, requests=requests)[1:] == answers


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["openspiel", "kuhn_pokr"], "did you mean kuhn_poker?"),
        (["openspiel", "hearts"], "hearts has 4 players, and must have two"),
        (["openspiel", "nim(pile=3)"], "OpenSpiel: "),
        (["pettingzoo", "classic.go_v99"], "PettingZoo has no module classic.go_v99"),
        (["openspiel", "kuhn_poker", "--features", "0"], "features is 0"),
        (["openspeil", "kuhn_poker"], "invalid choice"),
    ],
)
def test_mistakes_are_named(words: list[str], told: str) -> None:
    if "openspiel" in words:
        pytest.importorskip("pyspiel")
    done = subprocess.run([sys.executable, "-m", "ruse.adapters", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and told in done.stderr, done.stderr
    assert done.stdout == ""


def test_rule_files_are_games_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    game = adapters.to_pyspiel("kuhn_poker.kif")
    assert game.num_players() == 2
    with pytest.raises(ruse.RuseError, match="too large"):
        adapters.to_pyspiel("connect_four.kif")
