"""C2SP's chunked encryption, compared with that of cryptography, in both directions."""

from __future__ import annotations

import array
import ctypes
import gc
import io
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keylane
import pytest
from cryptography import cobblestone
from hypothesis import given
from hypothesis import strategies as st
from keylane.chunked import CHUNK_LEN, Reader, Writer, decrypt, encrypt
from subjects import octets

KEYS = [bytes(range(16)), bytes(range(32))]
OVERHEAD = 56
SEALED_LEN = CHUNK_LEN + 16

keys = st.sampled_from(KEYS)
lengths = st.builds(lambda n, more: max(0, n * CHUNK_LEN + more), st.integers(0, 3), st.integers(-20, 20))
texts = lengths.map(lambda length: octets(length))


def theirs(key: bytes, context: bytes, text: bytes) -> bytes:
    kind = cobblestone.Cobblestone128Encryptor if len(key) == 16 else cobblestone.Cobblestone256Encryptor
    encryptor = kind(key, context)
    return encryptor.update(text) + encryptor.finalize()


def opened_by_them(key: bytes, context: bytes, message: bytes) -> bytes:
    kind = cobblestone.Cobblestone128Decryptor if len(key) == 16 else cobblestone.Cobblestone256Decryptor
    decryptor = kind(key, context)
    return decryptor.update(message) + decryptor.finalize()


@given(keys, texts, st.binary(max_size=40))
def test_each_reads_what_the_other_wrote(key: bytes, text: bytes, context: bytes) -> None:
    message = encrypt(key, text, context)
    assert len(message) == OVERHEAD + len(text) + 16 * (len(text) // CHUNK_LEN + 1)
    assert opened_by_them(key, context, message) == text
    assert decrypt(key, message, context) == text
    assert decrypt(bytearray(key), memoryview(bytearray(theirs(key, context, text))), context) == text


@given(keys, texts, st.data())
def test_files(key: bytes, text: bytes, data: st.DataObject) -> None:
    file = io.BytesIO(b"before")
    file.seek(0, io.SEEK_END)
    with Writer(file, bytearray(key), bytearray(b"context")) as writer:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
        for start, end in zip([0, *cuts], [*cuts, len(text)]):
            assert writer.write(memoryview(text)[start:end]) == end - start
    assert opened_by_them(key, b"context", file.getvalue()[6:]) == text

    file.seek(6)
    reader, expected = Reader(file, bytearray(key), bytearray(b"context")), io.BytesIO(text)
    assert reader.readable() and reader.seekable() and not reader.writable()
    for _ in range(8):
        place = data.draw(st.integers(0, len(text) + 10))
        for whence in (os.SEEK_SET, os.SEEK_CUR, os.SEEK_END):
            base = (0, reader.tell(), len(text))[whence]
            assert reader.seek(place - base, whence) == expected.seek(place) == reader.tell()
            size = data.draw(st.sampled_from([0, 1, 100, CHUNK_LEN, 2 * CHUNK_LEN + 5, -1]))
            assert reader.read(size) == expected.read(size)
    reader.seek(0)
    assert reader.readlines() == io.BytesIO(text).readlines()


@given(keys, texts, st.data())
def test_changed_messages(key: bytes, text: bytes, data: st.DataObject) -> None:
    message = encrypt(key, text, b"context")
    place = data.draw(st.integers(0, len(message) - 1))
    flipped = bytearray(message)
    flipped[place] ^= 1
    chunk = OVERHEAD + SEALED_LEN * data.draw(st.integers(0, 2))
    swapped = message[:chunk] + message[chunk + SEALED_LEN :] + message[chunk : chunk + SEALED_LEN]
    longer = [message + b"x", message + message[OVERHEAD:]]
    changed = [bytes(flipped), message[:place], message[:chunk], swapped, *longer]
    others = [(key, b"context", other) for other in changed if other != message]
    for other_key, context, other in [*others, (key[::-1], b"context", message), (key, b"", message)]:
        with pytest.raises(keylane.InvalidTag):
            decrypt(other_key, other, context)
        got = bytearray()
        with pytest.raises(keylane.InvalidTag):
            reader = Reader(io.BytesIO(other), other_key, context)
            while piece := reader.read1():
                got += piece
        assert text.startswith(bytes(got))


def test_through_pipes_and_files(tmp_path: Path) -> None:
    key, text = os.urandom(32), os.urandom(5 * CHUNK_LEN)
    with (tmp_path / "file").open("wb") as out, Writer(out, key) as writer:
        shutil.copyfileobj(io.BytesIO(text), writer)
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as pipe:
        with os.fdopen(write_end, "wb") as into:
            into.write((tmp_path / "file").read_bytes()[: OVERHEAD + SEALED_LEN])
        reader = Reader(pipe, key)
        assert not reader.seekable()
        assert reader.read(CHUNK_LEN) == text[:CHUNK_LEN]
        with pytest.raises(keylane.InvalidTag):
            reader.read()
    with (tmp_path / "file").open("rb") as file:
        with Reader(file, key) as reader:
            reader.seek(-7, os.SEEK_END)
            assert reader.read() == text[-7:]
        assert not file.closed


def test_a_message_is_complete_only_after_close() -> None:
    key = KEYS[0]
    file = io.BytesIO()
    with pytest.raises(ZeroDivisionError), Writer(file, key) as writer:
        writer.write(b"text")
        raise ZeroDivisionError
    assert writer.closed
    dropped = io.BytesIO()
    unfinished = Writer(dropped, key)
    unfinished.write(bytes(CHUNK_LEN))
    del unfinished
    for message in (file.getvalue(), dropped.getvalue()):
        with pytest.raises(keylane.InvalidTag):
            decrypt(key, message)
    for _ in range(2):
        writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"more")


