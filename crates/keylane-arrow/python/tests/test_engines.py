"""Polars, DuckDB and pandas: the recipes of docs/columns.md, beside the standard library row by row."""

import os
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
    assert pl.Series(arrow.hmac(pl.Series(rows), key)).to_list() == [mac(row) for row in rows]
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


def test_pandas(ring: arrow.KeyRing) -> None:
    series = pd.Series(["a", None, "b"], dtype="str")
    macs = pa.chunked_array(arrow.hmac(series, ring["customers"])).to_pylist()
    assert macs == [mac("a"), None, mac("b")]
