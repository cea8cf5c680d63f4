"""Games that a person, a program or a language model plays through text."""

from __future__ import annotations

import functools
import re
import tempfile
from pathlib import Path
from typing import Literal, SupportsIndex

from . import _ruse
from ._checks import SeedLike, drawn, whole
from ._family import Family, Who
from ._ruse import RuseError

#: The default number of columns of a page.
_WIDTH = 80


class TableSession:
    """A game against a strategy, with text as input and output. One seat is yours.

    >>> import ruse
    >>> table = ruse.table("nim", against="optimal", seed=1)
    >>> while not table.over:
    ...     table.act(table.choices()[0])
    >>> table.result in (0.0, 0.5, 1.0)
    True
    """

    def __init__(
        self,
        family: Family,
        against: Who | None = None,
        seat: Literal["first", "second"] = "first",
        seed: SeedLike | None = 1,
        game: SupportsIndex = 0,
    ) -> None:
        """Deals game number `game` of the seed. The same numbers give the same deal as in `ruse play`."""
        if seat not in ("first", "second"):
            raise RuseError(f'seat is {seat!r}, and must be "first" or "second"')
        opponent = family._told["board_opponent"] if against is None else against
        if opponent is None:
            raise RuseError(f"{family.name} has no table for persons")
        self._family = family
        self._opponent = family.strategy(opponent)
        self._seed, self._game = drawn(seed), whole("game", game, 0, 2**56 - 1)
        self._core = _ruse.Table(family._core, self._opponent._core, seat == "first", self._seed, self._game)
        self._log: list[str] = []
        self._go_on()

    def _go_on(self) -> None:
        """Lets the opponent play until it is your turn, or the game is over."""
        while not self.over and not self._core.is_asked():
            told = self._core.opponent_acts()
            if told is not None:
                self._log.append(told)

    @property
    def family(self) -> Family:
        """The family, with its rules."""
        return self._family

    @property
    def seed(self) -> int:
        """The seed of the deals, drawn if the given one was None."""
        return self._seed

    @property
    def game(self) -> int:
        """The number of the game."""
        return self._game

    @property
    def rules(self) -> str:
        """The rules, one paragraph per line."""
        return self._core.rules()

    @property
    def log(self) -> list[str]:
        """The messages so far."""
        return list(self._log)

    def view(self, width: SupportsIndex = _WIDTH) -> str:
        """Returns the table as you see it."""
        return self._core.view(whole("width", width, 1, 10_000))

    def choices(self) -> list[str]:
        """Returns actions to type: all legal actions if the game can list them, otherwise some of them, or none.

        `lists_all` states whether these are all, and `grammar` describes all actions.
        """
        return [typed for typed, _ in self._core.allowed()[0]]

    @property
    def lists_all(self) -> bool:
        """Whether the choices include all legal actions."""
        return self._core.allowed()[1]

    def grammar(self) -> str:
        """Returns a regular expression that every legal action matches as a whole; empty once the game is over.

        The expression consists of letters, sets, groups, alternatives and counts, as supported by constrained decoding of
        language models. It may also match illegal actions, for which `act` raises an error with the reason. In most games
        that list all actions it matches only legal ones.
        """
        return self._core.allowed()[2]

    @property
    def meanings(self) -> dict[str, str]:
        """The meanings of the choices that need an explanation."""
        return dict(self._core.allowed()[0])

    def prompt(self) -> str:
        """Returns the prompt for your next action."""
        return self._core.prompt()

    def act(self, text: str) -> None:
        """Plays an action, as typed in `ruse play`, and the opponent's reply; `random` plays any legal action."""
        if not isinstance(text, str):
            raise RuseError(f"an action is a text, and not {text!r}")
        told = self._core.act(text)
        if told is not None:
            self._log.append(told)
        self._go_on()

    def hint(self) -> str | None:
        """Returns the action that the opponent would play in your place, or None if this is unknown."""
        return self._core.hint()

    def take_back(self) -> None:
        """Takes your last action back. Raises an error if this would reveal hidden information."""
        if not self._core.may_take_back():
            raise RuseError("nothing is taken back in this game: you would have learned something from it")
        if not self._core.take_back():
            raise RuseError("there is nothing to take back")

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._core.result() is not None

    @property
    def result(self) -> float | None:
        """Your score: 1 for a won game, 0 for a lost one; None before the end."""
        return self._core.result()

    def everything(self, width: SupportsIndex = _WIDTH) -> str:
        """Returns the table with everything revealed, once the game is over."""
        return self._core.everything(whole("width", width, 1, 10_000))

    @property
    def actions(self) -> list[tuple[str, str]]:
        """All actions of a finished game: the seat, and the typed text."""
        return [("first" if is_first else "second", typed) for is_first, typed in self._core.actions()]

    def __repr__(self) -> str:
        state = f"over, {self.result:g}" if self.over else "your turn"
        return f"<table of {self._family.name} against {self._opponent.name}: {state}>"

    def __str__(self) -> str:
        return self.view()


def table(
    family: str | Family,
    against: Who | None = None,
    *,
    seat: Literal["first", "second"] = "first",
    seed: SeedLike | None = 1,
    game: SupportsIndex = 0,
) -> TableSession:
    """Returns a game against a strategy, with the deal of `ruse play`. The default opponent suits a person."""
    return TableSession(family if isinstance(family, Family) else Family(family), against, seat, seed, game)


@functools.cache
def _texts() -> tempfile.TemporaryDirectory[str]:
    """Returns the directory for rule files that are given as text. It exists until the program ends."""
    return tempfile.TemporaryDirectory(prefix="ruse-rules-")


def rule_file(text: str, name: str = "game") -> Family:
    """Returns the family of a game whose rules are this text, in GDL or GDL-II.

    The text is kept in a file until the program ends. For a file of your own, use `ruse.family("x.kif")`.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,80}", name):
        raise RuseError(f"{name!r} is not a name of a game: expected letters, digits, `-` and `_`")
    directory = tempfile.mkdtemp(dir=_texts().name)
    path = Path(directory, f"{name}.kif")
    path.write_text(text, encoding="utf-8")
    return Family(str(path))