def test_a_message_that_close_left_unfinished_stays_so() -> None:
    writer = Writer(io.BytesIO(), KEYS[0])
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        with pytest.warns(RuntimeWarning, match="not complete"):
            writer.close()
    with pytest.raises(ValueError, match="ended"):
        writer.finish()


WRAPPERS: list[Callable[[Writer], Any]] = [
    io.BufferedWriter,
    lambda writer: io.TextIOWrapper(io.BufferedWriter(writer)),
    lambda writer: io.TextIOWrapper(writer),
]


def text_for(wrapper: Any) -> Any:
    return "a" * 50_000 if isinstance(wrapper, io.TextIOWrapper) else b"a" * 50_000


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_a_wrapper_completes_a_message_only_if_it_is_closed_in_order(wrap: Callable[[Writer], Any]) -> None:
    def closed(wrapper: Any) -> None:
        wrapper.write(text_for(wrapper))
        wrapper.close()

    def dropped(wrapper: Any) -> None:
        wrapper.write(text_for(wrapper))

    def dropped_in_a_cycle(wrapper: Any) -> None:
        wrapper.write(text_for(wrapper))
        cycle: list[Any] = [wrapper]
        cycle.append(cycle)

    def interrupted(wrapper: Any) -> None:
        try:
            wrapper.write(text_for(wrapper))
            raise ZeroDivisionError
        finally:
            wrapper.close()

    def closed_by_a_handler(wrapper: Any) -> None:
        try:
            wrapper.write(text_for(wrapper))
            raise EOFError
        except EOFError:
            wrapper.close()

    def state(use: Callable[[Any], None]) -> tuple[bool, list[str]]:
        """Returns whether the message is valid, and the warnings."""
        file = io.BytesIO()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                use(wrap(Writer(file, KEYS[0])))
            except ZeroDivisionError:
                pass
            gc.collect()
        try:
            assert decrypt(KEYS[0], file.getvalue()) == b"a" * 50_000
            return True, [str(warning.message) for warning in warned]
        except keylane.InvalidTag:
            return False, [str(warning.message) for warning in warned]

    unfinished = "closed while {} is handled: the message is not complete; finish() completes it"
    assert state(closed) == (True, [])
    assert state(dropped) == state(dropped_in_a_cycle) == (False, [])
    assert state(interrupted) == (False, [unfinished.format("ZeroDivisionError")])
    assert state(closed_by_a_handler) == (False, [unfinished.format("EOFError")])
    # All of it within the handling of another exception.
    try:
        raise KeyError
    except KeyError:
        assert state(closed) == (True, [])
        assert state(interrupted) == (False, [unfinished.format("ZeroDivisionError")])


