"""Families of strategies, with their parameters and players."""

from __future__ import annotations

import functools
import html
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ruse
from ._checks import (
    Count,
    PathLike,
    SeedLike,
    count_of,
    count_or_none,
    drawn,
    number_of,
    numbers_of,
    seed_of,
    threads_of,
    whole,
)
from ._results import Cross, Match, Response, Verdict, estimate_of, verdict_of
from ._ruse import RuseError
from ._table import Table

if TYPE_CHECKING:
    from ._experiments import Method, Progress, Run
    from ._policy import Policy
    from ._search import Seed

#: A player: a strategy; a name as on the command line, such as "baseline", "random" or the name of a
#: reference strategy; the path of a strategy file or of a run's directory; parameters; or a function of an observation
#: and a mask of the legal actions, as in `ruse.gymnasium`, that returns the number of an action.
Who: TypeAlias = "Strategy | str | os.PathLike[str] | ArrayLike | Callable[[NDArray[np.float32], NDArray[np.bool_]], SupportsIndex]"

#: The largest number of parameters shown.
_SHOWN = 12

#: The largest number of members of a league.
_MOST_MEMBERS = 1000


class Space:
    """The parameters of a family."""

    def __init__(self, parameters: Sequence[tuple[str, str]]) -> None:
        self._parameters = [(name, meaning) for name, meaning in parameters]

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [name for name, _ in self._parameters]

    @property
    def meanings(self) -> list[str]:
        """The meanings of the parameters."""
        return [meaning for _, meaning in self._parameters]

    @property
    def dimension(self) -> int:
        """The number of parameters."""
        return len(self._parameters)

    def zeros(self) -> NDArray[np.float64]:
        """Returns parameters that are all 0."""
        return np.zeros(self.dimension)

    def sample(self, seed: SeedLike, n: int | None = None) -> NDArray[np.float64]:
        """Draws standard Gaussian parameters with numpy, like the start of a search: `[dimension]`, or `[n, dimension]`."""
        shape = self.dimension if n is None else (n, self.dimension)
        return np.random.default_rng(seed_of(seed)).standard_normal(shape)

    def __len__(self) -> int:
        return self.dimension

    def __eq__(self, other: object) -> bool:
        return self._parameters == other._parameters if isinstance(other, Space) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ", ".join(self.names[:_SHOWN])
        more = f", ... and {self.dimension - _SHOWN} more" if self.dimension > _SHOWN else ""
        return f"Space({names}{more})"

    @property
    def table(self) -> Table:
        """The parameters, one per row."""
        return Table({"parameter": self.names, "meaning": self.meanings})

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class Strategy:
    """A player of a family. `family.strategy(who)` creates it."""

    def __init__(self, family: Family, entry: Mapping[str, Any]) -> None:
        """Creates a strategy from an entry of a mixture, which has `parameters`, `strategy` or `mixture`."""
        self._family = family
        self._entry = {key: entry[key] for key in ("parameters", "strategy", "mixture", "function") if key in entry}
        self._core = family._player(self._entry)

    @staticmethod
    def read(path: PathLike) -> Strategy:
        """Reads a strategy file, or the champion in the directory of a run, with its family and rules."""
        told = json.loads(_ruse.strategy_file(path))
        return Family(told["family"], told.get("rules")).strategy(os.fspath(path))

    @property
    def family(self) -> Family:
        """The family, with its rules."""
        return self._family

    @property
    def parameters(self) -> NDArray[np.float64] | None:
        """The parameters; None for reference strategies and mixtures."""
        found = self._entry.get("parameters")
        return None if found is None else np.array(found, dtype=np.float64)

    @property
    def name(self) -> str:
        """The name on the command line, or a description of a mixture."""
        if "strategy" in self._entry:
            return str(self._entry["strategy"])
        if "mixture" in self._entry:
            return f"mixture of {len(self._entry['mixture'])}"
        if "function" in self._entry:
            return getattr(self._entry["function"], "__name__", type(self._entry["function"]).__name__)
        return "[" + ",".join(f"{number:g}" for number in self._entry["parameters"]) + "]"

    @property
    def _functions(self) -> bool:
        """Whether a function decides for the player, or for a member of the mixture."""
        return "function" in self._entry or any("function" in of for of in self._entry.get("mixture", ()))

    @functools.cached_property
    def words(self) -> str:
        """A description of how the strategy plays."""
        if "parameters" in self._entry:
            return self._family._core.words(self._entry["parameters"])
        if "mixture" in self._entry:
            members = (f"{of['weight']:.3g}: {Strategy(self._family, of).name}" for of in self._entry["mixture"])
            return "draws one for every pair of games, by weight: " + "; ".join(members)
        if "function" in self._entry:
            return f"asks the function {self.name}"
        return self._family.references.get(self.name, "parameters drawn again for every pair" if self.name == "baseline" else self.name)

    def svg(self) -> str:
        """Returns a picture of the strategy as SVG. Raises an error if it has no parameters."""
        if "parameters" not in self._entry:
            raise RuseError(f"{self.name} has no parameters, and so no picture")
        return self._family._core.svg(self._entry["parameters"])

    def save(self, path: PathLike) -> None:
        """Writes a new strategy file, which the command line reads as well."""
        if self._functions:
            raise RuseError(f"{self.name} cannot be saved: a function has no text that a file could have")
        lines = [f"family: {json.dumps(self._family.name)}"]
        if self._family.rules:
            lines.append(f"rules: {json.dumps(self._family.rules)}")
        if "strategy" in self._entry:
            # A file has parameters or a mixture.
            entry: dict[str, Any] = {"mixture": [{"weight": 1, **self._entry}]}
        else:
            entry = self._entry
        lines += [f"{key}: {json.dumps(value)}" for key, value in entry.items()]
        if "parameters" in self._entry:
            lines.append(f"words: {json.dumps(self.words)}")
        with open(path, "x", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def __reduce__(self) -> tuple[Callable[[Family, Mapping[str, Any]], Strategy], tuple[Family, dict[str, Any]]]:
        return Strategy, (self._family, self._entry)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strategy):
            return NotImplemented
        return self._family == other._family and self._entry == other._entry

    def __hash__(self) -> int:
        return hash((self._family, json.dumps(self._entry, sort_keys=True, default=id)))

    def __repr__(self) -> str:
        return f"<{self._family.name}: {self.name}>"

    def __str__(self) -> str:
        return f"{self._family.name}: {self.words}"

    def _repr_html_(self) -> str:
        words = html.escape(str(self))
        return f"<p>{words}</p>{self.svg()}" if "parameters" in self._entry else f"<p>{words}</p>"


