"""Tests of the games as environments for learners that play by numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ruse

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

#: A family of each game that has numbers, and rule files with complete information, with hidden information, with chance, and
#: with simultaneous moves.
FAMILIES = [
    "war",
    "batawaf-orders",
    "cheat",
    "flip",
    "guess-who",
    "morra",
    "nim",
    "phantom-tic-tac-toe",
    "phantom-four",
    "battleship",
    "four-in-a-row",
    "pig",
    "rts-script",
    "tic_tac_toe.kif",
    "kuhn_poker.kif",
    "cant_stop_mini.kif",
    "goofspiel_4.kif",
]


def legal(mask: np.ndarray[Any, Any], generator: np.random.Generator) -> int:
    return int(generator.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("family", FAMILIES)
def test_gymnasium_accepts_our_environments(family: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(ruse.gymnasium.make(family, against="random"), skip_render_check=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_pettingzoo_accepts_our_environments(family: str) -> None:
    from pettingzoo.test import api_test, parallel_api_test

    api_test(ruse.pettingzoo.env(family), num_cycles=100, verbose_progress=False)
    parallel_api_test(ruse.pettingzoo.parallel_env(family), num_cycles=50)


def test_an_environment_is_the_table() -> None:
    environment = ruse.gymnasium.make("nim", against="random", seat="first", seed=3)
    assert environment.meanings[:2] == ["matches in heap 1", "matches in heap 2"]
    observation, info = environment.reset()
    assert observation.tolist() == [1.0, 3.0, 5.0, 7.0]
    table = ruse.table("nim", "random", seed=3)
    generator = np.random.default_rng(1)
    over = False
    while not over:
        allowed = [environment.actions[number] for number in np.flatnonzero(info["action_mask"])]
        assert sorted(allowed) == sorted(table.choices())
        assert (environment.action_masks() == info["action_mask"]).all()
        action = legal(info["action_mask"], generator)
        table.act(environment.actions[action])
        observation, reward, over, truncated, info = environment.step(action)
        assert not truncated and table.over == over
    assert table.result is not None and reward == 2 * table.result - 1
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(0)


def test_many_games_are_the_same_games() -> None:
    many = ruse.gymnasium.make_vec("pig", 3, against="hold-20", seed=5)
    one = ruse.gymnasium.make("pig", against="hold-20", seed=5)
    observations, info = many.reset()
    generator = np.random.default_rng(2)
    seen: list[list[tuple[list[float], float]]] = [[], [], []]
    done = [False] * 3
    moves: list[list[int]] = [[], [], []]
    while not all(done):
        actions = [legal(mask, generator) if mask.any() else 0 for mask in info["action_mask"]]
        observations, rewards, are_over, are_cut, info = many.step(actions)
        assert not are_cut.any() and not info["illegal"].any()
        for index in range(3):
            if not done[index]:
                moves[index].append(actions[index])
                seen[index].append((observations[index].tolist(), float(rewards[index])))
                done[index] = bool(are_over[index])
    for index in range(3):
        one.reset()
        for action, told in zip(moves[index], seen[index], strict=True):
            observation, reward, over, _, _ = one.step(action)
            assert (observation.tolist(), reward) == told
        assert over


def test_an_illegal_action_loses() -> None:
    environment = ruse.gymnasium.make("nim", against="optimal", seat="first")
    environment.reset()
    environment.step(0)
    # The match of the first heap is gone.
    _, reward, over, _, info = environment.step(0)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)
    both = ruse.pettingzoo.env("nim")
    both.reset()
    both.step(0)
    both.step(0)
    assert both.rewards == {"first": 1.0, "second": -1.0} and both.infos["second"]["illegal"]


def test_random_play_scores_what_it_scores_in_a_match() -> None:
    games = 4000
    environment = ruse.gymnasium.make_vec("pig", 50, against="hold-20", seed=9)
    generator = np.random.default_rng(3)
    _, info = environment.reset()
    rewards: list[float] = []
    while len(rewards) < games:
        actions = [legal(mask, generator) if mask.any() else 0 for mask in info["action_mask"]]
        _, reward, are_over, _, info = environment.step(actions)
        rewards.extend(reward[are_over].tolist())
    expected = ruse.family("pig").match("random", "hold-20", pairs=4000).score
    # The standard errors of the rewards and of twice the score are at most .016 and .011; the tolerance is four times the
    # standard error of the difference, .02.
    assert np.mean(rewards) == pytest.approx(2 * expected - 1, abs=0.08)


def test_environments_differ_by_default() -> None:
    # Two fleets are equal by chance once in thousands of runs at most.
    one, other = ruse.gymnasium.make("battleship"), ruse.gymnasium.make("battleship")
    assert (one.reset()[0] != other.reset()[0]).any()
    assert repr(one).startswith("<battleship, 1 at a time, seat='alternate', against='random', seed=") and str(one) == repr(one)
    many = ruse.gymnasium.make_vec("kuhn_poker.kif", 3, seed=7)
    assert str(many) == "<kuhn_poker.kif, 3 at a time, seat='alternate', against='random', seed=7>"
    first, second = ruse.pettingzoo.env("war"), ruse.pettingzoo.env("war")
    first.reset()
    second.reset()
    assert str(first).startswith("<war, 1 at a time, both seats, seed=") and repr(first) != repr(second)


@pytest.mark.parametrize(("family", "places"), [("phantom-tic-tac-toe", 9), ("phantom-four", 7)])
def test_a_learner_remembers_what_it_tried(family: str, places: int) -> None:
    """The referee says nothing about stones, so the first tries are all that a player knows."""
    environment = ruse.gymnasium.make(family, seat="second", seed=1)
    observation, info = environment.reset()
    assert environment.meanings[:3] == ["own stones", "this player began", f"stone 1: tried {environment.actions[0]} first"]
    assert not observation.any() and info["action_mask"].all()
    for stone, action in enumerate([4, 0]):
        observation, _, _, _, info = environment.step(action)
        assert observation[0] == stone + 1
        assert observation[2:].reshape(-1, places)[: stone + 1].argmax(axis=1).tolist() == [4, 0][: stone + 1]
    assert info["action_mask"].all() == (family == "phantom-four")


def test_fleets_are_drawn() -> None:
    environment = ruse.gymnasium.make("battleship", against="random")
    fleets = set()
    for _ in range(3):
        observation, info = environment.reset()
        assert observation[:81].sum() == 14 and info["action_mask"].sum() == 81
        fleets.add(tuple(observation[:81]))
    assert len(fleets) == 3


def test_a_decision_of_the_strategy_game_has_several_parts() -> None:
    environment = ruse.gymnasium.make("rts-script", against="random-biased", seat="first")
    observation, info = environment.reset()
    # 21 planes of 8 x 8 cells, two stocks, the reserved part, and the time.
    planes = observation[: 21 * 64].reshape(21, 8, 8)
    assert observation.shape == (21 * 64 + 4,) and planes[19].sum() == 1 and planes[20].sum() == 0
    # The base and the worker get orders at the same time.
    first = int(np.flatnonzero(info["action_mask"])[-1])
    observation, reward, over, _, info = environment.step(first)
    planes = observation[: 21 * 64].reshape(21, 8, 8)
    assert planes[19].sum() == planes[20].sum() == 1 and not over and observation[-1] == 0
    observation, *_ = environment.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert observation[-1] > 0
    # A function has the same parts.
    match = ruse.family("rts-script").match(lambda seen, mask: int(np.flatnonzero(mask)[0]), "worker-rush", pairs=1)
    assert match.score == 0.0


def test_what_cannot_be_an_environment_is_said() -> None:
    with pytest.raises(ruse.RuseError, match="the actions of elo-surface have no numbers"):
        ruse.gymnasium.make("elo-surface")
    with pytest.raises(ruse.RuseError, match='seat is .third., and must be "first", "second" or "alternate"'):
        ruse.gymnasium.make("nim", seat="third")  # type: ignore[arg-type]
    with pytest.raises(ruse.RuseError, match="the number of environments is 0, and must be a whole number"):
        ruse.gymnasium.make_vec("nim", 0)
    with pytest.raises(ruse.RuseError, match="nobody"):
        ruse.gymnasium.make("nim", against="nobody")
    many = ruse.gymnasium.make_vec("nim", 4)
    many.reset()
    with pytest.raises(ruse.RuseError, match="an array must be contiguous and of shape"):
        many.step([0, 0])


def first_legal(observation: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> int:
    assert observation.dtype == np.float32 and mask.dtype == np.bool_
    return int(mask.argmax())


def test_a_function_plays() -> None:
    nim = ruse.family("nim")
    match = nim.match(first_legal, "optimal", pairs=20)
    # Without chance, each pair has the same result; as first player `optimal` wins, and as second player it may lose.
    assert match.pairs == 20 and match.score <= 0.5 and len(set(match.pairs_scores)) == 1
    assert match.a.name == "first_legal" and match.a.words == "asks the function first_legal"
    cross = nim.league([first_legal, lambda seen, mask: int(np.flatnonzero(mask)[-1]), "optimal"], pairs=4)
    assert cross.scores[2, 0] >= 0.5
    # Two functions are two players, even with the same name.
    scores = nim.match(lambda seen, mask: int(mask.argmax()), lambda seen, mask: int(np.flatnonzero(mask)[-1]), pairs=2)
    assert not scores.exact


def test_a_function_plays_the_games_of_an_environment() -> None:
    pig = ruse.family("pig")

    def hold_at_20(seen: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> int:
        return int(seen[2] >= 20)

    assert pig.match(hold_at_20, "hold-20", pairs=50, seed=4).score == 0.5
    response = pig.exploit(hold_at_20, budget=2000)
    assert response.score >= 0.5 and not response.exact
    assert response.exploitability is None and 0 <= response.low <= response.high
    environment = ruse.gymnasium.make("pig", against=hold_at_20, seat="first", seed=4)
    same = ruse.gymnasium.make("pig", against="hold-20", seat="first", seed=4)
    for _ in range(3):
        (seen, _), (other, _), over = environment.reset(), same.reset(), False
        while not over:
            assert (seen == other).all()
            action = int(seen[2] >= 15)
            seen, reward, over, _, _ = environment.step(action)
            other, *told = same.step(action)
            assert told[:2] == [reward, over]


def test_mistakes_of_a_function_are_raised() -> None:
    nim = ruse.family("nim")
    with pytest.raises(ruse.RuseError, match="the function decided for action 99, which is not legal"):
        nim.match(lambda seen, mask: 99, "optimal", pairs=2)

    def fails(seen: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> int:
        raise KeyError("weights")

    with pytest.raises(KeyError, match="weights"):
        nim.match("optimal", fails, pairs=100_000)
    with pytest.raises(TypeError, match="must return the number of an action, and returned '4 2'"):
        nim.match(lambda seen, mask: "4 2", "optimal", pairs=2)  # type: ignore[arg-type, return-value]
    with pytest.raises(KeyError, match="weights"):
        ruse.gymnasium.make("nim", against=fails, seat="second").reset()
    with pytest.raises(ruse.RuseError, match="cannot be saved"):
        nim.strategy(fails).save("never.yaml")
    with pytest.raises(ruse.RuseError, match="is a function"):
        nim.optimise("es", budget=100, baseline=fails)
    with pytest.raises(ruse.RuseError, match="have no numbers"):
        ruse.family("elo-surface").match(fails, "top")


def test_mistakes_of_a_function_show_before_other_work() -> None:
    import time

    calls = 0

    def probabilities(seen: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> Any:
        nonlocal calls
        calls += 1
        return mask / mask.sum()

    kuhn = ruse.family("kuhn_poker.kif")
    began = time.process_time()
    with pytest.raises(TypeError, match=r"must return the number of an action, and returned array"):
        kuhn.exploit(probabilities)
    wrong: Any = lambda seen: 0
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        kuhn.exploit(wrong)
    assert calls == 1 and time.process_time() - began < 2


def test_one_thread_at_a_time_calls_a_function() -> None:
    import time

    inside = 0

    def counts(seen: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> int:
        nonlocal inside
        inside += 1
        # Lets other threads of Python run.
        time.sleep(0.0002)
        assert inside == 1
        inside -= 1
        return int(mask.argmax())

    ruse.family("guess-who").match(counts, "random", pairs=60, threads=4)


def test_families_have_names_for_gymnasium() -> None:
    environment = gymnasium.make("ruse/nim-v0", against="optimal", seed=1)
    assert environment.unwrapped.observation_space == ruse.gymnasium.make("nim").observation_space
    vector = gymnasium.make_vec("ruse/nim-v0", num_envs=3, vectorization_mode="vector_entry_point")
    assert vector.num_envs == 3
    with pytest.raises(gymnasium.error.NameNotFound):
        gymnasium.make("ruse/nym-v0")


def test_environments_are_rendered_as_text() -> None:
    environment = ruse.gymnasium.make("nim", seat="first", seed=1, render_mode="ansi")
    environment.reset(seed=1)
    text = environment.render()
    assert text is not None and "matches in heap" in text and "legal: " in text
    assert ruse.gymnasium.make("nim").render() is None
    with pytest.raises(ruse.RuseError, match="render_mode is 'human'"):
        ruse.gymnasium.make("nim", render_mode="human")


def test_opponents_are_drawn_from_a_pool() -> None:
    def wins(against: object, weights: object = None) -> float:
        many = ruse.gymnasium.make_vec("nim", 400, against, seat="first", weights=weights, seed=5)  # type: ignore[arg-type]
        rng = np.random.default_rng(1)
        total, (_, info) = np.zeros(400), many.reset()
        is_over = np.zeros(400, dtype=np.bool_)
        while not is_over.all():
            masks = info["action_mask"]
            actions = (rng.random(masks.shape) * masks).argmax(axis=1)
            _, rewards, ended, _, info = many.step(actions)
            total += np.where(is_over, 0, rewards)
            is_over |= ended
        return float(total.mean())

    # Random play loses to the optimal strategy, and is even with itself.
    assert wins(["random", "optimal"], [1, 0]) == pytest.approx(wins("random"), abs=0.3)
    assert wins(["random", "optimal"], [0, 1]) < -0.8
    assert -0.8 < wins(["random", "optimal"]) < -0.2
    with pytest.raises(ruse.RuseError, match="weights belong to"):
        ruse.gymnasium.make_vec("nim", 2, "random", weights=[1])


def test_a_learner_may_play_both_seats() -> None:
    many = ruse.gymnasium.make_vec("nim", 2, seat="both", seed=1)
    _, info = many.reset()
    assert info["seat"].tolist() == [0, 0]
    _, _, _, _, info = many.step(info["action_mask"].argmax(axis=1))
    assert info["seat"].tolist() == [1, 1]
