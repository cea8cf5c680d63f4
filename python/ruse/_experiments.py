"""Experiments, such as runs and comparisons, and their directories."""

from __future__ import annotations

import html
import json
import os
import shlex
import sys
import tempfile
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _ruse
from ._checks import PathLike, drawn, threads_of, whole_float
from ._executors import Executor, check, delegate
from ._family import Family, Strategy
from ._results import Estimate, estimate_of
from ._ruse import RuseError
from ._table import Table


@dataclass(frozen=True)
class Progress:
    """The progress of an experiment, as passed to callbacks."""

    #: The event: "run-begins", "run-goes-on", "champion" (a new one was scored), "run-done", "phase-begins"
    #: ("meetings", "round-robin", ...: see `told`), "phase-goes-on".
    #: With an executor, "job-done" comes first.
    event: str
    #: The name of the run or job of the event; None if the event has none.
    run: str | None
    #: The fraction of the budget that has been used, from 0 to 1; None if it is unknown.
    fraction: float | None
    #: The numbers of iterations and games so far.
    iteration: int | None
    games: int | None
    #: The step size; None for methods without one.
    sigma: float | None
    #: The score of a new champion, against the opponent that the run is scored against.
    score: float | None
    interval: tuple[float, float] | None
    #: The parameters of a champion that has just joined the population.
    parameters: NDArray[np.float64] | None
    #: All data of the event.
    told: Mapping[str, Any]


Callback: TypeAlias = Callable[[Progress], object]

#: A method: its name, a command, "pycma", "nevergrad:NAME", a search function of a module, or an item of an experiment file.
Method: TypeAlias = str | Callable[..., Any] | Mapping[str, Any]


