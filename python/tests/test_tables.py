"""Tables, and what others read of them."""

from __future__ import annotations

import gc

import numpy as np
import pandas
import pyarrow
import pyarrow.interchange

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
    # A column lives longer than its table, and than what was never read.
    column = TABLE.to_arrow().column("name")
    unread = TABLE.__arrow_c_stream__()
    del table, unread
    gc.collect()
    assert column.to_pylist() == ["a", "bc", "", "ü"]
    many = ruse.Table({"x": np.where(np.arange(1001) % 3 == 0, np.nan, np.arange(1001.0))})
    assert many.to_arrow().column("x").null_count == 334


def test_the_interchange_protocol() -> None:
    table = pyarrow.interchange.from_dataframe(TABLE)
    assert table.column("name").to_pylist() == ["a", "bc", "", "ü"]
    assert table.column("count").to_pylist() == [1, 2, 3, 2**60]
    assert table.column("score").to_pylist() == [0.5, None, 0.25, 1.0]
    assert pandas.api.interchange.from_dataframe(TABLE)["count"].tolist() == [1, 2, 3, 2**60]


def test_what_is_shown() -> None:
    assert repr(ruse.Table({"n": [1, 22], "s": ["x", "yy"]})) == " n  s\n 1  x\n22  yy"
    long = ruse.Table({"n": np.arange(100)})
    assert repr(long).endswith("... and 80 more rows")
    assert "<script>" not in ruse.Table({"s": ["<script>"]})._repr_html_()
