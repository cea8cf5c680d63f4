"""Policies that return probabilities for many situations at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruse

Observations = NDArray[np.float32]
Masks = NDArray[np.bool_]


def uniform(observations: Observations, masks: Masks) -> NDArray[np.float64]:
    return np.asarray(masks / masks.sum(axis=1, keepdims=True), dtype=np.float64)


def first(observations: Observations, masks: Masks) -> NDArray[np.int64]:
    return np.asarray(masks.argmax(axis=1), dtype=np.int64)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker.kif", "goofspiel_4", "liars_dice_4"])
def test_the_exploitability_of_a_policy_is_exact(name: str) -> None:
    family = ruse.family(name)
    found = family.policy(uniform).exploit()
    assert found.exact
    # The random player draws uniformly, too.
    assert found.exploitability == pytest.approx(family.exploit("random").exploitability, abs=1e-9)


def test_policies_play_in_lockstep() -> None:
    calls = []

    def counted(observations: Observations, masks: Masks) -> NDArray[np.float64]:
        calls.append(len(observations))
        return uniform(observations, masks)

    family = ruse.family("kuhn_poker")
    policy = family.policy(counted)
    calls.clear()
    found = policy.match("first-legal", pairs=2000, seed=3)
    assert len(calls) < 20 and max(calls) > 1000
    exact = family.match("random", "first-legal")
    assert exact.exact and found.interval[0] <= exact.score <= found.interval[1]
    assert (found.pairs_scores == policy.match("first-legal", pairs=2000, seed=3).pairs_scores).all()
    assert found.score != policy.match("first-legal", pairs=2000, seed=4).score
    table = policy.tabulate()
    assert table.family.match(table, "first-legal").score == pytest.approx(exact.score)


def test_policies_choose_actions_too() -> None:
    family = ruse.family("nim")
    greedy = family.policy(first, probabilities=False).match("random", pairs=200)
    one = family.policy(lambda observation, mask: int(mask.argmax()), probabilities=False, batch=False)
    assert one.match("random", pairs=200).score == greedy.score
    assert greedy.pairs_scores.shape == (200,)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda o, m: m[:, :1], "of shape"),
        (lambda o, m: m * np.nan, "finite"),
        (lambda o, m: uniform(o, m) - 1.0, "returned the probability -1"),
        (lambda o, m: 0.5 * uniform(o, m), "sum 0.5"),
        (lambda o, m: np.ones(m.shape) / m.shape[1], "not legal"),
        (3, "is a function"),
    ],
)
def test_wrong_policies_are_refused_before_they_play(function: Callable[..., Any], problem: str) -> None:
    with pytest.raises(ruse.RuseError, match=problem):
        ruse.family("kuhn_poker").policy(function)


def test_errors_of_policies_are_their_own() -> None:
    def fails(observations: Observations, masks: Masks) -> NDArray[np.float64]:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ruse.family("kuhn_poker").policy(fails)


def test_only_small_rule_files_have_tables() -> None:
    with pytest.raises(ruse.RuseError, match="not the family of a rule file"):
        ruse.family("nim").policy(uniform).tabulate()
    with pytest.raises(ruse.RuseError, match="too large"):
        ruse.family("connect_four").policy(uniform).tabulate()


def test_names_that_are_nearly_right_are_suggested() -> None:
    with pytest.raises(AttributeError, match="did you mean 'compare'"):
        ruse.compair  # noqa: B018


def test_generators_are_seeds() -> None:
    family = ruse.family("pig")
    scores = [family.match("hold-20", "random", pairs=50, seed=np.random.default_rng(1)).seed for _ in range(2)]
    assert scores[0] == scores[1]
