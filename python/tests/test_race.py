"""Races between functions and over data, and the ranking of a benchmark."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import ruse


def test_functions_race_with_common_seeds() -> None:
    seen: dict[str, list[int]] = {"a": [], "b": []}

    def score(name: str, lead: float) -> ruse.Verdict:
        def first(seed: int) -> float:
            seen["a"].append(seed)
            return 50 * random.Random(seed).random() + lead

        def second(seed: int) -> float:
            seen["b"].append(seed)
            return 50 * random.Random(seed + 1_000_000).random()

        return ruse.race(first, second, range=(0, 60), seed=5, most=2000)

    better = score("better", 10)
    assert better.accepts and better.reason == "better" and 5 < better.score < 15
    assert better.interval[0] < better.score < better.interval[1]
    assert seen["a"] == seen["b"] == list(range(5, 5 + better.observations))
    assert score("equal", 0).reason == "not-better"


def test_no_more_scores_are_taken_than_needed() -> None:
    taken = 0

    def scores() -> Iterator[float]:
        nonlocal taken
        while True:
            taken += 1
            yield 3.0

    verdict = ruse.race_scores(scores(), range=(0, 4), against=2)
    assert verdict.accepts and verdict.observations == taken < 30
    assert verdict.score == pytest.approx(3) and verdict.interval[0] > 1.5
    assert not ruse.race_scores(scores(), range=(0, 4), against=2, less=True).accepts
    # The race about 3.9 is between 3.9 - 3.9 and 3.9 + 3.9.
    assert ruse.race_scores(scores(), range=(0, 4), against=3.9, precision=0.02).reason == "not-better"


def test_undecided_races_have_an_interval() -> None:
    verdict = ruse.race_scores([(0.5, 0.25)] * 3)
    assert not verdict and verdict.reason == "budget" and verdict.observations == 3
    assert verdict.score == pytest.approx(0.25) and verdict.interval[0] < 0 < verdict.interval[1] <= 1

    def interrupted() -> Iterator[float]:
        yield 0.4
        raise KeyboardInterrupt

    assert ruse.race_scores(interrupted()).observations == 1


def test_a_test_asserts_the_difference() -> None:
    ruse.assert_better([0.9, 0.8, 0.7] * 20, [0.3, 0.1, 0.2] * 20)
    with pytest.raises(AssertionError, match="mean difference of 6 pairs is 0"):
        ruse.assert_better([0.5] * 6, [0.5] * 6)
    with pytest.raises(ValueError, match="longer|shorter"):
        ruse.assert_better([0.5] * 2, [0.5] * 3)


@pytest.mark.parametrize(
    ("scores", "settings", "problem"),
    [
        ([], {}, "there are no scores"),
        ([1.5], {}, "outside of the range"),
        ([(0.1, 0.2, 0.3)], {}, "neither a score nor a pair"),
        ([float("nan")], {}, "the score nan is outside of the range"),
        ([0.5], {"range": (1, 0)}, "must ascend"),
    ],
)
def test_wrong_scores_are_named(scores: list[object], settings: dict[str, object], problem: str) -> None:
    with pytest.raises(ruse.RuseError, match=problem):
        ruse.race_scores(scores, **settings)  # type: ignore[arg-type]


def test_a_benchmark_is_ranked() -> None:
    rows = [
        {"method": method, "task": f"task {task}", "seed": seed, "score": lead + task + 0.1 * seed}
        for method, lead in [("a", 0.0), ("b", 1.0)]
        for task in range(6)
        for seed in range(3)
    ]
    found = ruse.rank(rows)
    assert found["verdict"] == "b is best, clearly, over 6 tasks."
    assert "a is best" in ruse.rank(rows, less=True)["verdict"]
    wide = [["task", "a", "b"], *([f"task {task}", task, task + 1] for task in range(6))]
    assert ruse.rank(wide)["verdict"] == found["verdict"]
    pandas = pytest.importorskip("pandas")
    assert ruse.rank(pandas.DataFrame(rows)) == found
    with pytest.raises(ruse.RuseError, match="belong together"):
        ruse.rank([{"method": "a", "score": 1}])


def test_runs_that_show_a_difference_are_counted() -> None:
    # The scores of both methods have a variance of .0001, so 2 (1.96 + 1.28)^2 .0001 / .05^2 < 1 run would do by the normal
    # approximation; Welch's test needs a few.
    rows = [[method, "t", score] for method in "ab" for score in (0.5, 0.51, 0.52)]
    found = ruse.power([["method", "task", "score"], *rows], difference=0.05)
    (row,) = found["power"]
    assert 2 <= row["needed"] <= 5


def test_matrices_are_solved() -> None:
    found = ruse.nash([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert abs(found["value"]) < 1e-9 and found["unique"]
    assert all(abs(row["weight"] - 1 / 3) < 1e-9 for row in found["rows"])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[2, -1], [-1, 1]], index=["up", "down"], columns=["left", "right"])
    found = ruse.nash(frame)
    # Both rows get 2p - (1 - p) = -p + 1 - p at p = 2/5, so the value is 1/5.
    assert abs(found["value"] - 0.2) < 1e-9
    assert [row["name"] for row in found["rows"]] == ["up", "down"]
