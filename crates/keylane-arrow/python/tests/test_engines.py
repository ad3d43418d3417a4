"""Polars, DuckDB and pandas: the recipes of docs/columns.md, beside the standard library row by row."""

import datetime
import os
import uuid
from functools import partial
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data import mac, strings, token

from keylane import arrow

# A million in the long run.
ROWS = int(os.environ.get("KEYLANE_ROWS", "50000"))


@pytest.fixture(scope="module")
def rows() -> list[str | None]:
    return strings(ROWS)


@pytest.fixture(scope="module")
def parquet(rows: list[str | None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "people.parquet"
    pl.DataFrame({"email": rows}).write_parquet(path, row_group_size=10_000)
    return path


def test_polars(ring: arrow.KeyRing, rows: list[str | None], parquet: Path) -> None:
    key = ring["customers"]

    def customer(email: pl.Series) -> pl.Series:
        return pl.Series(arrow.token(email, key))

    tokens = pl.col("email").map_batches(customer, return_dtype=pl.String, is_elementwise=True)
    lazy = pl.scan_parquet(parquet).select(tokens)
    want = [token(row) for row in rows]
    assert lazy.collect()["email"].to_list() == want
    assert lazy.collect(engine="streaming")["email"].to_list() == want
    macs = pl.Series(arrow.hmac(pl.Series("email", rows), key))
    assert (macs.name, macs.to_list()) == ("email", [mac(row) for row in rows])
    with pytest.raises((KeyError, pl.exceptions.PolarsError), match="no key named `custmers`"):
        pl.scan_parquet(parquet).select(
            pl.col("email").map_batches(
                lambda email: pl.Series(arrow.token(email, ring["custmers"])), return_dtype=pl.String
            )
        ).collect()


def test_duckdb(ring: arrow.KeyRing, rows: list[str | None], parquet: Path) -> None:
    key = ring["customers"]

    def customer(email: pa.ChunkedArray) -> pa.Array:
        return pa.chunked_array(arrow.token(email, key)).combine_chunks()

    connection = duckdb.connect()
    connection.create_function("customer", customer, ["VARCHAR"], "VARCHAR", type="arrow")  # type: ignore[call-overload]
    found = connection.sql(f"SELECT customer(email) FROM '{parquet}'").fetchall()
    assert [row for (row,) in found] == [token(row) for row in rows]


def test_objects_of_polars_are_refused(ring: arrow.KeyRing) -> None:
    """Polars passes their addresses."""
    key, same = ring["customers"], uuid.UUID(int=5)
    ids = pl.Series("id", [same, None, same], dtype=pl.Object)
    for column in (ids, ids.head(0), ids.to_frame()["id"]):
        for call in (
            arrow.digest,
            lambda column: arrow.hmac(column, key),
            lambda column: arrow.token(column, key),
            lambda column: arrow.seal(column, key, "id"),
            lambda column: arrow.seal(column, key, "id", deterministic=True),
            lambda column: arrow.open(column, key, "id"),
        ):
            with pytest.raises(TypeError, match="column `id` has the type Object of Polars"):
                call(column)
    with pytest.raises(TypeError, match="a column is expected"):
        arrow.digest(ids.to_frame())


def test_columns_of_polars_without_a_type_are_nulls(ring: arrow.KeyRing) -> None:
    key = ring["customers"]
    frame = pl.read_ndjson(b'{"id":1,"email":null}\n{"id":2,"email":null}\n')
    for column in (frame["email"], frame["email"].head(0), pl.concat([frame, frame], rechunk=False)["email"]):
        assert column.dtype == pl.Null
        nulls = [None] * len(column)
        assert pl.Series(arrow.token(column, key)).to_list() == nulls
        assert pl.Series(arrow.digest(column)).to_list() == nulls
        sealed = pl.Series(arrow.seal(column, key, "email"))
        assert sealed.to_list() == pl.Series(arrow.open(column, key, "email")).to_list() == nulls
    with pytest.raises(TypeError, match="a column is expected"):
        arrow.digest(frame)


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_a_type_that_only_polars_has(dtype: type[pl.DataType]) -> None:
    with pytest.raises(ValueError, match="_pl.128.* not supported"):
        arrow.digest(pl.Series([1], dtype=dtype))


def test_pandas(ring: arrow.KeyRing, rows: list[str | None]) -> None:
    key = ring["customers"]
    series = pd.Series(rows, index=range(ROWS, 0, -1), dtype="str")
    assert pa.chunked_array(arrow.token(series, key)).to_pylist() == [token(row) for row in rows]
    frame = pd.DataFrame({"email": ["b", "a", None, "c"]}, index=[7, 5, 3, 1])
    frame["tok"] = arrow.token(frame["email"], key)
    want = [token("b"), token("a"), None, token("c")]
    assert [None if row is pd.NA else row for row in frame["tok"]] == want
    # By the index: filtered and in another order.
    frame["part"] = arrow.token(frame["email"][frame["email"] > "a"].sort_values(ascending=False), key)
    assert [None if row is pd.NA else row for row in frame["part"]] == [want[0], None, None, want[3]]
    frame.loc[[5], "part"] = arrow.token(frame.loc[[5], "email"], key)
    assert frame["part"].equals(frame["tok"])
    # Nothing is lost: 64 bits beside nulls, bytes, dates.
    numbers = arrow.token(frame["email"], key, form="int64")
    assert numbers[5] == int(want[1][:16] if want[1] else "", 16) - (1 << 64)
    assert (numbers.name, str(numbers.dtype), list(numbers.index)) == ("email", "int64[pyarrow]", [7, 5, 3, 1])
    frame["sealed"] = arrow.seal(frame["email"], key, "email")
    assert arrow.open(frame["sealed"], key, "email").dropna().tolist() == ["b", "a", "c"]
    assert pa.chunked_array(arrow.hmac(frame["email"], key)).to_pylist() == [mac("b"), mac("a"), None, mac("c")]
    assert len(arrow.digest(frame["email"].head(0))) == 0


def test_pandas_does_not_repeat_a_column_in_every_row(ring: arrow.KeyRing) -> None:
    key = ring["customers"]
    frame = pd.DataFrame({"email": ["a", "b"]})
    array, chunks = pa.array(["a", "b"]), pa.chunked_array([["a", "b"]])
    for column in (arrow.token(array, key), arrow.token(chunks, key), arrow.seal(pl.Series(["a", "b"]), key, "a")):
        for assign in (
            lambda: frame.__setitem__("tok", column),
            lambda: frame.assign(tok=column),
            lambda: frame.insert(0, "tok", column),
            lambda: frame.loc.__setitem__((slice(None), "tok"), column),
            lambda: pd.Series(column),
            lambda: pd.DataFrame({"tok": column}),
            lambda: list(column),
        ):
            with pytest.raises(TypeError, match="has no items for Python: .* for pandas, pass a series"):
                assign()
        assert list(frame.columns) == ["email"]
        assert len(pl.Series(column)) == len(pl.DataFrame({"tok": column})) == 2


def test_objects_of_pandas(ring: arrow.KeyRing) -> None:
    key, day = ring["customers"], datetime.date(1985, 3, 2)
    of_objects = partial(pd.Series, dtype=object)
    macs = arrow.hmac(of_objects([day, None]), key)
    assert macs[0] == mac("1985-03-02") and macs[1] is pd.NA
    assert arrow.hmac(of_objects([day, pd.NaT]), key).equals(macs)
    for mixed in (["a", 1], [1, "a"], [1, True], [uuid.UUID(int=5), "a"], [2**70], [object()]):
        with pytest.raises((TypeError, ValueError, OverflowError)) as refused:
            arrow.hmac(of_objects(mixed), key)
        assert "neither" not in str(refused.value)
    with pytest.raises(TypeError, match="a column has dates with times"):
        arrow.seal(of_objects([day, datetime.datetime(1985, 3, 2, 12)]), key, "born")
    months = pd.Series(pd.period_range("2020-01", periods=2, freq="M"))
    with pytest.raises(TypeError, match="extension type pandas.period"):
        arrow.token(months, key)
