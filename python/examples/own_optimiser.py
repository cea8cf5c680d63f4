"""Compares an optimiser of your own with ours. Both play the same number of games, and the result has an interval.

`python own_optimiser.py` takes a few seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import ruse

GENERATIONS = 30
CANDIDATES = 20
PARENTS = 5
PAIRS = 50


def tuned(family: ruse.Family, seed: int) -> NDArray[np.float64]:
    """Tunes by a simple evolution strategy: it moves to the mean of the best of each generation, with ever smaller steps."""
    generator = np.random.default_rng(seed)
    mean, sigma = family.space.zeros(), 1.0
    for generation in range(GENERATIONS):
        thetas = mean + sigma * generator.standard_normal((CANDIDATES, family.space.dimension))
        # All candidates of a generation have the same deals, and each generation has new ones.
        scores = family.evaluate(thetas, "baseline", pairs=PAIRS, seed=seed * GENERATIONS + generation)
        mean = thetas[np.argsort(-scores)[:PARENTS]].mean(axis=0)
        sigma *= 0.93
    return mean


def main() -> None:
    """Tunes War with both optimisers, and plays their results against each other."""
    war = ruse.family("war")
    games = 2 * PAIRS * CANDIDATES * GENERATIONS
    own = war.strategy(tuned(war, seed=1))
    ours = war.optimise("cma-es", budget=games, seed=1)
    print(f"{games:,} games each")
    for name, strategy in [("own", own), ("ours", ours.champion)]:
        print(f"{name} against the baseline: {war.match(strategy, pairs=20_000, seed=2).score:.3f}")
    print(f"own against ours: {war.match(own, ours.champion, pairs=20_000, seed=3)}")


if __name__ == "__main__":
    main()
