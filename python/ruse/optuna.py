"""Samplers of Optuna for the families of `ruse`; Optuna must be installed.

>>> import optuna
>>> import ruse
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(direction="maximize")
>>> study.optimize(ruse.optuna.objective(ruse.family("war"), pairs=20), n_trials=3)
>>> sorted(study.best_params)
['A', 'B', 'C']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from ._checks import Count, count_of, missing, number_of, seed_of
from ._family import Family, Strategy, Who

try:
    import optuna
except ModuleNotFoundError as error:
    raise missing(error, __name__, "ruse[optuna]") from None


@dataclass(frozen=True)
class Objective:
    """The objective for Optuna to maximise: the score. It can be pickled."""

    opponent: Strategy
    pairs: int
    #: The seed of the deals of all trials; None if each trial has its own deals.
    seed: int | None
    #: Parameters are from -bound to bound.
    bound: float

    def __call__(self, trial: optuna.trial.Trial) -> float:
        family = self.opponent.family
        theta = [trial.suggest_float(name, -self.bound, self.bound) for name in family.space.names]
        seed = trial.number + 1 if self.seed is None else self.seed
        return float(family.evaluate([theta], self.opponent, pairs=self.pairs, seed=seed)[0])


def objective(
    family: Family,
    against: Who = "baseline",
    *,
    pairs: Count = 200,
    seed: SupportsIndex | None = None,
    bound: float = 3.0,
) -> Objective:
    """Returns the objective for Optuna: the score, for parameters from -bound to bound. Each trial has its own deals, or all
    trials have the deals of `seed`."""
    fixed = None if seed is None else seed_of(seed)
    return Objective(family.strategy(against), count_of("pairs", pairs), fixed, number_of("bound", bound))
