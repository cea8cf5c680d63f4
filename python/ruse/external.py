"""Makes an optimiser in Python a method of `ruse`, in the same tables and curves as the built-in methods.

The method is a program with a search function. Its name is the command that starts the program:

    import ruse.external

    def search(problem):
        theta = problem.start
        while True:
            thetas = theta + problem.generator.standard_normal((10, problem.dimension))
            theta = thetas[problem.evaluate(thetas, pairs=50).argmax()]
            problem.champion(theta)

    ruse.external.main(search)

    $ ruse compare war --methods es,"python my_optimiser.py"

`ruse` counts the games, and `evaluate` ends the search when the budget is used. `python -m ruse.external pycma` and
`python -m ruse.external nevergrad NAME` are such programs for the optimisers of these packages, and `python -m ruse.external
function FILE.py:NAME` is one for a search function. `ruse.compare` and `optimise` take the function itself, "pycma" and
"nevergrad:NAME".
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import missing
from ._ruse import RuseError

#: The default number of pairs of games for each candidate.
PAIRS = 50


class BudgetUsed(Exception):
    """Raised if the next request does not fit into the budget. It ends the search, and `main` catches it."""


class Problem:
    """The task of a search, with the connection to `ruse`."""

    #: The number of parameters.
    dimension: int
    #: The start of the search: `[dimension]`.
    start: NDArray[np.float64]
    #: The seed of all random numbers. The same seed and the same answers must give the same questions.
    seed: int
    #: Random numbers from the seed.
    generator: np.random.Generator
    #: The number of games that the budget allows in total, and the number that are left; None without a limit.
    games: int | None
    games_left: int | None
    #: The parameters that the strategy uses as first and as second player, or None if they do not belong to seats.
    seats: tuple[slice, slice] | None

    def __init__(self, said: TextIO, heard: TextIO) -> None:
        self._said, self._heard = said, heard
        task = self._hear()
        self.dimension = task["dimension"]
        self.start = np.array(task["start"], dtype=np.float64)
        self.seed = task["seed"]
        self.generator = np.random.default_rng(self.seed)
        self.games = self.games_left = task["games"]
        seats = task.get("seats")
        self.seats = seats and (slice(*seats[0]), slice(*seats[1]))

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

    def evaluate(
        self, thetas: ArrayLike, *, pairs: int = PAIRS, against: ArrayLike | None = None, by_seat: bool = False
    ) -> NDArray[np.float64]:
        """Returns the scores of the rows of `thetas`, `[n, dimension]`, from 0 to 1: `[n]`; by seat, `[n, 2]`.

        All candidates play the same opponent on the same deals; the next call has other deals. The opponent is the
        baseline, or `against`.
        """
        rows = np.asarray(thetas, dtype=np.float64)
        request: dict[str, Any] = {"evaluate": rows.tolist(), "pairs": int(pairs)}
        if against is not None:
            request["against"] = np.asarray(against, dtype=np.float64).tolist()
        if by_seat:
            request["by_seat"] = True
        self._say(request)
        answer = self._hear()
        self.games_left = answer["games_left"]
        if answer.get("stop"):
            raise BudgetUsed
        return np.array(answer["scores"], dtype=np.float64)

    def _parts(self) -> list[slice]:
        """Returns the parts of a vector that are scored by themselves: the parameters of each seat, or all."""
        return list(self.seats) if self.seats else [slice(0, self.dimension)]

    def _losses(self, thetas: NDArray[np.float64], pairs: int) -> NDArray[np.float64]:
        """Returns 1 minus the score of each row in each part: `[parts, n]`."""
        scores = self.evaluate(thetas, pairs=pairs, by_seat=self.seats is not None)
        return 1 - scores.reshape(len(thetas), -1).T

    def champion(self, theta: ArrayLike) -> None:
        """Names the best strategy so far."""
        self._say({"champion": np.asarray(theta, dtype=np.float64).tolist()})


def main(search: Callable[[Problem], ArrayLike | None]) -> None:
    """Runs this search for `ruse` until the budget or the search ends. The return value of the search is the champion."""
    said = sys.stdout
    # Output of the search goes to standard error, since standard output carries the protocol.
    sys.stdout = sys.stderr
    problem = Problem(said, sys.stdin)
    try:
        champion = search(problem)
    except BudgetUsed:
        return
    if champion is not None:
        problem.champion(champion)


def pycma(problem: Problem, *, pairs: int = PAIRS, sigma: float = 1.0) -> NoReturn:
    """Runs CMA-ES of the package `cma`. When it stops by itself, it is started again at its current mean.

    If parameters belong to seats, each seat has an optimiser of its own, which learns from the games in this seat.
    """
    try:
        import cma
    except ModuleNotFoundError as error:
        raise missing(error, "pycma", "cma") from None

    parts = problem._parts()
    # The package needs at least two parameters. If there are fewer, parameters without effect are added.
    means = [np.append(problem.start[part], np.zeros(max(2 - len(problem.start[part]), 0))) for part in parts]
    number = 0

    def begin(mean: NDArray[np.float64]) -> Any:
        nonlocal number
        number += 1
        # Because of noise, a lack of progress is not a reason to stop. The package replaces seed 0 with the time.
        settings: dict[str, Any] = {"seed": problem.seed + number, "verbose": -9, "tolfun": 0, "tolfunhist": 0, "tolx": 0}
        settings |= {"tolstagnation": 10**9, "tolflatfitness": 10**9, "maxiter": 10**9}
        # The usual size of the package, for the largest part.
        settings["popsize"] = 4 + int(3 * np.log(max(map(len, means))))
        return cma.CMAEvolutionStrategy(mean, sigma, settings)

    optimisers = [begin(mean) for mean in means]
    while True:
        asked = [np.array(optimiser.ask()) for optimiser in optimisers]
        thetas = np.zeros((len(asked[0]), problem.dimension))
        for part, candidates in zip(parts, asked, strict=True):
            thetas[:, part] = candidates[:, : part.stop - part.start]
        for index, losses in enumerate(problem._losses(thetas, pairs)):
            optimisers[index].tell(asked[index], losses)
            means[index] = np.array(optimisers[index].result.xfavorite)
            if optimisers[index].stop():
                optimisers[index] = begin(means[index])
        problem.champion(np.concatenate([mean[: part.stop - part.start] for part, mean in zip(parts, means, strict=True)]))


def nevergrad(problem: Problem, name: str, *, pairs: int = PAIRS, sigma: float = 1.0, workers: int = 1) -> ArrayLike:
    """Runs an optimiser of nevergrad, with `workers` candidates at a time.

    Candidates that are evaluated at the same time play the same deals. Some optimisers support only one candidate at a time.
    If parameters belong to seats, each seat has an optimiser of its own, which learns from the games in this seat.
    """
    try:
        import nevergrad as ng
    except ModuleNotFoundError as error:
        raise missing(error, "nevergrad", "ruse[nevergrad]") from None

    if name not in ng.optimizers.registry:
        raise RuseError(f"nevergrad has no optimiser {name!r}")
    games = problem.games if problem.games is not None else 2 * pairs * 10**6
    budget = max(games // (2 * pairs), 1)
    optimisers = []
    for number, part in enumerate(problem._parts()):
        parametrisation = ng.p.Array(init=problem.start[part]).set_mutation(sigma=sigma)
        parametrisation.random_state.seed(problem.seed + number)
        optimisers.append(ng.optimizers.registry[name](parametrisation, budget=budget, num_workers=workers))

    def champion() -> ArrayLike:
        return np.concatenate([optimiser.provide_recommendation().value for optimiser in optimisers])

    for begun in range(0, budget, workers):
        num = min(workers, budget - begun)
        asked = [[optimiser.ask() for _ in range(num)] for optimiser in optimisers]
        thetas = np.hstack([[candidate.value for candidate in candidates] for candidates in asked])
        for optimiser, candidates, losses in zip(optimisers, asked, problem._losses(thetas, pairs), strict=True):
            for candidate, loss in zip(candidates, losses, strict=True):
                optimiser.tell(candidate, float(loss))
        problem.champion(champion())
    return champion()


def _arguments() -> Callable[[Problem], ArrayLike | None]:
    """Returns the search that the command line names."""
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
    meaning = "a search function of yours"
    kind = kinds.add_parser("function", help=meaning, description=meaning)
    kind.add_argument("place", help="FILE.py:NAME or MODULE:NAME")
    settings = vars(parser.parse_args())
    package = settings.pop("package")
    if package == "function":
        return _function_at(settings["place"])
    if package == "pycma":
        return lambda problem: pycma(problem, **settings)
    return lambda problem: nevergrad(problem, **settings)


def _function_at(place: str) -> Callable[[Problem], ArrayLike | None]:
    """Returns the function NAME of FILE.py or MODULE. The code of a file below `if __name__ == "__main__"` is not run."""
    module, _, name = place.rpartition(":")
    found: Any = runpy.run_path(module, run_name="__search__") if module.endswith(".py") else importlib.import_module(module)
    try:
        search: Callable[[Problem], ArrayLike | None] = found[name] if isinstance(found, dict) else getattr(found, name)
    except (KeyError, AttributeError):
        raise RuseError(f"{module} has no function {name}") from None
    return search


def _run() -> NoReturn:
    """Runs the search, and exits without waiting for threads of other packages."""
    code = 0
    # The protocol uses the original standard output, which `main` replaces.
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
