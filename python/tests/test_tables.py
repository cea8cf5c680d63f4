"""Tests of tables, and of their conversion for other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import ruse

TABLE = ruse.Table(
    {"name": ["a", "bc", "", "ü"], "count": [1, 2, 3, 2**60], "score": [0.5, np.nan, 0.25, 1]},
)


def test_columns_have_types() -> None:
    assert TABLE.columns == ["name", "count", "score"] and TABLE.shape == (4, 3)
    assert [TABLE[name].dtype.kind for name in TABLE.columns] == ["U", "i", "f"]
    assert list(TABLE.rows())[0] == {"name": "a", "count": 1, "score": 0.5}
    assert "count" in TABLE and "x" not in TABLE and len(ruse.Table({})) == 0


def test_text_with_commas_and_back() -> None:
    assert TABLE.to_csv() == "name,count,score\na,1,0.5\nbc,2,\n,3,0.25\nü,1152921504606846976,1.0\n"
    assert ruse.Table.from_csv(TABLE.to_csv()) == TABLE
    formulas = ruse.Table({"=name": ["=1+1", "@x", "-a", "'=b", "'tis", "plain"], "score": [-0.5, 1, 2, 3, 4, 5]})
    assert formulas.to_csv().splitlines()[:3] == ["'=name,score", "'=1+1,-0.5", "'@x,1.0"]
    assert ruse.Table.from_csv(formulas.to_csv()) == formulas
    assert ruse.Table.from_csv("a,b\n") == ruse.Table({"a": np.array([], int), "b": np.array([], int)})


def test_pandas() -> None:
    frame = TABLE.to_pandas()
    assert frame["name"].tolist() == ["a", "bc", "", "ü"]
    assert frame["count"].dtype == np.int64 and frame["score"].isna().sum() == 1


def test_arrow() -> None:
    table = TABLE.to_arrow()
    assert table.schema.names == ["name", "count", "score"]
    assert table.column("name").to_pylist() == ["a", "bc", "", "ü"]
    assert table.column("count").to_pylist() == [1, 2, 3, 2**60]
    assert table.column("score").to_pylist() == [0.5, None, 0.25, 1.0]
    table.validate(full=True)
    empty = ruse.Table({"x": np.array([], float), "y": np.array([], str)}).to_arrow()
    assert empty.num_rows == 0 and empty.num_columns == 2
    assert pyarrow.table(TABLE).equals(table)
    many = ruse.Table({"x": np.where(np.arange(1001) % 3 == 0, np.nan, np.arange(1001.0))})
    assert many.to_arrow().column("x").null_count == 334


def test_frames_of_others_take_a_table_as_it_is(tmp_path: Path) -> None:
    frame = pandas.DataFrame(TABLE)
    assert list(frame.columns) == TABLE.columns and frame["count"].tolist() == [1, 2, 3, 2**60]
    assert frame.equals(pandas.DataFrame(dict(TABLE))) and frame["score"].isna().sum() == 1
    for table in (polars.DataFrame(TABLE), TABLE.to_polars(), TABLE.head(2).to_polars()):
        assert table.columns == TABLE.columns
        assert table["count"].to_list() == [1, 2, 3, 2**60][: len(table)]
        assert table["score"].to_list() == [0.5, None, 0.25, 1.0][: len(table)]
    TABLE.to_parquet(tmp_path / "table.parquet")
    assert polars.read_parquet(tmp_path / "table.parquet").equals(TABLE.to_polars())
    with pytest.raises(FileExistsError):
        TABLE.to_parquet(tmp_path / "table.parquet")


def test_rows_are_selected() -> None:
    assert [row["name"] for row in TABLE] == ["a", "bc", "", "ü"]
    assert TABLE[0] == {"name": "a", "count": 1, "score": 0.5} and TABLE[-1]["name"] == "ü"
    assert TABLE[np.int64(2)]["count"] == 3
    assert TABLE[1:3]["name"].tolist() == ["bc", ""] and TABLE[::-1]["name"].tolist() == ["ü", "", "bc", "a"]
    assert TABLE.head(2) == TABLE[:2] == TABLE[[0, 1]] and TABLE.head(99) == TABLE and TABLE.head().shape == (4, 3)
    assert TABLE[TABLE["count"] > 2]["name"].tolist() == ["", "ü"]
    assert TABLE[[True, False, False, True]]["name"].tolist() == ["a", "ü"]
    assert TABLE[np.array([3, 0])]["name"].tolist() == ["ü", "a"] and TABLE[[]].shape == (0, 3)
    nothing = TABLE[TABLE["count"] < 0]
    assert nothing.columns == TABLE.columns and list(nothing) == [] and nothing.to_arrow().num_rows == 0
    with pytest.raises(IndexError, match="no row 4; the table has 4 rows"):
        TABLE[4]
    cases: list[tuple[Any, str]] = [
        ([True], "1 truth values for 4 rows"),
        ([9], "no row"),
        ([0.5], "truth values or indices"),
        (0.5, "neither a column nor a row"),
        (None, "neither a column nor a row"),
    ]
    for key, message in cases:
        with pytest.raises(ruse.RuseError, match=message):
            TABLE[key]
    with pytest.raises(ruse.RuseError, match="n is -1"):
        TABLE.head(-1)


def test_what_is_shown() -> None:
    assert repr(ruse.Table({"n": [1, 22], "s": ["x", "yy"]})) == " n  s\n 1  x\n22  yy"
    long = ruse.Table({"n": np.arange(100)})
    assert repr(long).endswith("... and 80 more rows")
    assert "<script>" not in ruse.Table({"s": ["<script>"]})._repr_html_()
