"""Tables of results. Their columns are numpy arrays; pandas, polars and pyarrow can read them, but are not required."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _ruse
from ._checks import PathLike, missing, whole

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: A selection of rows: a slice, a truth value for each row, or indices.
Rows: TypeAlias = "slice | NDArray[np.bool_] | NDArray[np.integer[Any]] | Sequence[bool] | Sequence[int]"

#: A column of `int64`, `float64` or text; the type depends on the table.
_Column: TypeAlias = NDArray[Any]

#: The characters with which formulas of spreadsheets begin.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: The largest number of rows printed.
_SHOWN = 20


def _column(values: object) -> _Column:
    """Converts values to a column: whole numbers, numbers or texts."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise _ruse.RuseError(f"a column has one dimension, and not {array.ndim}")
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.str_)


def _guarded(cell: Any) -> Any:
    """Returns the cell as written to CSV. A text that a spreadsheet would execute gets an apostrophe in front."""
    if not isinstance(cell, str) or not cell.lstrip("'").startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _unguarded(cell: str) -> str:
    """Returns a cell of CSV without the apostrophe that `_guarded` adds."""
    is_guarded = cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA)
    return cell[1:] if is_guarded else cell


def _of_cells(cells: list[str]) -> _Column:
    """Converts cells of a file to a column: numbers if all non-empty cells are numbers, otherwise texts."""
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=np.str_)


