"""Samplers of Optuna on our families; Optuna must be installed.

>>> import optuna
>>> import ruse
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(direction="maximize")
>>> study.optimize(ruse.optuna.objective(ruse.family("war"), pairs=20), n_trials=3)
>>> sorted(study.best_params)
['A', 'B', 'C']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsIndex

import optuna

from ._checks import Count, count_of, number_of, seed_of
from ._family import Family, Who


def objective(
    family: Family,
    against: Who = "baseline",
    *,
    pairs: Count = 200,
    seed: SupportsIndex | None = None,
    bound: float = 3.0,
) -> Callable[[optuna.trial.Trial], float]:
    """What Optuna maximises: the score, of parameters from -bound to bound. Each trial has deals of its own, or all have
    those of `seed`."""
    opponent = family.strategy(against)
    count, bound = count_of("pairs", pairs), number_of("bound", bound)
    fixed = None if seed is None else seed_of(seed)
    names = family.space.names

    def of(trial: optuna.trial.Trial) -> float:
        theta = [trial.suggest_float(name, -bound, bound) for name in names]
        deals = trial.number + 1 if fixed is None else fixed
        return float(family.evaluate([theta], opponent, pairs=count, seed=deals)[0])

    return of