def test_finish_completes_a_message_whatever_is_handled() -> None:
    file = io.BytesIO()
    writer = Writer(file, KEYS[0])
    buffered = io.BufferedWriter(writer)
    try:
        buffered.write(b"text")
        raise EOFError
    except EOFError:
        buffered.flush()
        writer.finish()
        buffered.close()
    assert decrypt(KEYS[0], file.getvalue()) == b"text"
    with pytest.raises(ValueError, match="ended"):
        writer.finish()
    with pytest.raises(ValueError, match="ended"):
        writer.write(b"more")


def test_wrong_arguments() -> None:
    message = encrypt(KEYS[0], b"text")
    for length in (0, 15, 17, 24, 33):
        for call in (
            lambda key: encrypt(key, b""),
            lambda key: decrypt(key, message),
            lambda key: Reader(io.BytesIO(message), key),
            lambda key: Writer(io.BytesIO(), key),
        ):
            with pytest.raises(ValueError, match="16 or 32 bytes"):
                call(bytes(length))
    with pytest.raises(TypeError):
        encrypt(KEYS[0], "text")  # type: ignore[arg-type]
    reader = Reader(io.BytesIO(message), KEYS[0])
    with pytest.raises(ValueError, match="before the text's start"):
        reader.seek(-5, os.SEEK_END)


def test_the_format_of_the_command_is_named() -> None:
    """Also where a message of C2SP cannot have its length, 56 bytes and a tag for each chunk."""
    for length in (80, 56 + CHUNK_LEN + 17):
        file = b"\x8ckeylane" + bytes(length - 8)
        for call in (lambda: decrypt(KEYS[0], file), lambda: Reader(io.BytesIO(file), KEYS[0])):
            with pytest.raises(keylane.InvalidTag, match="format of `keylane encrypt`, not C2SP's"):
                call()


class Failing(io.BytesIO):
    """A file that cannot be written, nor read after its first chunk."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 100:
            raise ZeroDivisionError
        return super().read(size)

    def write(self, data: object, /) -> int:
        raise ZeroDivisionError


def test_errors_of_the_file_are_passed_on() -> None:
    message = encrypt(KEYS[0], bytes(2 * CHUNK_LEN))
    reader = Reader(Failing(message), KEYS[0])
    assert reader.read(10) == bytes(10)
    with pytest.raises(ZeroDivisionError):
        reader.read()
    with pytest.raises(ZeroDivisionError):
        Writer(Failing(), KEYS[0])


class Slow(io.BytesIO):
    """A file that takes and returns few bytes at a time, as a pipe may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(7 if size is None or size > 7 else size)

    def write(self, data: Any, /) -> int:
        return super().write(data[:7])


def test_files_that_take_and_return_less_than_is_asked() -> None:
    file, text = Slow(), octets(CHUNK_LEN + 100)
    with Writer(file, KEYS[0]) as writer:
        writer.write(text)
    assert decrypt(KEYS[0], file.getvalue()) == text
    file.seek(0)
    assert Reader(file, KEYS[0]).read() == text


class Busy(io.BytesIO):
    """A file that does not block, and has nothing or takes nothing after its first chunk."""

    def read(self, size: int | None = -1, /) -> Any:
        return None if self.tell() > 100 else super().read(size)

    def write(self, data: Any, /) -> Any:
        return None if self.tell() > 100 else super().write(data)


