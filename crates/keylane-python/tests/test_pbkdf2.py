"""PBKDF2, compared with hashlib's."""

from __future__ import annotations

import hashlib

import keylane
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, short

hashes = st.sampled_from(HASHES)
iterations = st.integers(1, 20)
dklens = st.none() | st.integers(1, 200)


@given(hashes, short, short, iterations, dklens)
def test_one(name: str, password: bytes, salt: bytes, rounds: int, dklen: int | None) -> None:
    expected = hashlib.pbkdf2_hmac(name, password, salt, rounds, dklen)
    assert keylane.pbkdf2_hmac(name, password, salt, rounds, dklen) == expected
    named = {"hash_name": name, "password": password, "salt": salt, "iterations": rounds, "dklen": dklen}
    assert keylane.pbkdf2_hmac(**named) == expected  # type: ignore[arg-type]
    length = len(expected)
    assert keylane.PBKDF2HMAC(name, length, salt, rounds).derive(password) == expected
    keylane.PBKDF2HMAC(name, length, salt, rounds).verify(password, expected)


@given(hashes, st.lists(st.tuples(short, short), max_size=20), iterations, dklens)
def test_many(name: str, jobs: list[tuple[bytes, bytes]], rounds: int, dklen: int | None) -> None:
    expected = [hashlib.pbkdf2_hmac(name, password, salt, rounds, dklen) for password, salt in jobs]
    passwords, salts = [password for password, _ in jobs], [salt for _, salt in jobs]
    assert keylane.pbkdf2_hmac_many(name, passwords, salts, rounds, dklen) == expected
    assert keylane.pbkdf2_hmac_many(name, iter(passwords), iter(salts), rounds, dklen) == expected
