"""Matches, evaluations, races and leagues: the numbers of the command line."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import ruse

from .conftest import CommandLine


@pytest.mark.parametrize(
    ("family", "a", "b", "pairs"),
    [
        ("war", "[0,-9,9]", "random", 3000),
        ("war", "[0,-9,9]", "random", 7),
        ("war", "[1,2,3]", "baseline", None),
        ("pig", "hold-20", "hold-25", None),
        ("nim", "baseline", "baseline", 50),
        ("phantom-tic-tac-toe", "baseline", "baseline", 10),
    ],
)
def test_matches_are_those_of_the_command_line(
    command_line: CommandLine, family: str, a: str, b: str, pairs: int | None
) -> None:
    options = [] if pairs is None else ["--pairs", pairs]
    told = command_line("match", family, a, b, "--seed", 7, *options)
    match = ruse.family(family).match(a, b, pairs=pairs, seed=7)
    for key in ["score", "exact", "pairs", "wins", "draws", "losses", "confidence", "seed"]:
        assert getattr(match, key) == told[key], key
    assert list(match.interval) == told["interval"]
    assert len(match.pairs_scores) == match.pairs
    if match.pairs > 0 and not match.exact:
        assert match.pairs_scores.mean() == pytest.approx(match.score, abs=1e-12)
    assert float(match) == match.score


def test_threads_do_not_change_results() -> None:
    war = ruse.family("war")
    scores = [war.match("descending", "random", pairs=500, threads=n).pairs_scores for n in (1, 2, 5)]
    assert np.array_equal(scores[0], scores[1]) and np.array_equal(scores[0], scores[2])
    thetas = war.space.sample(3, 6)
    assert np.array_equal(war.evaluate(thetas, pairs=40, threads=1), war.evaluate(thetas, pairs=40, threads=3))


@pytest.mark.parametrize("pairs", [30, 200])
def test_an_evaluation_has_the_scores_of_matches(pairs: int) -> None:
    war = ruse.family("war")
    thetas = war.space.sample(5, 4)
    scores = war.evaluate(thetas, "random", pairs=pairs, seed=9)
    assert scores.dtype == np.float64 and scores.shape == (4,)
    assert scores.tolist() == [war.match(theta, "random", pairs=pairs, seed=9).score for theta in thetas]
    assert war.evaluate(thetas[:1], "random", pairs=pairs, seed=9)[0] == scores[0]
    assert war.evaluate(thetas[:0], "random", pairs=pairs).shape == (0,)
    reversed_rows = np.asfortranarray(thetas[::-1])
    assert war.evaluate(reversed_rows, "random", pairs=pairs, seed=9).tolist() == scores[::-1].tolist()


def test_a_race_decides() -> None:
    war = ruse.family("war")
    verdict = war.race("descending", "random")
    assert verdict and verdict.accepts and verdict.reason == "better" and verdict.interval[0] > 0.5
    assert verdict.games == 2 * verdict.observations
    assert not war.race("random", "descending")
    assert war.race("random", "ascending", comparison="bernstein", max_games=10).reason == "budget"


def test_a_race_is_fed_by_hand() -> None:
    race = ruse.Race(precision=0.05)
    generator = np.random.default_rng(1)
    while not race.push(float(generator.random() < 0.6)):
        assert race.verdict is None
    assert race.verdict is not None and race.verdict.accepts
    assert race.verdict.observations == race.observations
    with pytest.raises(ruse.RuseError, match="begin another"):
        race.push(1)
    with pytest.raises(ruse.RuseError, match="0.3 is no score of this race"):
        ruse.Race().push(0.3)
    ruse.Race(levels=10).push(0.3)


def test_a_league_has_the_scores_of_matches() -> None:
    war = ruse.family("war")
    members: list[ruse.Who] = ["random", "ascending", [0, -9, 9]]
    league = war.league(members, pairs=100, seed=4)
    for i, a in enumerate(members):
        for j, b in enumerate(members):
            if i < j:
                match = war.match(a, b, pairs=100, seed=4)
                assert league.scores[i, j] == match.score and league.lows[i, j] == match.interval[0]
            assert league.scores[i, j] + league.scores[j, i] == pytest.approx(1)
    nash = league.nash()
    assert nash.weights.sum() == pytest.approx(1) and nash.weights[2] > 0.9
    assert 0 <= nash.interval[0] <= nash.exploitability <= nash.interval[1]
    assert war.match(nash.strategy, "random", pairs=100).score > 0.5
    assert len(league.table) == 6


def test_exploitability_is_that_of_the_command_line(command_line: CommandLine) -> None:
    told = command_line("exploit", "pig", "hold-20")
    response = ruse.exploit(ruse.family("pig").strategy("hold-20"))
    assert response.exact and response.exploitability == told["exploitability"] and response.games == 0
    told = command_line("exploit", "war", "random", "--budget", "2k", "--restarts", 2)
    response = ruse.family("war").exploit("random", budget="2k", restarts=2)
    assert not response.exact
    assert response.score == told["best_response_score"] and list(response.interval) == told["interval"]


def test_other_threads_go_on_while_games_are_played() -> None:
    war = ruse.family("war")
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    started = time.monotonic()
    war.match("random", "ascending", pairs=20_000, threads=1)
    elapsed = time.monotonic() - started
    done.set()
    ticker.join()
    # If it were kept from running, it would tick a few times at most.
    assert ticks > 20 * elapsed, (ticks, elapsed)


def test_threads_may_play_at_the_same_time() -> None:
    war = ruse.family("war")
    expected = [war.match("random", "ascending", pairs=300, seed=seed).score for seed in range(8)]
    found = [0.0] * 8

    def play(seed: int) -> None:
        found[seed] = war.match("random", "ascending", pairs=300, seed=seed).score

    players = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert found == expected
