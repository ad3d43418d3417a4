"""PBKDF2, compared with hashlib's."""

from __future__ import annotations

import hashlib

import keylane
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, octets, short

hashes = st.sampled_from(HASHES)
iterations = st.integers(1, 20)
dklens = st.none() | st.integers(1, 200)


@given(hashes, short, short, iterations, dklens)
def test_one(name: str, password: bytes, salt: bytes, rounds: int, dklen: int | None) -> None:
    expected = hashlib.pbkdf2_hmac(name, password, salt, rounds, dklen)
    assert keylane.pbkdf2_hmac(name, password, salt, rounds, dklen) == expected
    length = len(expected)
    assert keylane.PBKDF2HMAC(name, length, salt, rounds).derive(password) == expected
    keylane.PBKDF2HMAC(name, length, salt, rounds).verify(password, expected)


@given(hashes, st.lists(st.tuples(short, short), max_size=20), iterations, dklens)
def test_many(name: str, jobs: list[tuple[bytes, bytes]], rounds: int, dklen: int | None) -> None:
    expected = [hashlib.pbkdf2_hmac(name, password, salt, rounds, dklen) for password, salt in jobs]
    passwords, salts = [password for password, _ in jobs], [salt for _, salt in jobs]
    assert keylane.pbkdf2_hmac_many(name, passwords, salts, rounds, dklen) == expected
    assert keylane.pbkdf2_hmac_many(name, iter(passwords), iter(salts), rounds, dklen) == expected


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("dklen", [20, 150])
def test_many_of_any_number(name: str, dklen: int) -> None:
    """The results are in order, however the passwords are assigned to lanes."""
    passwords, salts = [octets(i, i) for i in range(40)], [octets(i * 37 % 100, i) for i in range(40)]
    expected = [hashlib.pbkdf2_hmac(name, *job, 3, dklen) for job in zip(passwords, salts)]
    for count in range(40):
        derived = keylane.pbkdf2_hmac_many(name, passwords[:count], salts[:count], 3, dklen)
        assert derived == expected[:count]


@pytest.mark.parametrize("name", HASHES)
def test_keyword_arguments(name: str) -> None:
    derived = keylane.pbkdf2_hmac(hash_name=name, password=b"password", salt=b"salt", iterations=2, dklen=33)
    assert derived == hashlib.pbkdf2_hmac(
        hash_name=name, password=b"password", salt=b"salt", iterations=2, dklen=33
    )
    assert keylane.pbkdf2_hmac(name, b"password", b"salt", 2) == hashlib.pbkdf2_hmac(
        name, b"password", b"salt", 2
    )


@pytest.mark.parametrize("name", HASHES)
def test_enough_iterations_to_release_the_gil(name: str) -> None:
    expected = [hashlib.pbkdf2_hmac(name, octets(i), octets(i, 1), 3000, 70) for i in range(9)]
    assert [keylane.pbkdf2_hmac(name, octets(i), octets(i, 1), 3000, 70) for i in range(9)] == expected
    passwords, salts = [octets(i) for i in range(9)], [octets(i, 1) for i in range(9)]
    assert keylane.pbkdf2_hmac_many(name, passwords, salts, 3000, 70) == expected


def test_many_needs_a_salt_for_every_password() -> None:
    for passwords, salts in [([b"a"], []), ([], [b"s"]), ([b"a"], [b"s", b"t"]), ([b"a", b"b"], [b"s"])]:
        with pytest.raises(ValueError):
            keylane.pbkdf2_hmac_many("sha256", passwords, salts, 1)
    assert keylane.pbkdf2_hmac_many("sha256", [], [], 1) == []


def test_limits_of_the_class() -> None:
    for length, rounds, error in [
        (0, 1, ValueError),
        (-1, 1, ValueError),
        (32, 0, ValueError),
        (1 << 31, 1, OverflowError),
        (32, 1 << 32, OverflowError),
    ]:
        with pytest.raises(error):
            keylane.PBKDF2HMAC("sha256", length, b"salt", rounds)
