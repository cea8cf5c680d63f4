"""Optimisers of nevergrad for the families of `ruse`; nevergrad must be installed.

>>> import nevergrad as ng
>>> import ruse
>>> war = ruse.family("war")
>>> optimiser = ng.optimizers.TBPSA(ruse.nevergrad.parametrisation(war), budget=20)
>>> optimiser.minimize(ruse.nevergrad.loss(war, pairs=20)).value.shape
(3,)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._checks import Count, SeedLike, count_of, missing, seed_of
from ._family import Family, Strategy, Who

try:
    import nevergrad as ng
except ModuleNotFoundError as error:
    raise missing(error, __name__, "ruse[nevergrad]") from None

#: The distance between the seeds of a copy, as a multiple of the distance between the seeds of the original.
_SPREAD = 2**20


def parametrisation(family: Family) -> Any:
    """Returns the parameters of a family, starting at 0, with the same spread as the searches of `ruse`."""
    return ng.p.Array(init=np.zeros(family.space.dimension)).set_mutation(sigma=1.0)


class Loss:
    """The loss for nevergrad to minimise: 1 minus the score.

    It can be pickled. If each call has its own deals, a copy starts with a seed taken from the original, and continues
    with seeds that the original does not use, so calls in other processes have their own deals, too.
    """

    def __init__(self, opponent: Strategy, pairs: int, first: int, step: int) -> None:
        """Creates the loss against an opponent; calls have the seeds `first`, `first + step`, ..."""
        self._opponent, self._pairs, self._step = opponent, pairs, step
        # Two threads never draw the same seed.
        self._seeds = itertools.count(first, step)

    def _seed(self) -> int:
        return next(self._seeds) % 2**64

    def __call__(self, theta: NDArray[np.float64]) -> float:
        rows = np.asarray(theta)[np.newaxis]
        return 1 - float(self._opponent.family.evaluate(rows, self._opponent, pairs=self._pairs, seed=self._seed())[0])

    def __reduce__(self) -> tuple[Callable[..., Loss], tuple[Strategy, int, int, int]]:
        return Loss, (self._opponent, self._pairs, self._seed(), self._step * _SPREAD)


def loss(family: Family, against: Who = "baseline", *, pairs: Count = 50, seed: SeedLike | None = None) -> Loss:
    """Returns the loss for nevergrad: 1 minus the score. Each call has its own deals, or all calls use `seed`."""
    first, step = (1, 1) if seed is None else (seed_of(seed), 0)
    return Loss(family.strategy(against), count_of("pairs", pairs), first, step)
