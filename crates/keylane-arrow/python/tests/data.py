"""Columns for the tests, and what the standard library makes of their rows."""

import hashlib
import hmac
import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

KEY = b"a key of thirty-two bytes or so."

_TEXTS = ["", "ada@example.org", "žluťoučký kůň", "馬", "\0", "ß" * 64, "x" * 5000]


def strings(rows: int, seed: int = 0) -> list[str | None]:
    """Returns rows with nulls, empty strings, Unicode and long values."""
    generator = random.Random(seed)

    def row(i: int) -> str | None:
        kind = generator.randrange(100)
        if kind == 0:
            return None
        if kind < 8:
            return _TEXTS[kind - 1] if kind < 7 or generator.randrange(50) == 0 else "short"
        return f"customer-{i}@" + "e" * generator.randrange(24) + ".org"

    return [row(i) for i in range(rows)]


def mac(text: str | None) -> bytes | None:
    """HMAC-SHA-256 of the standard library."""
    return None if text is None else hmac.digest(KEY, text.encode(), hashlib.sha256)


def token(text: str | None) -> str | None:
    """The first 16 bytes of :func:`mac` in hexadecimal."""
    tag = mac(text)
    return None if tag is None else tag[:16].hex()


def tokens_of(folder: Path) -> Iterator[tuple[int, str | None]]:
    """Reads the columns `id` and `customer` of a folder of Parquet files."""
    table = pq.read_table(folder)
    return zip(table["id"].to_pylist(), table["customer"].to_pylist(), strict=True)
