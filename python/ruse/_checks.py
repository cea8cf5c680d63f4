"""What is checked before Rust sees it, so that errors say what was wrong and what is expected."""

from __future__ import annotations

import operator
import os
import secrets
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._ruse import RuseError
from ._ruse import count as _count

#: A number of games, pairs or iterations: 20_000, 2e4, or "20k" as on the command line.
Count: TypeAlias = SupportsIndex | float | str

PathLike: TypeAlias = str | os.PathLike[str]

_MOST_THREADS = 1024


def whole(key: str, number: SupportsIndex, least: int, most: int) -> int:
    """A whole number within these bounds."""
    try:
        found = operator.index(number)
    except TypeError:
        raise RuseError(f"{key} is {number!r}, and must be a whole number from {least} to {most}") from None
    if not least <= found <= most:
        raise RuseError(f"{key} is {found}, and must be a whole number from {least} to {most}")
    return found


def seed_of(seed: SupportsIndex) -> int:
    """A seed."""
    return whole("seed", seed, 0, 2**64 - 1)


def drawn(seed: SupportsIndex | None) -> int:
    """A seed; None draws one, which is told among the results."""
    return secrets.randbits(32) if seed is None else seed_of(seed)


def threads_of(threads: SupportsIndex | None) -> int | None:
    """A number of threads, or all processors."""
    return None if threads is None else whole("threads", threads, 1, _MOST_THREADS)


def count_of(key: str, number: Count) -> int:
    """A number of games, pairs or iterations, as it may be typed."""
    if isinstance(number, str):
        return _count(key, number)
    number = whole_float(number)
    try:
        return _count(key, str(operator.index(number)))  # type: ignore[arg-type]
    except TypeError:
        raise RuseError(f'{key} is {number!r}, and must be a whole number, or a text such as "20k"') from None


def whole_float(number: Any) -> Any:
    """The whole number that is written with a point or an exponent, such as 1e4; anything else as it is."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def missing(error: ModuleNotFoundError, what: str, package: str) -> ModuleNotFoundError:
    """The error of a package that is not installed, with the command that installs it."""
    return ModuleNotFoundError(f"{what} takes {error.name}: pip install '{package}'", name=error.name)


def count_or_none(key: str, number: Count | None) -> int | None:
    """The same, or nothing."""
    return None if number is None else count_of(key, number)


def number_of(key: str, number: object) -> float:
    """A number that may have a fraction."""
    if isinstance(number, (str, bytes)):
        raise RuseError(f"{key} is {number!r}, and must be a number")
    try:
        return float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise RuseError(f"{key} is {number!r}, and must be a number") from None


def numbers_of(what: str, values: ArrayLike | Sequence[Any]) -> NDArray[np.float64]:
    """An array of numbers, of any shape."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise RuseError(f"{what} is no array of numbers: {error}") from None
    if array.dtype.kind not in "iuf" and array.size > 0:
        raise RuseError(f"{what} is an array of {array.dtype}, and must be one of numbers, such as float64")
    return np.ascontiguousarray(array, dtype=np.float64)
