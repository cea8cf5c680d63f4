"""Checks of arguments before they reach the Rust core, so that errors state what is wrong and what is expected."""

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

#: A whole number below 2^64, or a generator of numpy, which draws one.
SeedLike: TypeAlias = SupportsIndex | np.random.Generator

PathLike: TypeAlias = str | os.PathLike[str]

_MOST_THREADS = 1024


def whole(key: str, number: SupportsIndex, least: int, most: int) -> int:
    """Returns a whole number, which must be within these bounds."""
    try:
        found = operator.index(number)
    except TypeError:
        raise RuseError(f"{key} is {number!r}, and must be a whole number from {least} to {most}") from None
    if not least <= found <= most:
        raise RuseError(f"{key} is {found}, and must be a whole number from {least} to {most}")
    return found


def seed_of(seed: SeedLike) -> int:
    """Returns a seed, which must be a whole number below 2^64, or a generator of numpy, which draws one."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    return whole("seed", seed, 0, 2**64 - 1)


def drawn(seed: SeedLike | None) -> int:
    """Returns a seed, which is drawn if the argument is None."""
    return secrets.randbits(32) if seed is None else seed_of(seed)


def threads_of(threads: SupportsIndex | None) -> int | None:
    """Returns a number of threads, or None for all processors."""
    return None if threads is None else whole("threads", threads, 1, _MOST_THREADS)


def count_of(key: str, number: Count) -> int:
    """Returns a number of games, pairs or iterations, which may be a text such as "20k"."""
    if isinstance(number, str):
        return _count(key, number)
    number = whole_float(number)
    try:
        return _count(key, str(operator.index(number)))  # type: ignore[arg-type]
    except TypeError:
        raise RuseError(f'{key} is {number!r}, and must be a whole number, or a text such as "20k"') from None


def whole_float(number: Any) -> Any:
    """Converts a float with a whole value, such as 1e4, to an int. Returns any other value unchanged."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def missing(error: ModuleNotFoundError, what: str, package: str) -> ModuleNotFoundError:
    """Returns the error for a missing package, with the command that installs it."""
    return ModuleNotFoundError(f"{what} takes {error.name}: pip install '{package}'", name=error.name)


def count_or_none(key: str, number: Count | None) -> int | None:
    """Returns the number that `count_of` returns, or None for None."""
    return None if number is None else count_of(key, number)


def number_of(key: str, number: object) -> float:
    """Returns a number as a float."""
    if isinstance(number, (str, bytes)):
        raise RuseError(f"{key} is {number!r}, and must be a number")
    try:
        return float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise RuseError(f"{key} is {number!r}, and must be a number") from None


def numbers_of(what: str, values: ArrayLike | Sequence[Any]) -> NDArray[np.float64]:
    """Converts values to an array of numbers. The array may have any shape."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise RuseError(f"{what} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "iuf" and array.size > 0:
        raise RuseError(f"{what} is an array of {array.dtype}, and must be one of numbers, such as float64")
    return np.ascontiguousarray(array, dtype=np.float64)
