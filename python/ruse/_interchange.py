"""Tables by the interchange protocol of data frames: <https://data-apis.org/dataframe-protocol/latest/API.html>."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray


class DtypeKind(IntEnum):
    """What a column holds, by the numbers of the protocol."""

    INT = 0
    FLOAT = 2
    STRING = 21


class NullType(IntEnum):
    """How a value says that it is missing, by the numbers of the protocol."""

    NON_NULLABLE = 0
    USE_NAN = 1


class Buffer:
    """Memory of a column."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = np.ascontiguousarray(array)

    @property
    def bufsize(self) -> int:
        """The number of bytes."""
        return self._array.nbytes

    @property
    def ptr(self) -> int:
        """Where it begins."""
        return int(self._array.ctypes.data)

    def __dlpack__(self) -> Any:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, None]:
        cpu = 1
        return cpu, None


class Column:
    """A column."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array

    def size(self) -> int:
        """The number of values."""
        return len(self._array)

    @property
    def offset(self) -> int:
        """The place of the first value."""
        return 0

    @property
    def dtype(self) -> tuple[DtypeKind, int, str, str]:
        """What it holds: kind, bits, format of Arrow, order of bytes."""
        match self._array.dtype.kind:
            case "i":
                return DtypeKind.INT, 64, "l", "="
            case "f":
                return DtypeKind.FLOAT, 64, "g", "="
            case _:
                return DtypeKind.STRING, 8, "u", "="

    @property
    def describe_categorical(self) -> NoReturn:
        """Refused: no column has categories."""
        raise TypeError("the column has no categories")

    @property
    def describe_null(self) -> tuple[NullType, None]:
        """How a missing value looks."""
        is_float = self._array.dtype.kind == "f"
        return (NullType.USE_NAN if is_float else NullType.NON_NULLABLE), None

    @property
    def null_count(self) -> int:
        """How many values are missing."""
        return int(np.isnan(self._array).sum()) if self._array.dtype.kind == "f" else 0

    @property
    def metadata(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def num_chunks(self) -> int:
        """One."""
        return 1

    def get_chunks(self, n_chunks: int | None = None) -> Iterable[Column]:
        """The column in so many parts."""
        for part in np.array_split(self._array, n_chunks or 1):
            yield Column(part)

    def get_buffers(self) -> dict[str, Any]:
        """The memory of the values, and where texts begin."""
        if self._array.dtype.kind != "U":
            return {"data": (Buffer(self._array), self.dtype), "validity": None, "offsets": None}
        texts = [text.encode() for text in self._array.tolist()]
        data = np.frombuffer(b"".join(texts), dtype=np.uint8)
        offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        unsigned = 1
        return {
            "data": (Buffer(data), (unsigned, 8, "C", "=")),
            "validity": None,
            "offsets": (Buffer(offsets), (DtypeKind.INT, 64, "l", "=")),
        }


class DataFrame:
    """A table."""

    version = 0

    def __init__(self, columns: Mapping[str, NDArray[Any]], allow_copy: bool) -> None:
        if not allow_copy and any(column.dtype.kind == "U" for column in columns.values()):
            raise RuntimeError("texts cannot be handed over without a copy")
        self._columns = dict(columns)
        self._allow_copy = allow_copy

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> DataFrame:
        return DataFrame(self._columns, allow_copy)

    @property
    def metadata(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def num_columns(self) -> int:
        """The number of columns."""
        return len(self._columns)

    def num_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def num_chunks(self) -> int:
        """One."""
        return 1

    def column_names(self) -> Iterable[str]:
        """The names of the columns."""
        return list(self._columns)

    def get_column(self, i: int) -> Column:
        """The column of this index."""
        return Column(list(self._columns.values())[i])

    def get_column_by_name(self, name: str) -> Column:
        """The column of this name."""
        return Column(self._columns[name])

    def get_columns(self) -> Iterable[Column]:
        """All columns."""
        return [Column(column) for column in self._columns.values()]

    def select_columns(self, indices: Sequence[int]) -> DataFrame:
        """The columns of these indices."""
        names = list(self._columns)
        return self.select_columns_by_name([names[index] for index in indices])

    def select_columns_by_name(self, names: Sequence[str]) -> DataFrame:
        """The columns of these names."""
        return DataFrame({name: self._columns[name] for name in names}, self._allow_copy)

    def get_chunks(self, n_chunks: int | None = None) -> Iterable[DataFrame]:
        """The table in so many parts."""
        rows = np.array_split(np.arange(self.num_rows()), n_chunks or 1)
        for some in rows:
            yield DataFrame({name: column[some] for name, column in self._columns.items()}, self._allow_copy)
