"""Hashes. test_running.py tests running ones."""

from __future__ import annotations

import hashlib
from functools import partial

import keylane
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, messages, octets

# OpenSSL's names, which hashlib accepts.
SPELLINGS = {
    "SHA1": "sha1",
    "sha-1": "sha1",
    "SHA224": "sha224",
    "Sha256": "sha256",
    "SHA-256": "sha256",
    "SHA2-384": "sha384",
    "sha-512": "sha512",
    "SHA512-256": "sha512_256",
    "SHA-512/256": "sha512_256",
}


@pytest.mark.parametrize("spelling, name", SPELLINGS.items())
def test_spellings(spelling: str, name: str) -> None:
    assert keylane.new(spelling, b"text").digest() == hashlib.new(spelling, b"text").digest()
    assert keylane.new(spelling).name == hashlib.new(spelling).name == name


@pytest.mark.parametrize("name", HASHES)
def test_a_hash_describes_itself_as_hashlibs_do(name: str) -> None:
    ours, theirs = keylane.new(name), hashlib.new(name)
    for attribute in ("name", "digest_size", "block_size"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)


@pytest.mark.parametrize("name", HASHES)
def test_constructors_take_what_those_of_hashlib_take(name: str) -> None:
    new = getattr(keylane, name)
    expected = hashlib.new(name, b"text").digest()
    assert new(b"text").digest() == expected
    assert new(b"text", usedforsecurity=False).digest() == expected
    # Its name in hashlib until Python 3.13, and since.
    assert new(string=b"text").digest() == new(data=b"text").digest() == expected
    assert keylane.new(name, string=b"text").digest() == expected
    assert new(b"", string=None).digest() == new().digest()
    for both in (new, partial(keylane.new, name)):
        with pytest.raises(TypeError, match="data and string"):
            both(b"te", string=b"xt")
    assert keylane.new(name, b"text", usedforsecurity=False).digest() == expected
    assert keylane.new(name).digest() == new().digest() == hashlib.new(name).digest()
    with pytest.raises(TypeError):
        new(b"text", False)
    with pytest.raises(TypeError):
        new(b"text", usedforlove=True)


@given(st.sampled_from(HASHES), messages, st.lists(messages, max_size=40))
def test_digest_many_after_a_prefix(name: str, prefix: bytes, suffixes: list[bytes]) -> None:
    running = keylane.new(name, prefix)
    expected = [hashlib.new(name, prefix + suffix).digest() for suffix in suffixes]
    assert running.digest_many(suffixes) == running.digest_many(iter(suffixes)) == expected
    assert running.digest() == hashlib.new(name, prefix).digest()


@pytest.mark.parametrize("name", HASHES)
def test_digest_many_of_any_number_and_from_any_iterable(name: str) -> None:
    texts = [octets(length) for length in range(70)]
    expected = [hashlib.new(name, text).digest() for text in texts]
    for count in range(70):
        assert keylane.digest_many(name, texts[:count]) == expected[:count]
    assert keylane.digest_many(name, tuple(texts)) == expected
    assert keylane.digest_many(name, (bytearray(text) for text in texts)) == expected
    assert keylane.digest_many(name, dict.fromkeys(texts)) == expected
