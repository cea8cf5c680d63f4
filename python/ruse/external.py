"""Optimisers in Python as methods of `ruse`, beside its own in tables and curves.

A program with a function that searches is a method by the command that starts it:

    import ruse.external

    def search(problem):
        theta = problem.start
        while True:
            thetas = theta + problem.generator.standard_normal((10, problem.dimension))
            theta = thetas[problem.evaluate(thetas, pairs=50).argmax()]
            problem.champion(theta)

    ruse.external.main(search)

    $ ruse compare war --methods es,"python my_optimiser.py"

`ruse` counts the games, and `evaluate` ends the search when they are used. `python -m ruse.external pycma` and
`python -m ruse.external nevergrad NAME` are such programs, with the optimisers of these packages.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import missing
from ._ruse import RuseError

#: Pairs of games for each candidate, unless somebody says otherwise.
PAIRS = 50


class BudgetUsed(Exception):
    """The next request does not fit into the budget. `main` ends the search with it."""


class Problem:
    """What is to be searched for, and who asks."""

    #: The number of parameters.
    dimension: int
    #: Where the search is to start: `[dimension]`.
    start: NDArray[np.float64]
    #: Where all randomness is to come from; the same seed and the same answers must give the same questions.
    seed: int
    #: Random numbers from the seed.
    generator: np.random.Generator
    #: Games that may be asked for at the start and now; None without a limit.
    games: int | None
    games_left: int | None

    def __init__(self, said: TextIO, heard: TextIO) -> None:
        self._said, self._heard = said, heard
        task = self._hear()
        self.dimension = task["dimension"]
        self.start = np.array(task["start"], dtype=np.float64)
        self.seed = task["seed"]
        self.generator = np.random.default_rng(self.seed)
        self.games = self.games_left = task["games"]

    def _hear(self) -> dict[str, Any]:
        line = self._heard.readline()
        if not line:
            raise RuseError("ruse has ended; it starts this program, which reads lines of JSON and writes such")
        try:
            heard = json.loads(line)
        except ValueError:
            heard = None
        if not isinstance(heard, dict):
            raise RuseError(f"this program is started by ruse, as a method, and reads lines of JSON, and not {line[:80]!r}")
        return heard

    def _say(self, what: dict[str, Any]) -> None:
        self._said.write(json.dumps(what) + "\n")
        self._said.flush()

    def evaluate(self, thetas: ArrayLike, *, pairs: int = PAIRS, against: ArrayLike | None = None) -> NDArray[np.float64]:
        """The scores of the rows of `thetas`, `[n, dimension]`, from 0 to 1: `[n]`.

        All meet the same opponent on the same deals; the next call has others. The opponent is the baseline, or `against`.
        """
        rows = np.asarray(thetas, dtype=np.float64)
        request: dict[str, Any] = {"evaluate": rows.tolist(), "pairs": int(pairs)}
        if against is not None:
            request["against"] = np.asarray(against, dtype=np.float64).tolist()
        self._say(request)
        answer = self._hear()
        self.games_left = answer["games_left"]
        if answer.get("stop"):
            raise BudgetUsed
        return np.array(answer["scores"], dtype=np.float64)

    def champion(self, theta: ArrayLike) -> None:
        """Names the best strategy so far."""
        self._say({"champion": np.asarray(theta, dtype=np.float64).tolist()})


def main(search: Callable[[Problem], ArrayLike | None]) -> None:
    """Answers `ruse` by this search, up to the end of the budget or of the search; what it returns is the champion."""
    said = sys.stdout
    # Whatever the search prints is for people.
    sys.stdout = sys.stderr
    problem = Problem(said, sys.stdin)
    try:
        champion = search(problem)
    except BudgetUsed:
        return
    if champion is not None:
        problem.champion(champion)


def pycma(problem: Problem, *, pairs: int = PAIRS, sigma: float = 1.0) -> NoReturn:
    """CMA-ES of the package `cma`, which starts again where it stands when it stops by itself."""
    try:
        import cma
    except ModuleNotFoundError as error:
        raise missing(error, "pycma", "cma") from None

    # It takes two parameters at least; one more does nothing.
    dimension = max(problem.dimension, 2)
    mean = np.zeros(dimension)
    mean[: problem.dimension] = problem.start
    number = 0
    while True:
        # With noise no progress for a while is no reason to stop. Its seed 0 is the time.
        settings = {"seed": problem.seed + number + 1, "verbose": -9, "tolfun": 0, "tolfunhist": 0, "tolx": 0}
        settings |= {"tolstagnation": 10**9, "tolflatfitness": 10**9, "maxiter": 10**9}
        optimiser = cma.CMAEvolutionStrategy(mean, sigma, settings)
        while not optimiser.stop():
            thetas = np.array(optimiser.ask())
            optimiser.tell(thetas, 1 - problem.evaluate(thetas[:, : problem.dimension], pairs=pairs))
            mean = optimiser.result.xfavorite
            problem.champion(mean[: problem.dimension])
        number += 1


def nevergrad(problem: Problem, name: str, *, pairs: int = PAIRS, sigma: float = 1.0, workers: int = 1) -> ArrayLike:
    """An optimiser of nevergrad, which is asked for so many candidates at a time.

    More than one are on the same deals; some optimisers fail then, as they want to be told of each before the next.
    """
    try:
        import nevergrad as ng
    except ModuleNotFoundError as error:
        raise missing(error, "nevergrad", "ruse[nevergrad]") from None

    if name not in ng.optimizers.registry:
        raise RuseError(f"nevergrad has no optimiser {name!r}")
    parametrisation = ng.p.Array(init=problem.start).set_mutation(sigma=sigma)
    parametrisation.random_state.seed(problem.seed)
    games = problem.games if problem.games is not None else 2 * pairs * 10**6
    optimiser = ng.optimizers.registry[name](parametrisation, budget=max(games // (2 * pairs), 1), num_workers=workers)
    while optimiser.num_ask < (optimiser.budget or 0):
        candidates = [optimiser.ask() for _ in range(min(workers, (optimiser.budget or 0) - optimiser.num_ask))]
        losses = 1 - problem.evaluate(np.array([candidate.value for candidate in candidates]), pairs=pairs)
        for candidate, loss in zip(candidates, losses, strict=True):
            optimiser.tell(candidate, float(loss))
        problem.champion(optimiser.provide_recommendation().value)
    return np.asarray(optimiser.provide_recommendation().value)


def _arguments() -> Callable[[Problem], ArrayLike | None]:
    """The search that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m ruse.external", description="An optimiser of another package, as a method of ruse."
    )
    kinds = parser.add_subparsers(required=True, metavar="PACKAGE", dest="package")
    for package, meaning in [("pycma", "CMA-ES of the package cma"), ("nevergrad", "an optimiser of nevergrad")]:
        kind = kinds.add_parser(package, help=meaning, description=meaning)
        if package == "nevergrad":
            kind.add_argument("name", help="its name, as in nevergrad.optimizers.registry")
            kind.add_argument("--workers", type=int, default=1, help="candidates that are asked for at a time, on the same deals")
        kind.add_argument("--pairs", type=int, default=PAIRS, help="pairs of games for each candidate")
        kind.add_argument("--sigma", type=float, default=1.0, help="the first step size")
    settings = vars(parser.parse_args())
    package = settings.pop("package")
    if package == "pycma":
        return lambda problem: pycma(problem, **settings)
    return lambda problem: nevergrad(problem, **settings)


def _run() -> NoReturn:
    """Searches, and ends without waiting for threads that other packages have left waiting."""
    code = 0
    # What is said goes to the first standard output, which `main` puts another in the place of.
    said = sys.stdout
    try:
        main(_arguments())
    except Exception:
        traceback.print_exc()
        code = 1
    said.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _run()