class _Listener:
    """Passes events to a callback and to a progress line on standard error."""

    def __init__(self, callback: Callback | None, shows: bool) -> None:
        self._callback = callback
        self._shows = shows
        self._names: list[str] = []
        self._fractions: dict[int, float] = {}
        self._shown_at = 0.0

    @classmethod
    def of(cls, callback: Callback | None, shows: bool) -> _Listener | None:
        """Returns a listener, or None if there is neither a callback nor a progress line."""
        if callback is not None and not callable(callback):
            raise RuseError(f"callback is {callback!r}, and must be a function of one argument")
        return cls(callback, shows) if callback is not None or shows else None

    def __call__(self, text: str) -> bool:
        events = json.loads(text)
        for place, told in enumerate(events):
            if told["event"] == "runs-begin":
                self._names = told["names"]
            later = (other for other in events[place + 1 :] if other.get("run") == told.get("run"))
            if told["event"] == "run-goes-on" and any(other["event"] == "run-goes-on" for other in later):
                # A slow callback needs only the latest progress of a run.
                continue
            if self._shows:
                self._show(told)
            if self._callback is not None and self._callback(self._progress(told)) is True:
                return True
        return False

    def _progress(self, told: Mapping[str, Any]) -> Progress:
        run, interval, theta = told.get("run"), told.get("interval"), told.get("parameters")
        return Progress(
            event=told["event"],
            run=told["name"] if told["event"] == "job-done" else None if run is None else self._names[run],
            fraction=told.get("fraction"),
            iteration=told.get("iteration"),
            games=told.get("games"),
            sigma=told.get("sigma"),
            score=told.get("score"),
            interval=None if interval is None else (interval[0], interval[1]),
            parameters=None if theta is None else np.array(theta, dtype=np.float64),
            told=told,
        )

    def _show(self, told: Mapping[str, Any]) -> None:
        if told.get("run") is not None and told.get("fraction") is not None:
            self._fractions[told["run"]] = told["fraction"]
        if told["event"] == "job-done":
            self._fractions = {0: told["fraction"]}
        now = clock.monotonic()
        if told["event"] not in ("run-done", "job-done") and now - self._shown_at < 0.25:
            return
        self._shown_at = now
        whole = sum(self._fractions.values()) / max(len(self._names), 1)
        score = f", score {told['score']:.3f}" if told.get("score") is not None else ""
        print(f"\r{whole:6.1%}{score}   ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the progress line."""
        if self._shows:
            print(file=sys.stderr)


class Plan:
    """A checked experiment, divided into jobs that several machines can share."""

    def __init__(self, core: _ruse.Plan) -> None:
        self._told = json.loads(core.describe())
        self._jobs = json.loads(core.jobs())

    @property
    def name(self) -> str:
        """The name of the experiment's directory."""
        return str(self._told["name"])

    @property
    def kind(self) -> str:
        """The kind of experiment: "run", "championship", "comparison", "budgets", "portfolios" or "round-robin"."""
        return str(self._told["kind"])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the experiment, which changes if the experiment changes."""
        return str(self._jobs["fingerprint"])

    @property
    def spec(self) -> dict[str, Any]:
        """The experiment, with all defaults filled in."""
        return dict(self._told["resolved"])

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The jobs, indexed by their numbers, as `ruse plan --json` lists them."""
        return list(self._jobs["jobs"])

    def __repr__(self) -> str:
        return f"<plan {self.name}: {self.kind}, {len(self.jobs)} jobs>"


class Experiment:
    """The directory of an experiment, with its results."""

    def __init__(self, path: PathLike) -> None:
        """Opens a directory that the command line or Python has written."""
        self._path = Path(path)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._core = _ruse.Directory(self._path)
        self._told = json.loads(self._core.describe())

    @property
    def path(self) -> Path:
        """The path of the directory."""
        return self._path

    @property
    def kind(self) -> str:
        """The kind of experiment: "run", "championship", "comparison", "budgets", "portfolios" or "round-robin"."""
        return str(self._told["kind"])

    @property
    def spec(self) -> dict[str, Any]:
        """The experiment, with all defaults filled in."""
        return dict(self._told["resolved"])

    @property
    def finished(self) -> bool:
        """Whether all runs are finished."""
        return all(run["finished"] for run in self._told["runs"])

    @property
    def runs(self) -> list[Run]:
        """The runs that have a champion, in the order of the plan."""
        return list(self._runs())

    def _runs(self) -> Iterator[Run]:
        for index, told in enumerate(self._told["runs"]):
            if told["begun"] and self._core.found(index)[0] is not None:
                yield Run._read(self._core, index, told, self._path)

    def csv(self, name: str) -> Table:
        """Reads a CSV file of the directory, such as `measurements.csv`."""
        path = self._path / name
        if not path.is_file():
            known = ", ".join(sorted(file.name for file in self._path.glob("*.csv"))) or "none"
            raise RuseError(f"there is no file {path}; tables there are {known}")
        return Table.from_csv(path.read_text(encoding="utf-8"))

    def figure(self, name: str) -> Figure:
        """Returns the figure that `ruse plot --only NAME` draws: scores, critical-difference, learning-curves-FAMILY, ..."""
        drawn = self._core.figures(name)
        if len(drawn) > 1:
            raise RuseError(f"{len(drawn)} figures have `{name}` in their names: {', '.join(known for known, _ in drawn)}")
        return Figure(*drawn[0])

    def report(self, path: PathLike) -> None:
        """Writes all tables and figures on one page, as `ruse report` does."""
        self._core.write_page(path)

    def __reduce__(self) -> tuple[type[Experiment], tuple[Path]]:
        if self._temporary is not None:
            raise RuseError("its results are in a temporary directory, and cannot be pickled; name one with out=")
        return type(self), (self._path,)

    def __repr__(self) -> str:
        runs = self._told["runs"]
        finished = sum(run["finished"] for run in runs)
        return f"<{self.kind} {self._path}: {finished} of {len(runs)} runs finished>"


class Comparison(Experiment):
    """A comparison of methods: the scores of all runs, and of their champions against each other."""

    def table(self, name: str) -> Table:
        """Returns the table that `ruse table --only NAME` prints: scores, effort, targets, head-to-head, ranking, ..."""
        tables = dict(self._core.tables())
        if name not in tables:
            raise RuseError(f"there is no table `{name}`; known are {', '.join(tables)}")
        return Table.from_csv(tables[name])

    @property
    def scores(self) -> Table:
        """The scores of the methods against the baseline, by family."""
        return self.table("scores")

    @property
    def ranking(self) -> Table:
        """The ranks of the methods over all families."""
        return self.table("ranking")

    @property
    def head_to_head(self) -> Table:
        """The scores of the methods against each other."""
        return self.table("head-to-head")

    @property
    def meetings(self) -> Table:
        """The meetings of champions, one per row."""
        rows = self.csv("measurements.csv")
        return rows[rows["kind"] == "meeting"]

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.scores._repr_html_()}"


