"""Poly1305, compared with cryptography's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import keylane
import pytest
from cryptography.hazmat.primitives.poly1305 import Poly1305
from hypothesis import given
from hypothesis import strategies as st
from subjects import messages, octets

keys = st.binary(min_size=32, max_size=32)


@given(keys, st.lists(messages, max_size=8))
def test_pieces_of_any_length(key: bytes, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    tag = Poly1305.generate_tag(key, data)
    assert keylane.Poly1305.generate_tag(key, data) == tag
    keylane.Poly1305.verify_tag(key, data, tag)
    for end in ("finalize", "verify"):
        running = keylane.Poly1305(key)
        for piece in pieces:
            running.update(piece)
        if end == "finalize":
            assert running.finalize() == tag
        else:
            running.verify(tag)


@given(keys, messages, st.data())
def test_accepts_only_the_right_tag(key: bytes, data: bytes, draw: st.DataObject) -> None:
    tag = Poly1305.generate_tag(key, data)
    wrong = bytearray(tag)
    wrong[draw.draw(st.integers(0, 15))] ^= 1 << draw.draw(st.integers(0, 7))
    for bad in (bytes(wrong), tag[:-1], tag[:10], b"", tag + b"\0"):
        with pytest.raises(keylane.InvalidTag):
            keylane.Poly1305.verify_tag(key, data, bad)
        running = keylane.Poly1305(key)
        running.update(data)
        with pytest.raises(keylane.InvalidTag):
            running.verify(bad)


ENDS: dict[str, Callable[[keylane.Poly1305], object]] = {
    "finalize": lambda running: running.finalize(),
    "verify": lambda running: running.verify(Poly1305.generate_tag(octets(32), b"")),
    "verify a wrong tag": lambda running: pytest.raises(keylane.InvalidTag, running.verify, bytes(16)),
}
USES: dict[str, Callable[[keylane.Poly1305], object]] = {
    "update": lambda running: running.update(b"text"),
    "finalize": lambda running: running.finalize(),
    "verify": lambda running: running.verify(bytes(16)),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("use", USES)
def test_can_be_used_once(end: str, use: str) -> None:
    running = keylane.Poly1305(octets(32))
    ENDS[end](running)
    with pytest.raises(keylane.AlreadyFinalized):
        USES[use](running)


@pytest.mark.parametrize("end", ENDS)
def test_the_key_is_wiped_after_use(end: str) -> None:
    """Searches for its second half, which the object stores unchanged."""
    running = keylane.Poly1305(octets(32))

    def memory() -> bytes:
        return ctypes.string_at(id(running), type(running).__basicsize__)

    assert octets(32)[16:] in memory()
    ENDS[end](running)
    assert octets(32)[16:] not in memory()
