"""The subjects of the tests: every hash, every cipher, and bytes for them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import keylane
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms
from hypothesis import strategies as st
from keylane._keylane import _Aead

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

HASHES = ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256"]

GIL_LIMIT = 2048
"""The maximum number of bytes for which a call keeps the GIL."""

# Bytes without a period, so that no two blocks are equal.
_OCTETS = b"".join(i.to_bytes(3, "big") for i in range(1 << 16))


def octets(length: int, seed: int = 0) -> bytes:
    """Returns bytes that depend only on the arguments."""
    start = seed * 7919 % 65536
    return _OCTETS[start : start + length]


lengths = st.one_of(
    st.integers(0, 300),
    st.integers(0, 3 * GIL_LIMIT),
    st.sampled_from([limit + off for limit in (GIL_LIMIT, 1 << 13, 2 << 13) for off in (-1, 0, 1)]),
)
"""Lengths of messages: around blocks, and on both sides of the GIL's limit and of update_into()'s pieces."""

messages = st.builds(octets, lengths, st.integers(0, 1000))
short = st.binary(max_size=200)


@dataclass(frozen=True)
class AeadKind:
    name: str
    new: Callable[[ReadableBuffer], _Aead]
    key_len: int
    nonce_len: int

    def cipher(self) -> _Aead:
        return self.new(octets(self.key_len))

    def nonce(self) -> bytes:
        return octets(self.nonce_len, 1)

    def with_random_nonces(self) -> keylane.RandomNonces | None:
        cipher = self.cipher()
        if isinstance(cipher, (keylane.AESGCMSIV, keylane.XAES256GCM, keylane.XChaCha20Poly1305)):
            return keylane.RandomNonces(cipher)
        return None


AEADS = [
    AeadKind("aes-128-gcm", keylane.AESGCM, 16, 12),
    AeadKind("aes-192-gcm", keylane.AESGCM, 24, 12),
    AeadKind("aes-256-gcm", keylane.AESGCM, 32, 12),
    AeadKind("aes-128-gcm-siv", keylane.AESGCMSIV, 16, 12),
    AeadKind("aes-256-gcm-siv", keylane.AESGCMSIV, 32, 12),
    AeadKind("xaes-256-gcm", keylane.XAES256GCM, 32, 24),
    AeadKind("chacha20-poly1305", keylane.ChaCha20Poly1305, 32, 12),
    AeadKind("xchacha20-poly1305", keylane.XChaCha20Poly1305, 32, 24),
]


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    """Words 0 to 3 and 12 to 15 of a block before the state is added (draft-irtf-cfrg-xchacha, 2.2)."""
    block = Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(bytes(64))
    state = b"expand 32-byte k" + key + nonce
    words = [(a - b) % 2**32 for a, b in zip(struct.unpack("<16I", block), struct.unpack("<16I", state))]
    return struct.pack("<8I", *words[:4], *words[12:])


def xaes(key: bytes, nonce: bytes) -> bytes:
    """The key of AES-256-GCM, by CMAC over the nonce's first half (c2sp.org/XAES-256-GCM)."""
    derived = b""
    for i in (1, 2):
        mac = cmac.CMAC(algorithms.AES256(key))
        mac.update(bytes([0, i]) + b"X\0" + nonce)
        derived += mac.finalize()
    return derived


def oracle(kind: AeadKind, key: bytes, nonce: bytes, data: bytes, aad: bytes | None) -> bytes:
    """Encrypts by cryptography."""
    if kind.name.endswith("siv"):
        return aead.AESGCMSIV(key).encrypt(nonce, data, aad)
    if kind.name == "xaes-256-gcm":
        key, nonce = xaes(key, nonce[:12]), nonce[12:]
    if kind.name.endswith("gcm"):
        return aead.AESGCM(key).encrypt(nonce, data, aad)
    if kind.name == "xchacha20-poly1305":
        key, nonce = hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]
    elif kind.name != "chacha20-poly1305":
        raise AssertionError(f"{kind.name} has nothing to compare with")
    return aead.ChaCha20Poly1305(key).encrypt(nonce, data, aad)


class Stream(Protocol):
    @property
    def position(self) -> int: ...
    def update(self, data: ReadableBuffer) -> bytes: ...
    def update_into(self, data: ReadableBuffer, buf: WriteableBuffer) -> int: ...
    def seek(self, position: int) -> None: ...


@dataclass(frozen=True)
class StreamKind:
    name: str
    new: Callable[[ReadableBuffer, ReadableBuffer], Stream]
    key_len: int
    nonce_len: int

    def stream(self, seed: int = 0) -> Stream:
        return self.new(octets(self.key_len, seed), octets(self.nonce_len, seed + 1))


STREAMS = [
    StreamKind("aes-128-ctr", keylane.AESCTR, 16, 16),
    StreamKind("aes-192-ctr", keylane.AESCTR, 24, 16),
    StreamKind("aes-256-ctr", keylane.AESCTR, 32, 16),
    StreamKind("chacha20", keylane.ChaCha20, 32, 12),
]