class Figure:
    """A figure of the results."""

    def __init__(self, name: str, svg: str) -> None:
        self._name = name
        self._svg = svg

    @property
    def name(self) -> str:
        """The name, which is the name of the file that `ruse plot` writes."""
        return self._name

    def svg(self) -> str:
        """Returns the figure as SVG."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<figure {self._name}>"


class Curve:
    """The learning curve of a run."""

    def __init__(self, table: Table, svg: str) -> None:
        self._table = table
        self._svg = svg

    @property
    def table(self) -> Table:
        """The scores of the run's champions, by the number of games."""
        return self._table

    def svg(self) -> str:
        """Returns the curve as SVG."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg


class Run:
    """The results of a run."""

    #: The family, with its rules.
    family: Family
    #: The method and its seed.
    method: str
    seed: int
    #: The best strategy.
    champion: Strategy
    #: The champion's score against the opponent that the run is scored against, by default the baseline.
    score: Estimate
    #: The champion's scores against the reference strategies.
    references: dict[str, Estimate]
    #: The mixture that the method has found; None for methods without mixtures.
    mixture: Strategy | None
    #: The reason why the run ended: "games", "iterations", "time", "stalled" or "interrupted".
    stop_reason: str
    #: The number of iterations, and the number of games in comparisons.
    iterations: int
    games: int
    #: One row per iteration; empty if the results were published without the history.
    history: Table
    #: The accepted strategies.
    population: Table
    #: The learning curve.
    curve: Curve
    #: The directory of the run; None if it was temporary.
    path: Path | None

    @classmethod
    def _read(cls, core: _ruse.Directory, index: int, told: Mapping[str, Any], experiment: Path | None) -> Run:
        champion, mixture = core.found(index)
        if champion is None:
            raise RuseError(f"{told['path']}: nothing was found yet")
        file = json.loads(champion)
        found = file["found"]
        run = cls()
        run.family = Family(told["family"], told["rules"])
        run.method, run.seed = told["method"], told["seed"]
        run.champion = Strategy(run.family, file)
        run.score = estimate_of(file.get("score-against", {}).get("score") or file["score-against-baseline"])
        scores = file.get("score-against-references", {})
        run.references = {name: estimate_of(of) for name, of in scores.items()}
        run.mixture = None if mixture is None else Strategy(run.family, json.loads(mixture))
        run.stop_reason = found["stop-reason"]
        run.iterations, run.games = found["iterations"], found["games"]
        directory = Path(told["path"])
        run.history = _csv_of(directory / "history.csv")
        run.population = _csv_of(directory / "population.csv")
        run.curve = Curve(_curve_of(run.history), core.curves([index]))
        run.path = None if experiment is None else directory
        return run

    def _repr_html_(self) -> str:
        words = html.escape(f"{self!r}. It {self.champion.words}.")
        return f"<p>{words}</p>{self.champion.svg()}{self.curve.svg()}"

    def __repr__(self) -> str:
        how = f"{self.games:,} games, stopped by {self.stop_reason}"
        return f"<{self.family.name} by {self.method}, seed {self.seed}: score {self.score}, {how}>"


def _csv_of(path: Path) -> Table:
    return Table.from_csv(path.read_text(encoding="utf-8")) if path.is_file() else Table({})


def _curve_of(history: Table) -> Table:
    """Returns the rows of a history that have a score."""
    names = ["games", "baseline-score", "baseline-low", "baseline-high", "baseline-pairs"]
    if "baseline-score" not in history:
        return Table({})
    scores = np.asarray(history["baseline-score"], dtype=np.float64)
    is_scored = ~np.isnan(scores)
    columns = {name.removeprefix("baseline-"): history[name][is_scored] for name in names}
    columns["pairs"] = columns["pairs"].astype(np.int64)
    return Table(columns)


def _keywords(keys: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns these keys of an experiment file with their values as JSON, without keys whose value is None."""

    def plain(value: Any) -> Any:
        match value:
            case Strategy():
                raise RuseError("a strategy cannot stand here; name its file or give its parameters")
            case Family():
                return {"family": value.name, "rules": value._changes} if value._changes else value.name
            case np.ndarray() | np.generic():
                return value.tolist()
            case os.PathLike():
                return os.fspath(value)
            case Mapping():
                return {str(key): plain(of) for key, of in value.items()}
            case str() | int() | float() | bool() | None:
                return value
            case Sequence():
                return [plain(of) for of in value]
            case _:
                raise RuseError(f"{value!r} cannot stand in an experiment")

    said = {key: plain(whole_float(value)) for key, value in keys.items() if value is not None}
    return [(key, json.dumps(value, ensure_ascii=False)) for key, value in said.items()]