def test_a_file_that_is_not_ready_is_an_error() -> None:
    """It is not at its end, and what it did not take is not written."""
    reader = Reader(Busy(encrypt(KEYS[0], bytes(2 * CHUNK_LEN))), KEYS[0])
    with pytest.raises(BlockingIOError):
        reader.read()
    writer = Writer(Busy(), KEYS[0])
    with pytest.raises(BlockingIOError):
        writer.write(bytes(3 * CHUNK_LEN))
    with pytest.raises(ValueError, match="an earlier write"):
        writer.close()


class Generous(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(-1 if size is None else size + 1)


def test_a_file_that_returns_more_than_is_asked_is_an_error() -> None:
    with pytest.raises(OSError, match="too much"):
        Reader(Generous(encrypt(KEYS[0], bytes(2 * CHUNK_LEN))), KEYS[0]).read()


def test_a_text_that_its_file_changes_is_encrypted_as_it_was() -> None:
    text = bytearray(octets(3 * CHUNK_LEN))

    class Changing(io.BytesIO):
        def write(self, data: Any, /) -> int:
            text[:] = bytes(len(text))
            return super().write(data)

    file = Changing()
    writer = Writer(file, KEYS[0])
    text[:] = octets(3 * CHUNK_LEN)
    writer.write(text)
    writer.finish()
    assert decrypt(KEYS[0], file.getvalue()) == octets(3 * CHUNK_LEN)


def test_all_bytes_of_longer_items_count() -> None:
    file = io.BytesIO()
    with Writer(file, KEYS[0]) as writer:
        assert writer.write(array.array("I", octets(40))) == 40
    file.seek(0)
    reader, items = Reader(file, KEYS[0]), array.array("I", bytes(40))
    assert reader.raw.readinto(memoryview(items)) == 40
    assert items.tobytes() == octets(40)


class Full(io.BytesIO):
    """A file with room for one chunk."""

    def write(self, data: Any, /) -> int:
        if self.tell() > CHUNK_LEN:
            raise ZeroDivisionError
        return super().write(data)


def test_a_message_is_not_complete_after_a_write_that_failed() -> None:
    for end in (Writer.finish, Writer.close, lambda writer: writer.__exit__(None, None, None)):
        writer = Writer(Full(), KEYS[0])
        with pytest.raises(ZeroDivisionError):
            writer.write(bytes(3 * CHUNK_LEN))
        with pytest.raises(ValueError, match="an earlier write"):
            end(writer)
    # There is no memory for a copy of it.
    huge = memoryview((ctypes.c_char * sys.maxsize).from_address(1 << 12))
    file = io.BytesIO()
    writer = Writer(file, KEYS[0])
    with pytest.raises(MemoryError):
        writer.write(huge)
    with pytest.raises(ValueError, match="an earlier write"):
        writer.close()
    with pytest.raises(keylane.InvalidTag):
        decrypt(KEYS[0], file.getvalue())


def test_the_salt_is_new_for_every_message() -> None:
    assert encrypt(KEYS[0], b"text")[:24] != encrypt(KEYS[0], b"text")[:24]


@pytest.mark.parametrize("place", [0, 5, CHUNK_LEN])
def test_any_seek_proves_the_length(place: int) -> None:
    message = encrypt(KEYS[1], octets(3 * CHUNK_LEN), b"")
    reader = Reader(io.BytesIO(message[: OVERHEAD + 2 * SEALED_LEN]), KEYS[1])
    assert reader.read(10) == octets(10)
    for _ in range(2):
        with pytest.raises(keylane.InvalidTag):
            reader.seek(place)
    reader = Reader(io.BytesIO(message), KEYS[1])
    assert reader.read(10) == octets(10)
    assert reader.seek(place) == place
    assert reader.read() == octets(3 * CHUNK_LEN)[place:]
