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

from ._checks import Count, SeedLike, count_of, missing, number_of, seed_of, whole
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
    #: The number of steps in which the pairs are played. After each step the trial may be pruned.
    steps: int

    def __call__(self, trial: optuna.trial.Trial) -> float:
        family = self.opponent.family
        theta = [trial.suggest_float(name, -self.bound, self.bound) for name in family.space.names]
        seed = trial.number + 1 if self.seed is None else self.seed
        mean, played = 0.0, 0
        for step in range(1, self.steps + 1):
            pairs = self.pairs * step // self.steps - played
            # The deals of the first step are those of a match with this seed; each further step has other deals.
            own = (seed + (step - 1) * 0x9E3779B97F4A7C15) % 2**64
            score = float(family.evaluate([theta], self.opponent, pairs=pairs, seed=own)[0])
            played += pairs
            mean += (score - mean) * (pairs / played)
            if self.steps > 1:
                trial.report(mean, played)
                if step < self.steps and trial.should_prune():
                    raise optuna.TrialPruned
        return mean


def objective(
    family: Family,
    against: Who = "baseline",
    *,
    pairs: Count = 200,
    seed: SeedLike | None = None,
    bound: float = 3.0,
    steps: SupportsIndex = 1,
) -> Objective:
    """Returns the objective for Optuna: the score, for parameters from -bound to bound. Each trial has its own deals, or all
    trials have the deals of `seed`. With several `steps`, the pairs are played in equal shares; after each share the trial
    reports its score so far, and its study may prune it."""
    fixed = None if seed is None else seed_of(seed)
    pairs = count_of("pairs", pairs)
    steps = whole("steps", steps, 1, pairs)
    return Objective(family.strategy(against), pairs, fixed, number_of("bound", bound), steps)