def _plan_of(keys: Mapping[str, Any], call: str) -> _ruse.Plan:
    return _ruse.Plan.of_keywords(_keywords(keys), call)


def _carry_out(
    plan: _ruse.Plan | PathLike,
    out: PathLike | None,
    callback: Callback | None,
    progress: bool,
    threads: int | None,
    executor: Executor | None = None,
) -> tuple[Path, BaseException | None]:
    """Carries out a plan, or the rest of the plan in a directory.

    Returns the path of the results, and the exception that stopped the work, if any.
    """
    listener = _Listener.of(callback, progress)
    try:
        if isinstance(plan, _ruse.Plan) and executor is not None:
            check(executor)
            path: PathLike = plan.prepare(out)
            is_done, raised = delegate(plan, Path(path), executor, listener)
            was_stopped = not is_done
            if is_done:
                # The jobs that executors cannot do, and the finale.
                path, was_stopped, raised = _ruse.resume(path, threads, listener)
        elif isinstance(plan, _ruse.Plan):
            path, was_stopped, raised = plan.carry_out(out, threads, listener)
        else:
            path, was_stopped, raised = _ruse.resume(plan, threads, listener)
    finally:
        if listener is not None:
            listener.end()
    if raised is not None and not (isinstance(raised, KeyboardInterrupt) and was_stopped):
        raise raised
    return Path(path), raised


def _opened(path: PathLike) -> Experiment | Run:
    experiment = Experiment(path)
    if experiment.kind == "comparison":
        return Comparison(path)
    if experiment.kind == "run":
        return Run._read(experiment._core, 0, experiment._told["runs"][0], experiment.path)
    return experiment


def _result(path: Path, raised: BaseException | None) -> Experiment | Run:
    """Returns the results of an experiment. If there are none, raises the exception that stopped the experiment."""
    experiment = Experiment(path)
    if raised is not None and not any(run["begun"] for run in experiment._told["runs"]):
        raise raised
    if experiment.kind == "run" and experiment._core.found(0)[0] is None:
        raise raised or RuseError(f"{path}: the run was stopped before it found anything")
    return _opened(path)


def optimise(
    keys: Mapping[str, Any], out: PathLike | None, callback: Callback | None, progress: bool, threads: int | None
) -> Run:
    """Carries out the run that these keys of an experiment file describe."""
    plan = _plan_of(keys, "optimise")
    if json.loads(plan.describe())["kind"] != "run":
        raise RuseError("optimise takes one method; ruse.compare takes several, and all by default")
    if out is not None:
        result = _result(*_carry_out(plan, out, callback, progress, threads))
    else:
        with tempfile.TemporaryDirectory(prefix="ruse-") as parent:
            result = _result(*_carry_out(plan, Path(parent, "run"), callback, progress, threads))
    assert isinstance(result, Run), "the plan of a run has a run"
    if out is None:
        result.path = None
    return result


