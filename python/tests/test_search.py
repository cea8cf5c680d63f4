"""Tests of the methods of `ruse` with comparisons in Python."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import ruse

OPTIMUM = np.array([1, -2, 0.5])


def noisy(a: NDArray[np.float64], b: NDArray[np.float64] | None, seed: int) -> float:
    """Compares two vectors at random; the vector nearer to the optimum wins more often."""

    def far(x: NDArray[np.float64]) -> float:
        return float(np.linalg.norm(x - OPTIMUM))

    chance = 1 / (1 + np.exp(far(a) - far(np.zeros(3) if b is None else b)))
    return float(np.random.default_rng(seed).random() < chance)


@pytest.mark.parametrize("method", ["naive", "iterative", "cma-es"])
@pytest.mark.parametrize("baseline", [True, False])
def test_questions_are_those_of_optimise(method: str, baseline: bool) -> None:
    if baseline and method != "naive":
        pytest.skip("only the naive method meets a baseline")
    war = ruse.family("war")
    run = war.optimise(method, budget=6000, seed=5, evaluation_pairs=10)
    # A pair is two games.
    found = ruse.search(lambda a, b, seed: war.pair(a, b, seed), 3, method=method, budget=3000, seed=5, levels=4)
    assert run.champion.parameters is not None
    assert found.champion.tolist() == run.champion.parameters.tolist()
    assert (found.calls, found.iterations) == (run.games // 2, run.iterations)


def test_a_search_finds_the_optimum() -> None:
    calls = 0

    def compare(a: NDArray[np.float64], b: NDArray[np.float64] | None, seed: int) -> float:
        nonlocal calls
        calls += 1
        assert threading.current_thread() is threading.main_thread()
        return noisy(a, b, seed)

    found = ruse.search(compare, 3, method="iterative", comparison="betting", budget=20_000)
    assert found.stop_reason == "games" and found.calls == calls <= 20_000
    assert np.linalg.norm(found.champion - OPTIMUM) < 0.6


@pytest.mark.parametrize("method", [name for name in ruse.methods() if name != "policy-gradient"])
def test_every_method_searches(method: str) -> None:
    found = ruse.search(noisy, 3, method=method, budget=1000)
    assert found.champion.shape == (3,) and 0 < found.calls <= 1000


def test_a_search_is_saved_and_goes_on(tmp_path: Path) -> None:
    def go_on(searcher: ruse.Searcher, calls: int) -> None:
        for _ in range(calls):
            question = searcher.ask()
            if question is None:
                return
            searcher.tell(question, noisy(question.a, question.b, question.seed))

    whole = ruse.Searcher(3, method="cma-es", budget=800, seed=2)
    go_on(whole, 1000)
    half = ruse.Searcher(3, method="cma-es", budget=800, seed=2)
    go_on(half, 333)
    half.save(tmp_path / "half.json")
    for other in (ruse.Searcher.load(tmp_path / "half.json"), pickle.loads(pickle.dumps(half))):
        assert other.calls == 333 and other.recommend().tolist() == half.recommend().tolist()
        go_on(other, 1000)
        assert other.found is not None and whole.found is not None
        assert other.found.champion.tolist() == whole.found.champion.tolist()


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    def fail(a: object, b: object, seed: object) -> float:
        raise ZeroDivisionError("by the function")

    with pytest.raises(ZeroDivisionError, match="by the function"):
        ruse.search(fail, 3)
    for score in (float("nan"), 2, -1, 0.3):
        searcher = ruse.Searcher(3)
        question = searcher.ask()
        assert question is not None
        with pytest.raises(ruse.RuseError, match="is not a score of this search"):
            searcher.tell(question, score)
        # The question can then be answered with a valid score.
        searcher.tell(question, 0.5)
    with pytest.raises(ruse.RuseError, match="a score is 'x'"):
        ruse.search(lambda a, b, seed: "x", 3)  # type: ignore[arg-type, return-value]
    for settings, message in [
        ({"method": "naïve"}, "there is no method"),
        ({"method": "policy-gradient"}, "has to know the probabilities of actions"),
        ({"levels": 3}, "levels is 3, and must be an even number"),
        ({"start": [1]}, r"start is of shape \(1,\)"),
        ({"start": [np.nan] * 3}, "start"),
        ({"comparison": "x"}, "there is no comparison `x`"),
        ({"pop_size": 3}, "has no `pop-size`"),
        ({"budget": 0}, "budget"),
    ]:
        with pytest.raises(ruse.RuseError, match=message):
            ruse.Searcher(3, **settings)  # type: ignore[arg-type]
    searcher = ruse.Searcher(3)
    first = searcher.ask()
    assert first is not None
    searcher.tell(first, 1)
    with pytest.raises(ruse.RuseError, match="not the question that was asked last"):
        searcher.tell(first, 1)
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ruse.RuseError, match="holds no search"):
        ruse.Searcher.load(tmp_path / "x.json")


def test_searches_that_are_forgotten_end() -> None:
    before = threading.active_count()
    for _ in range(50):
        searcher = ruse.Searcher(3)
        searcher.ask()
    del searcher
    tasks = Path("/proc/self/task")
    if tasks.is_dir():
        for _ in range(100):
            if len(list(tasks.iterdir())) < 40:
                break
            threading.Event().wait(0.05)
        assert len(list(tasks.iterdir())) < 40
    assert threading.active_count() == before
