"""What the tests share: keys, a Parquet folder of a million rows, and the search for keys that leaked."""

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data import KEY, strings, token

from keylane import arrow

# Of the tests on clusters.
ROWS = 1_000_000
# Key files that others can read get a warning.
os.umask(0o077)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


@pytest.fixture(scope="session")
def people(folder: Path) -> Path:
    """A folder of eight files with the columns `id` and `email`."""
    path, emails = folder / "people", strings(ROWS)
    path.mkdir()
    for i in range(8):
        part = slice(i * ROWS // 8, (i + 1) * ROWS // 8)
        table = pa.table({"id": range(part.start, part.stop), "email": emails[part]})
        # Spark's Snappy does not load where musl is installed beside glibc.
        pq.write_table(table, path / f"part-{i}.parquet", compression="zstd")
    return path


@pytest.fixture(scope="session")
def want() -> dict[int, str | None]:
    """The token of each row by its id."""
    return {i: token(row) for i, row in enumerate(strings(ROWS))}


@pytest.fixture(scope="session")
def key_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the key."""
    path = tmp_path_factory.mktemp("keys") / "customers.key"
    path.write_bytes(KEY)
    return path


@pytest.fixture(scope="session")
def leaks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[Path]]:
    """Returns a function that finds the files under a folder that hold the key in some notation."""
    secrets = [KEY, KEY.hex().encode(), base64.b64encode(KEY)[:-2], repr(list(KEY))[1:-1].encode()]

    def search(folder: Path) -> list[Path]:
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert files, folder
        return [file for file in files if any(secret in file.read_bytes() for secret in secrets)]

    # It must find what is there.
    planted = tmp_path_factory.mktemp("planted")
    for i, secret in enumerate(secrets):
        (planted / str(i)).write_bytes(b"..." + secret + b"...")
    assert len(search(planted)) == len(secrets)
    return search


@pytest.fixture
def ring(key_path: Path) -> arrow.KeyRing:
    """A ring with the key `customers`."""
    return arrow.KeyRing({"customers": key_path})
