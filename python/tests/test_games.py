"""Tests of matches, evaluations, races and leagues: they give the numbers of the command line."""

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
    with pytest.raises(ruse.RuseError, match="0.3 is not a score of this race"):
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
    # If the thread could not run during the match, it would tick only a few times.
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


def test_nothing_is_taken_from_a_perfect_player() -> None:
    """Rounding does not make the exploitability negative."""
    response = ruse.exploit(ruse.family("nim").strategy("optimal"))
    assert response.exact and response.exploitability == 0 and response.score == 0.5


def test_scores_have_the_formats_of_numbers() -> None:
    match = ruse.family("war").match([0, -9, 9], "random", pairs=50)
    assert f"{match:.3f}" == f"{match.score:.3f}" and f"{match}" == str(match) and f"{match:8.1%}".endswith("%")
    response = ruse.exploit(ruse.family("pig").strategy("hold-20"))
    assert f"{response:.2f}" == f"{response.score:.2f}"
    verdict = ruse.family("war").race([0, -9, 9], "random", precision=0.1)
    assert f"{verdict:.2f}" == f"{verdict.score:.2f}" and f"{verdict}" == str(verdict)
    with pytest.raises(ValueError, match="format"):
        f"{match:d}"


def test_a_seed_may_be_drawn_and_is_told() -> None:
    war = ruse.family("war")
    match = war.match([0, -9, 9], "random", pairs=30, seed=None)
    assert match.seed != war.match("random", pairs=30, seed=None).seed
    rematch = war.match([0, -9, 9], "random", pairs=30, seed=match.seed)
    assert rematch.pairs_scores.tolist() == match.pairs_scores.tolist()
    race = war.race([0, -9, 9], "random", precision=0.1, seed=None)
    assert race.seed is not None and race == war.race([0, -9, 9], "random", precision=0.1, seed=race.seed)
    league = war.league(["random", "descending"], pairs=30, seed=None)
    assert np.array_equal(league.scores, war.league(["random", "descending"], pairs=30, seed=league.seed).scores)
    response = war.exploit("random", budget=500, restarts=1, seed=None)
    assert response.score == war.exploit("random", budget=500, restarts=1, seed=response.seed).score
    run = war.optimise("naive", budget=400, seed=None)
    assert run.champion == war.optimise("naive", budget=400, seed=run.seed).champion
    table = ruse.table("pig", seed=None)
    assert table.seed < 2**64 and table.game == 0
    found = ruse.search(lambda a, b, seed: 0.5, dimension=1, budget=10, seed=None)
    assert found.seed < 2**64
    compared = ruse.compare(["pig"], ["naive", "es"], budget=200, seed=None)
    again = ruse.compare(["pig"], ["naive", "es"], budget=200, seed=compared.runs[0].seed)
    assert compared.spec["seeds"] == again.spec["seeds"] and compared.scores == again.scores
    with pytest.raises(ruse.RuseError, match="seed is None"):
        war.evaluate(np.zeros((1, 3)), seed=None)  # type: ignore[arg-type]


def test_counts_may_be_written_with_an_exponent() -> None:
    war = ruse.family("war")
    assert war.match("random", pairs=1e2).pairs == war.match("random", pairs="100").pairs == 100
    run = war.optimize("naive", budget=4e2)
    assert run.champion == war.optimise("naive", budget=400).champion
    assert ruse.compare(["pig"], ["naive", "es"], budget=2e2).spec["families"][0]["budget"] == 200


def test_every_command_has_a_call() -> None:
    told = ruse.command("match", ruse.family("guess-who", rules={"characters": 24}), "optimal", "dichotomy")
    assert told["score"] == ruse.family("guess-who", rules={"characters": 24}).match("optimal", "dichotomy").score
    played = ruse.command("tournament", "nim", "optimal", "random", pairs=20, seed=3)
    assert played is not None
    with pytest.raises(ruse.RuseError, match="there is no family `nothing`"):
        ruse.command("match", "nothing", "a", "b")
    with pytest.raises(ruse.RuseError, match="unexpected argument '--speed'"):
        ruse.command("power", "pig", "hold-20", "random", difference=0.05, speed=3)
