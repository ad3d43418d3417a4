"""What the tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from data import KEY

from keylane import arrow


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A file with the key."""
    path = tmp_path / "customers.key"
    path.write_bytes(KEY)
    return path


@pytest.fixture
def ring(key_file: Path) -> Iterator[arrow.KeyRing]:
    """A ring with the key `customers`."""
    yield arrow.KeyRing({"customers": key_file})