class Family:
    """A game with a parametric strategy. `ruse.family(name)` creates it."""

    def __init__(self, name: str, rules: Mapping[str, int | str] | None = None) -> None:
        """Creates the family with this name, or the family of this rule file, with these rules changed."""
        if not isinstance(name, str):
            raise RuseError(f"the name of a family is a text, and not {name!r}")
        self._core = _ruse.Family(name, [_rule(key, value) for key, value in (rules or {}).items()])
        self._told = json.loads(self._core.describe())
        self._changes = {rule: self.rules[rule] for rule in rules or {}}

    @property
    def name(self) -> str:
        """The name that a user types."""
        return str(self._told["name"])

    @property
    def game(self) -> str:
        """The name of the game."""
        return str(self._told["game"])

    @property
    def summary(self) -> str:
        """A short description of the parameters."""
        return str(self._told["summary"])

    @property
    def rules(self) -> dict[str, int]:
        """The rules that can be changed, with their current values."""
        return {rule["name"]: rule["value"] for rule in self._told["rules"]}

    @property
    def references(self) -> dict[str, str]:
        """The reference strategies by name, with descriptions of how they play."""
        return dict(self._told["references"])

    @property
    def default_budget(self) -> int:
        """The number of games after which a run has a useful result."""
        return int(self._told["default_budget"])

    @functools.cached_property
    def space(self) -> Space:
        """The parameters."""
        return Space(self._told["parameters"])

    def strategy(self, who: Who) -> Strategy:
        """Returns the strategy that `who` stands for; see `Who`."""
        if isinstance(who, Strategy):
            if who.family != self:
                raise RuseError(f"the strategy is one of {who.family!r}, and not of {self!r}")
            return who
        if callable(who):
            return Strategy(self, {"function": who})
        if isinstance(who, (str, os.PathLike)):
            entry = json.loads(self._core.named(os.fspath(who)).entry())
            return Strategy(self, entry)
        theta = numbers_of("a strategy", who)
        if theta.ndim != 1:
            raise RuseError(f"a strategy is of shape {theta.shape}, and must be of shape ({self.space.dimension},)")
        return Strategy(self, {"parameters": theta.tolist()})

    def policy(
        self, function: Callable[..., ArrayLike], *, probabilities: bool = True, batch: bool = True
    ) -> Policy:
        """Returns a player that a function of observations and masks of legal actions decides for.

        The function gets `[n, features]` and `[n, actions]`, and returns probabilities `[n, actions]`; without
        `probabilities` it returns the numbers of actions `[n]`, and without `batch` it is called for each situation.
        """
        from ._policy import Policy

        return Policy(self, function, probabilities=probabilities, batch=batch)

    def mixture(self, members: Sequence[Who], weights: ArrayLike) -> Strategy:
        """Returns a player that draws one of these members for every pair of games, by weight."""
        of = numbers_of("weights", weights)
        if of.shape != (len(members),):
            raise RuseError(f"weights are of shape {of.shape}, and must be of shape ({len(members)},)")
        entries = [self.strategy(member)._entry for member in members]
        mixture = [{"weight": weight, **entry} for weight, entry in zip(of.tolist(), entries, strict=True)]
        return Strategy(self, {"mixture": mixture})

    def match(
        self,
        a: Who,
        b: Who = "baseline",
        *,
        pairs: Count | None = None,
        seed: SeedLike | None = 1,
        threads: SupportsIndex | None = None,
    ) -> Match:
        """Plays `a` against `b`, as `ruse match` does, and returns the score of `a`.

        The default number of pairs suits the family; no pairs are played if the score can be computed. Results depend on the
        seed, not on the number of threads. With `seed=None`, a seed is drawn; the result contains it.
        """
        first, second = self.strategy(a), self.strategy(b)
        seed = drawn(seed)
        text, pairs_scores = self._core.play(
            first._core, second._core, count_or_none("pairs", pairs), seed, threads_of(threads)
        )
        told = json.loads(text)
        counts = {key: told[key] for key in ("wins", "draws", "losses")}
        score = estimate_of(told)
        return Match(**vars(score), **counts, a=first, b=second, seed=seed, pairs_scores=pairs_scores)

    def evaluate(
        self,
        thetas: ArrayLike,
        against: Who = "baseline",
        *,
        pairs: Count = 500,
        seed: SeedLike = 1,
        threads: SupportsIndex | None = None,
    ) -> NDArray[np.float64]:
        """Returns the scores of many strategies against the same opponent, on the same deals: `[n]`.

        `thetas` is `[n, dimension]`. Each score equals the score of `match` with the same pairs and seed, and is exact if the
        family can compute it. Optimisers maximise these scores.
        """
        rows = numbers_of("thetas", thetas)
        dimension = self.space.dimension
        if rows.ndim != 2 or rows.shape[1] != dimension:
            raise RuseError(f"thetas is of shape {rows.shape}, and must be of shape (n, {dimension})")
        against = self.strategy(against)
        return self._core.evaluate(rows, against._core, count_of("pairs", pairs), seed_of(seed), threads_of(threads))

    def pair(self, a: Who, b: Who | None, seed: Seed) -> float:
        """Plays the pair of games for a question of a `Searcher`, and returns the score of `a`. `b=None` means the baseline."""
        if not hasattr(seed, "_pair"):
            raise RuseError(f"seed is {seed!r}, and must be the seed of a question; family.match takes any seed")
        first, second = self.strategy(a), self.strategy("baseline" if b is None else b)
        return self._core.pair(first._core, second._core, seed._pair)

    def race(
        self,
        a: Who,
        b: Who = "baseline",
        *,
        comparison: str = "betting",
        delta: float = 0.05,
        precision: float = 0.01,
        accept: str | None = None,
        max_games: Count | None = None,
        seed: SeedLike | None = 1,
        threads: SupportsIndex | None = None,
    ) -> Verdict:
        """Races `a` against `b` until a winner is decided, with error probability `delta`."""
        seed = drawn(seed)
        text = self._core.race(
            self.strategy(a)._core,
            self.strategy(b)._core,
            comparison,
            number_of("delta", delta),
            number_of("precision", precision),
            accept,
            count_or_none("max_games", max_games),
            seed,
            threads_of(threads),
        )
        return verdict_of(text, seed)

    def league(
        self,
        members: Sequence[Who],
        *,
        pairs: Count | None = None,
        seed: SeedLike | None = 1,
        threads: SupportsIndex | None = None,
    ) -> Cross:
        """Plays all members against each other, like `match` with the same seed. The result's `nash()` computes a mixture."""
        players = [self.strategy(member) for member in members]
        if not 2 <= len(players) <= _MOST_MEMBERS:
            raise RuseError(f"a league has 2 to {_MOST_MEMBERS} members, and not {len(players)}")
        seed = drawn(seed)
        cores = [player._core for player in players]
        core = self._core.league(cores, count_or_none("pairs", pairs), seed, threads_of(threads))
        scores, lows, highs, played = core.scores()
        return Cross(self, players, seed, scores, lows, highs, played.astype(np.int64), core)

    def exploit(
        self,
        who: Who,
        *,
        budget: Count | None = None,
        restarts: SupportsIndex = 4,
        seed: SeedLike | None = 1,
        threads: SupportsIndex | None = None,
    ) -> Response:
        """Returns a best response to a strategy. Its score is exact if it can be computed, and otherwise a lower bound."""
        strategy, seed = self.strategy(who), drawn(seed)
        told = json.loads(
            self._core.exploit(
                strategy._core,
                count_or_none("budget", budget),
                whole("restarts", restarts, 1, 1000),
                seed,
                threads_of(threads),
            )
        )
        responder = told["responder"]
        kind, name = responder["kind"], responder.get("family", self.name)
        # Families of a game that the response belongs to have the same rules.
        home = self if name == self.name else Family(name, self._changes)
        theta = responder.get("parameters")
        # The strategy itself scores one half.
        score = 0.5 if kind == "itself" else told["best_response_score"]
        return Response(
            score=score,
            interval=tuple(told["interval"] or (score, score)),
            confidence=told["confidence"],
            pairs=told["pairs"],
            exact=kind == "exact",
            strategy=strategy,
            responder=f"member {responder['member']}" if kind == "member" else responder.get("name", kind),
            response=None if theta is None else home.strategy(theta),
            words=responder.get("words"),
            games=told.get("games", 0),
            seed=seed,
            **{key: told[key] for key in ("low", "high", "low_basis", "high_basis")},
        )

    def optimise(
        self,
        method: Method = "es",
        *,
        budget: Count | None = None,
        iterations: Count | None = None,
        time: str | None = None,
        start: Who | None = None,
        baseline: Who | None = None,
        seed: SeedLike | None = 1,
        out: PathLike | None = None,
        callback: Callable[[Progress], object] | None = None,
        progress: bool = False,
        threads: SupportsIndex | None = None,
        **keys: Any,
    ) -> Run:
        """Tunes the parameters, as `ruse optimise` does. The method may also be a search function; see `ruse.compare`.

        `keys` are further keys of an experiment file, with underscores instead of hyphens: `comparison`, `delta`,
        `precision`, `accept`, `evaluation_pairs`, and the options of the method. `callback` receives the progress several
        times a second, on the calling thread, and stops the run by returning True. With `out`, the results are kept in this
        new directory, which the command line reads; otherwise only the returned object has them. Ctrl-C stops the run, and
        the results so far are returned: their `stop_reason` is then "interrupted".

        Without `budget`, `iterations` and `time`, the run ends after `default_budget` games.
        """
        from ._experiments import method_of_run, optimise

        said = {
            "family": self.name,
            "rules": self._changes or None,
            "method": method_of_run(method),
            "budget": budget if isinstance(budget, str) else count_or_none("budget", budget),
            "iterations": iterations if isinstance(iterations, str) else count_or_none("iterations", iterations),
            "time": time,
            "start": None if start is None else self._said(start),
            "baseline": None if baseline is None else self._said(baseline),
            "seed": drawn(seed),
            **{key.replace("_", "-"): value for key, value in keys.items()},
        }
        return optimise(said, out, callback, progress, threads_of(threads))

    optimize = optimise

    def _said(self, who: Who) -> object:
        """Returns a player in the form of an experiment file."""
        if isinstance(who, str):
            # The text may be a word that is not a player, such as `redrawn` or `gaussian`.
            return who
        strategy = self.strategy(who)
        if strategy._functions:
            raise RuseError(f"{strategy.name} cannot be part of a run, which is written to files: it is a function")
        entry = strategy._entry
        if "mixture" in entry:
            return {"mixture": entry["mixture"]}
        return entry.get("parameters", entry.get("strategy"))

    def _player(self, entry: Mapping[str, Any]) -> _ruse.Player:
        """Returns the player of an entry."""
        match entry:
            case {"parameters": theta}:
                return self._core.parametric(theta)
            case {"strategy": name}:
                return self._core.named(name)
            case {"function": function}:
                return self._core.function(function)
            case {"mixture": members}:
                return self._core.mixture([(of["weight"], self._player(of)) for of in members])
            case _:
                raise RuseError(f"a strategy has parameters, a name or a mixture, and not {sorted(entry)}")

    def __reduce__(self) -> tuple[Callable[[str, Mapping[str, int | str]], Family], tuple[str, dict[str, int]]]:
        return Family, (self.name, self._changes)

    def __eq__(self, other: object) -> bool:
        return self._told == other._told if isinstance(other, Family) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.rules.items())))

    def __repr__(self) -> str:
        return f"family({self.name!r}, rules={self._changes})" if self._changes else f"family({self.name!r})"

    def __str__(self) -> str:
        references = "\n".join(f"  {name}: {meaning}" for name, meaning in self.references.items())
        rules = "\n".join(f"  {rule['name']} = {rule['value']}: {rule['meaning']}" for rule in self._told["rules"])
        parameters = "\n".join(
            f"  {name}: {meaning}" for name, meaning in list(self._told["parameters"])[:_SHOWN]
        )
        more = self.space.dimension - _SHOWN
        parameters += f"\n  ... and {more} more" if more > 0 else ""
        parts = [f"{self.name}: {self.summary}", f"Parameters\n{parameters}", f"Reference strategies\n{references}"]
        parts += [f"Rules\n{rules}"] if rules else []
        return "\n\n".join([*parts, f"Default budget: {self.default_budget:,} games."])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _rule(name: str, value: object) -> tuple[str, int | str]:
    """Returns a rule in the form that the Rust core accepts."""
    if isinstance(value, str):
        return name, value
    return name, whole(f"the rule {name}", value, 0, 2**64 - 1)  # type: ignore[arg-type]
