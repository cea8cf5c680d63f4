"""Tunes strategies for games with hidden information and chance, with error bounds on all scores.

>>> import ruse
>>> war = ruse.family("war")
>>> best = war.strategy([0, -9, 9])
>>> war.match(best, "random", pairs=2000).score > 0.6
True

With the same seed, the command `ruse` gives the same numbers. The package and the command read
each other's directories.
"""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, SupportsIndex

from . import _ruse
from ._checks import Count, PathLike, SeedLike
from ._cli import command
from ._experiments import Comparison, Curve, Experiment, Figure, Plan, Progress, Run, compare, plan, resume, run
from ._experiments import open as open
from ._family import Family, Space, Strategy, Who
from ._game import Game, game
from ._live import LiveCurve
from ._play import TableSession, rule_file, table
from ._policy import Policy
from ._race import Race, assert_better, nash, power, race, race_scores, rank
from ._results import Cross, Estimate, Match, Nash, Response, Verdict
from ._ruse import RuseError, __version__, allow_programs
from ._search import Found, Question, Searcher, Seed, search
from ._table import Table

if TYPE_CHECKING:
    from . import adapters as adapters
    from . import external as external
    from . import gymnasium as gymnasium
    from . import nevergrad as nevergrad
    from . import optuna as optuna
    from . import pettingzoo as pettingzoo

#: The bridges to other packages.
_BRIDGES = ("adapters", "external", "gymnasium", "nevergrad", "optuna", "pettingzoo")

# Without `open`: `from ruse import *` would replace Python's own.
__all__ = [
    "Comparison",
    "Count",
    "Cross",
    "Curve",
    "Estimate",
    "Experiment",
    "Family",
    "Figure",
    "Found",
    "Game",
    "LiveCurve",
    "Match",
    "Nash",
    "PathLike",
    "Plan",
    "Policy",
    "Progress",
    "Question",
    "Race",
    "Response",
    "Run",
    "RuseError",
    "Searcher",
    "Seed",
    "Space",
    "Strategy",
    "Table",
    "TableSession",
    "Verdict",
    "Who",
    "__version__",
    "allow_programs",
    "assert_better",
    "command",
    "compare",
    "exploit",
    "families",
    "family",
    "game",
    "methods",
    "nash",
    "plan",
    "power",
    "race",
    "race_scores",
    "rank",
    "resume",
    "rule_file",
    "run",
    "search",
    "table",
]


def families() -> Table:
    """Returns a table of the families that need no file, with their name, game, dimension, budget and summary."""
    told = json.loads(_ruse.catalogue())["families"]
    return Table.from_rows(told, ["name", "game", "dimension", "budget", "summary"])


def methods() -> list[str]:
    """Returns the names of the methods."""
    return list(json.loads(_ruse.catalogue())["methods"])


def family(name: str, rules: Mapping[str, int | str] | None = None) -> Family:
    """Returns the family with this name, or the family of the rule file `FILE.kif`, with these rules changed."""
    return Family(name, rules)


def exploit(
    strategy: Strategy,
    *,
    budget: Count | None = None,
    restarts: SupportsIndex = 4,
    seed: SeedLike | None = 1,
    threads: SupportsIndex | None = None,
) -> Response:
    """Returns a best response to a strategy, as `ruse exploit` does. Its score is exact, or a lower bound."""
    return strategy.family.exploit(strategy, budget=budget, restarts=restarts, seed=seed, threads=threads)


def __getattr__(name: str) -> ModuleType:
    """Imports a bridge when it is first used."""
    if name in _BRIDGES:
        return importlib.import_module(f"{__name__}.{name}")
    alike = difflib.get_close_matches(name, __dir__(), n=1)
    hint = f"; did you mean {alike[0]!r}?" if alike else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_BRIDGES})