def _program(method: Method) -> tuple[str, str] | None:
    """Returns a label and a command for a search function, for "pycma" and for "nevergrad:NAME"; None for other methods."""
    if callable(method):
        label = getattr(method, "__name__", "")
        module = sys.modules.get(getattr(method, "__module__", ""))
        if module is None or getattr(module, label, None) is not method:
            raise RuseError(f"the method {method!r} must be a function of a module, where a program can find it")
        place = module.__name__
        if place == "__main__":
            file = getattr(module, "__file__", None)
            if file is None:
                raise RuseError(f"the method {label} must be in a file, where a program can find it")
            place = os.path.abspath(file)
        words = ["function", f"{place}:{label}"]
    elif method == "pycma" or isinstance(method, str) and method.startswith("nevergrad:"):
        words, label = method.split(":", 1), method.replace(":", "-")
    else:
        return None
    return label, shlex.join([sys.executable, "-m", "ruse.external", *words])


def method_of_run(method: Method) -> object:
    """Returns the method of a run in the form of an experiment file."""
    program = _program(method)
    return method if program is None else program[1]


def _method_of_comparison(method: Method) -> object:
    """Returns a method of a comparison in the form of an experiment file."""
    program = _program(method)
    return method if program is None else {"name": program[0], "method": program[1]}


def compare(
    families: str | Family | Sequence[str | Family],
    methods: Sequence[Method] | None = None,
    *,
    out: PathLike | None = None,
    callback: Callback | None = None,
    progress: bool = False,
    threads: SupportsIndex | None = None,
    **keys: Any,
) -> Comparison:
    """Compares methods on families, as `ruse compare` does: scores against the baseline, and champions head to head.

    A method is a name, a command, "pycma", "nevergrad:NAME", a search function of a module (see `ruse.external`), or an item of
    `methods` in an experiment file, such as {"method": "naive", "start": "zero", "name": "naive-from-0"}.

    `keys` are keys of an experiment file, with underscores instead of hyphens: `budget`, `repeats`, `seed`, `half_width`,
    `opponents`, `baseline`, ... With `seed=None`, a seed is drawn; the runs contain it. With `out`, the results are kept in
    this new directory; otherwise they are deleted together with the returned object.
    """
    if isinstance(families, (str, Family)):
        families = [families]
    if "seed" in keys:
        keys["seed"] = drawn(keys["seed"])
    said = {
        "families": "all" if list(families) == ["all"] else list(families),
        "methods": None if methods is None else [_method_of_comparison(method) for method in methods],
        **{key.replace("_", "-"): value for key, value in keys.items()},
    }
    plan = _plan_of(said, "compare")
    temporary = tempfile.TemporaryDirectory(prefix="ruse-") if out is None else None
    path = Path(temporary.name, "comparison") if temporary is not None else out
    result = _result(*_carry_out(plan, path, callback, progress, threads_of(threads)))
    assert isinstance(result, Comparison), "the plan of a comparison has a comparison"
    result._temporary = temporary
    return result


def run(
    file: PathLike,
    *,
    out: PathLike | None = None,
    callback: Callback | None = None,
    progress: bool = False,
    threads: SupportsIndex | None = None,
    executor: Executor | None = None,
) -> Experiment | Run:
    """Carries out an experiment file, as `ruse run` does, in the new directory `out`, or in a new directory under `runs/`.

    `executor` is any object with `submit`: a pool of processes, a client of Dask, ... Its workers do the jobs, each on one thread,
    and need no files; the results are the same. If a worker is lost, its job is sent again.
    """
    plan = _ruse.Plan.read(file)
    return _result(*_carry_out(plan, out, callback, progress, threads_of(threads), executor))


def resume(
    directory: PathLike,
    *,
    callback: Callback | None = None,
    progress: bool = False,
    threads: SupportsIndex | None = None,
) -> Experiment | Run:
    """Resumes a stopped experiment. The results are the same as if it had not been stopped."""
    return _result(*_carry_out(os.fspath(directory), None, callback, progress, threads_of(threads)))


def open(directory: PathLike) -> Experiment | Run:
    """Opens the directory of an experiment, written by Python or the command line: a `Run`, a `Comparison` or an `Experiment`."""
    return _opened(directory)


def plan(file: PathLike) -> Plan:
    """Checks an experiment file, and returns its jobs."""
    return Plan(_ruse.Plan.read(file))
