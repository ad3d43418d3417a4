"""HKDF (RFC 5869), compared with cryptography's."""

from __future__ import annotations

import hashlib
import hmac

import keylane
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, short

ALGORITHMS: dict[str, type[hashes.HashAlgorithm]] = {
    "sha1": hashes.SHA1,
    "sha224": hashes.SHA224,
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
    "sha512_256": hashes.SHA512_256,
}

names = st.sampled_from(HASHES)
optional = st.none() | short


@given(names, short, optional, optional, st.integers(1, 1000))
def test_hkdf(name: str, key: bytes, salt: bytes | None, info: bytes | None, length: int) -> None:
    expected = HKDF(ALGORITHMS[name](), length, salt, info).derive(key)
    assert keylane.hkdf(name, key, salt, info, length) == expected
    assert keylane.hkdf(hash_name=name, key=key, salt=salt, info=info, length=length) == expected
    prk = keylane.hkdf_extract(name, key, salt)
    assert prk == hmac.digest(salt or b"", key, name)
    assert keylane.hkdf_expand(name, prk, info, length) == expected
    assert keylane.HKDF(name, length, salt, info).derive(key) == expected
    keylane.HKDF(name, length, salt, info).verify(key, expected)
    assert keylane.HKDFExpand(name, length, info).derive(prk) == expected
    keylane.HKDFExpand(name, length, info).verify(prk, expected)


@pytest.mark.parametrize("name", HASHES)
def test_limits(name: str) -> None:
    size = hashlib.new(name).digest_size
    longest = 255 * size
    expected = HKDF(ALGORITHMS[name](), longest, None, None).derive(b"key")
    assert keylane.hkdf(name, b"key", None, None, longest) == expected
    assert keylane.hkdf(name, b"key", b"salt", b"info", 0) == b""
    for length in (-1, -(2**130), longest + 1, 2**64, 2**130):
        with pytest.raises(ValueError):
            keylane.hkdf(name, b"key", None, None, length)
        with pytest.raises(ValueError):
            keylane.hkdf_expand(name, bytes(size), None, length)
        with pytest.raises(ValueError):
            keylane.HKDF(name, length, None, None)
        with pytest.raises(ValueError):
            keylane.HKDFExpand(name, length, None)
    with pytest.raises(ValueError):
        keylane.hkdf_expand(name, bytes(size - 1), None, 16)
    with pytest.raises(ValueError):
        keylane.HKDFExpand(name, 16, None).derive(bytes(size - 1))
