"""AES-CTR and ChaCha20, compared with cryptography's: the same key stream, in any pieces."""

from __future__ import annotations

import keylane
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st
from subjects import STREAMS, StreamKind, lengths, octets

kinds = st.sampled_from(STREAMS)


def oracle(kind: StreamKind, key: bytes, nonce: bytes, data: bytes) -> bytes:
    if kind.name == "chacha20":
        return Cipher(algorithms.ChaCha20(key, bytes(4) + nonce), None).encryptor().update(data)
    return Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor().update(data)


@given(kinds, st.lists(st.tuples(lengths, st.booleans()), max_size=12), st.data())
def test_pieces_of_any_length(kind: StreamKind, pieces: list[tuple[int, bool]], draw: st.DataObject) -> None:
    key = draw.draw(st.binary(min_size=kind.key_len, max_size=kind.key_len))
    nonce = draw.draw(st.binary(min_size=kind.nonce_len, max_size=kind.nonce_len))
    data = octets(sum(length for length, _ in pieces))
    stream = kind.new(key, nonce)
    encrypted = b""
    for length, into in pieces:
        piece = data[len(encrypted) : len(encrypted) + length]
        if into:
            out = bytearray(b"\xaa" * (length + 3))
            assert stream.update_into(piece, out) == length
            assert out[length:] == b"\xaa" * 3
            encrypted += out[:length]
        else:
            encrypted += stream.update(piece)
        assert stream.position == len(encrypted)
    assert encrypted == oracle(kind, key, nonce, data)


@given(kinds, st.lists(st.tuples(st.integers(0, 10_000), lengths), max_size=8))
def test_seek(kind: StreamKind, jumps: list[tuple[int, int]]) -> None:
    key_stream = oracle(kind, octets(kind.key_len), octets(kind.nonce_len, 1), bytes(30_000))
    stream = kind.stream()
    for position, length in jumps:
        stream.seek(position)
        assert stream.position == position
        assert stream.update(bytes(length)) == key_stream[position : position + length]
        assert stream.position == position + length


def test_seek_far() -> None:
    """Positions above 2**32 blocks, compared by means of the counter, since updates would take too long."""
    key, start = octets(16), 2**100 + 12345
    for position in (2**36 - 5, 2**40 + 7, 2**64 - 1):
        stream = keylane.AESCTR(key, start.to_bytes(16, "big"))
        stream.seek(position)
        block = (start + position // 16).to_bytes(16, "big")
        expected = Cipher(algorithms.AES(key), modes.CTR(block)).encryptor().update(bytes(200))
        assert stream.update(bytes(100)) == expected[position % 16 : position % 16 + 100]
        assert stream.position == position + 100


def test_chacha20_ends_after_2_38_bytes() -> None:
    key, nonce = octets(32), octets(12, 1)
    last = Cipher(algorithms.ChaCha20(key, b"\xff" * 4 + nonce), None).encryptor().update(bytes(64))
    stream = keylane.ChaCha20(key, nonce)
    # The last is longer than the pieces that update_into() encrypts.
    for left, length in [(64, 65), (1, 2), (0, 1), (64, 5000), (20_000, 20_001)]:
        stream.seek(2**38 - left)
        with pytest.raises(OverflowError):
            stream.update(bytes(length))
        out = bytearray(b"\xaa" * length)
        with pytest.raises(OverflowError):
            stream.update_into(bytes(length), out)
        assert out == b"\xaa" * length
        assert stream.position == 2**38 - left
    stream.seek(2**38 - 64)
    assert stream.update(bytes(64)) == last
    assert stream.update(b"") == b""
    assert stream.position == 2**38


@pytest.mark.parametrize("kind", STREAMS, ids=lambda kind: kind.name)
def test_positions_out_of_range(kind: StreamKind) -> None:
    stream = kind.stream()
    stream.update(bytes(77))
    for position in (-1, -(2**63) - 1, -(2**130)):
        with pytest.raises(ValueError):
            stream.seek(position)
    for position in ((2**38 if kind.name == "chacha20" else 2**64 - 1) + 1, 2**64, 2**64 + 77, 2**130):
        with pytest.raises(OverflowError):
            stream.seek(position)
    assert stream.position == 77


@pytest.mark.parametrize("kind", STREAMS, ids=lambda kind: kind.name)
def test_an_output_must_be_long_enough(kind: StreamKind) -> None:
    stream = kind.stream()
    for length in (0, 1, 39):
        out = bytearray(b"\xaa" * length)
        with pytest.raises(ValueError):
            stream.update_into(bytes(40), out)
        assert out == b"\xaa" * length and stream.position == 0