class Table:
    """Rows and named columns, each an array of numpy: `int64`, `float64` or text. Missing numbers are NaN.

    Iteration yields the rows. A name selects a column, an index selects a row, and a slice or a condition selects some rows.

    >>> table = Table({"method": ["naive", "cma-es"], "score": [.5, .75]})
    >>> table["score"].max()
    np.float64(0.75)
    >>> [row["method"] for row in table]
    ['naive', 'cma-es']
    >>> table[table["score"] > .6][0]
    {'method': 'cma-es', 'score': 0.75}
    """

    def __init__(self, columns: Mapping[str, object]) -> None:
        self._columns = {str(name): _column(values) for name, values in columns.items()}
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise _ruse.RuseError(f"the columns of a table are equally long, and not {sorted(lengths)}")

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, object]], columns: Iterable[str]) -> Table:
        """Creates a table from rows, with these columns."""
        rows = list(rows)
        return cls({name: [row[name] for row in rows] for name in columns})

    @classmethod
    def from_csv(cls, text: str) -> Table:
        """Reads CSV. The first line contains the names of the columns."""
        lines = list(csv.reader(io.StringIO(text)))
        if not lines:
            return cls({})
        lines = [[_unguarded(cell) for cell in line] for line in lines]
        names, rows = lines[0], [line for line in lines[1:] if line]
        table = cls({})
        table._columns = {name: _of_cells([row[index] for row in rows]) for index, name in enumerate(names)}
        return table

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.rows()

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @overload
    def __getitem__(self, key: str) -> _Column: ...
    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: Rows) -> Table: ...
    def __getitem__(self, key: str | int | np.integer[Any] | Rows) -> _Column | dict[str, Any] | Table:
        """Returns a column by name, a row by index, or a table of some rows."""
        if isinstance(key, str):
            if key not in self._columns:
                known = ", ".join(self._columns)
                raise _ruse.RuseError(f"there is no column `{key}`; known are {known}")
            return self._columns[key]
        if isinstance(key, slice):
            return self._some(key)
        if isinstance(key, (np.ndarray, list, tuple)):
            rows = np.asarray(key)
            if rows.ndim != 1 or rows.size > 0 and rows.dtype.kind not in "biu":
                raise _ruse.RuseError(f"rows are selected by truth values or indices, and not by {key!r}")
            if rows.dtype.kind == "b" and len(rows) != len(self):
                raise _ruse.RuseError(f"there are {len(rows)} truth values for {len(self)} rows")
            if rows.dtype.kind in "iu" and not all(-len(self) <= row < len(self) for row in rows):
                raise _ruse.RuseError(f"there is no row {key!r}; the table has {len(self)} rows")
            return self._some(rows if rows.size > 0 else rows.astype(np.int64))
        if not isinstance(key, (int, np.integer)):
            raise _ruse.RuseError(f"{key!r} is neither a column nor a row")
        index = int(key)
        if not -len(self) <= index < len(self):
            # A loop over a sequence ends with this error.
            raise IndexError(f"there is no row {index}; the table has {len(self)} rows")
        return {name: column[index].item() for name, column in self._columns.items()}

    def _some(self, rows: Any) -> Table:
        """Returns a table of these rows."""
        table = Table({})
        table._columns = {name: column[rows] for name, column in self._columns.items()}
        return table

    def head(self, n: SupportsIndex = 5) -> Table:
        """Returns the first rows."""
        return self._some(slice(whole("n", n, 0, 2**62)))

    def keys(self) -> list[str]:
        """Returns the names of the columns, so that `dict(table)` works."""
        return self.columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or self.columns != other.columns:
            return NotImplemented if not isinstance(other, Table) else False
        return all(
            np.array_equal(column, other[name], equal_nan=column.dtype.kind == "f" and other[name].dtype.kind == "f")
            for name, column in self._columns.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields the rows as dictionaries with plain numbers and texts."""
        columns = [column.tolist() for column in self._columns.values()]
        for row in zip(*columns, strict=True):
            yield dict(zip(self._columns, row, strict=True))

    def to_dict(self) -> dict[str, _Column]:
        """Returns the columns by name."""
        return dict(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Converts the table to pandas, which must be installed."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise missing(error, "to_pandas", "pandas") from None

        columns = {
            name: column.astype(object) if column.dtype.kind == "U" else column for name, column in self._columns.items()
        }
        return pandas.DataFrame(columns)

    def to_arrow(self) -> pyarrow.Table:
        """Converts the table to Arrow; pyarrow must be installed."""
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise missing(error, "to_arrow", "pyarrow") from None

        return pyarrow.table({name: pyarrow.array(column, from_pandas=True) for name, column in self._columns.items()})

    def to_polars(self) -> polars.DataFrame:
        """Converts the table to polars, which must be installed."""
        try:
            import polars
        except ModuleNotFoundError as error:
            raise missing(error, "to_polars", "polars") from None

        return polars.DataFrame(self._columns, nan_to_null=True)

    def to_parquet(self, path: PathLike) -> None:
        """Writes a new Parquet file; pyarrow must be installed."""
        try:
            from pyarrow import parquet
        except ModuleNotFoundError as error:
            raise missing(error, "to_parquet", "pyarrow") from None

        with open(path, "xb") as file:
            parquet.write_table(self.to_arrow(), file)

    def to_csv(self) -> str:
        """Returns the table as CSV; missing numbers are empty cells."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(_guarded, self._columns))
        for row in self.rows():
            writer.writerow("" if cell != cell else _guarded(cell) for cell in row.values())
        return out.getvalue()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Exports the table as a stream of Arrow, which DuckDB and others read; pyarrow must be installed."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _cells(self) -> tuple[list[list[str]], int]:
        """Returns the cells of the first rows as text, and the number of rows left out."""

        def text(cell: object) -> str:
            if isinstance(cell, float):
                return "" if cell != cell else f"{cell:.6g}"
            return str(cell)

        rows = [[text(cell) for cell in row.values()] for _, row in zip(range(_SHOWN), self.rows(), strict=False)]
        return rows, len(self) - len(rows)

    def __repr__(self) -> str:
        rows, more = self._cells()
        lines = [self.columns, *rows]
        widths = [max(len(line[index]) for line in lines) for index in range(len(self._columns))]
        is_text = [column.dtype.kind == "U" for column in self._columns.values()]

        def aligned(line: list[str]) -> str:
            cells = (
                cell.ljust(width) if left else cell.rjust(width)
                for cell, width, left in zip(line, widths, is_text, strict=True)
            )
            return "  ".join(cells).rstrip()

        shown = "\n".join(aligned(line) for line in lines)
        return f"{shown}\n... and {more} more rows" if more else shown

    def _repr_html_(self) -> str:
        rows, more = self._cells()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        tail = f"<p>... and {more} more rows</p>" if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{tail}"
