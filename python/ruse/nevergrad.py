"""Optimisers of nevergrad on our families; nevergrad must be installed.

>>> import nevergrad as ng
>>> import ruse
>>> war = ruse.family("war")
>>> optimiser = ng.optimizers.TBPSA(ruse.nevergrad.parametrisation(war), budget=20)
>>> optimiser.minimize(ruse.nevergrad.loss(war, pairs=20)).value.shape
(3,)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

import nevergrad as ng
import numpy as np
from numpy.typing import NDArray

from ._checks import Count, count_of, seed_of
from ._family import Family, Who


def parametrisation(family: Family) -> Any:
    """The parameters of a family, from 0 on, with the spread of our searches."""
    return ng.p.Array(init=np.zeros(family.space.dimension)).set_mutation(sigma=1.0)


def loss(
    family: Family, against: Who = "baseline", *, pairs: Count = 50, seed: SupportsIndex | None = None
) -> Callable[[NDArray[np.float64]], float]:
    """What nevergrad minimises: 1 less the score. Each call has deals of its own, or all have those of `seed`."""
    opponent = family.strategy(against)
    count = count_of("pairs", pairs)
    seeds: Iterator[int] = itertools.count(1) if seed is None else itertools.repeat(seed_of(seed))

    def of(theta: NDArray[np.float64]) -> float:
        return 1 - float(family.evaluate(theta[np.newaxis], opponent, pairs=count, seed=next(seeds))[0])

    return of
