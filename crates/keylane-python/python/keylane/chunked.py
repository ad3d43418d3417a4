"""C2SP's chunked encryption (c2sp.org/chunked-encryption): long messages, as streams that can seek.

An open format: `cryptography.cobblestone` writes and reads the same messages. A key has 16 random bytes
(Cobblestone-128) or 32 (Cobblestone-256). The context is not secret and not in the message: the same one
decrypts it.

    >>> key = os.urandom(32)
    >>> message = keylane.chunked.encrypt(key, b"attack at dawn", b"letters")
    >>> keylane.chunked.decrypt(key, message, b"letters")
    b'attack at dawn'
"""

from __future__ import annotations

import io
import sys
import typing
import warnings

from ._keylane import _ChunkedReader, _ChunkedWriter, chunked_decrypt as decrypt, chunked_encrypt as encrypt

if typing.TYPE_CHECKING:
    from types import TracebackType

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["CHUNK_LEN", "Reader", "Writer", "decrypt", "encrypt"]

CHUNK_LEN: typing.Final = 16384
"""The length of a chunk's text in bytes."""


class _Readable(typing.Protocol):
    def read(self, size: int, /) -> bytes | None: ...


class _Writable(typing.Protocol):
    def write(self, data: bytes, /) -> object: ...


class _RawReader(io.RawIOBase):
    def __init__(self, file: _Readable, key: ReadableBuffer, context: ReadableBuffer) -> None:
        self._reader = _ChunkedReader(file, key, context)
        seekable = getattr(file, "seekable", None)
        self._seekable = seekable is not None and seekable()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seekable

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        text = self._reader.read(len(view))
        view[: len(text)] = text
        return len(text)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._reader.seek(offset, whence)

    def tell(self) -> int:
        return self._reader.tell()


class Reader(io.BufferedReader):
    """Decrypts a message from a file object with read(), and with seek() for reading from any place.

    All text returned is authentic. It is complete only when read() has returned b"", or after a seek(),
    which opens the last chunk. Raises InvalidTag for another key or context, or if the message was changed
    or cut off. Closing it leaves the file open.

        >>> with open("backup.c2sp", "rb") as file:
        ...     reader = keylane.chunked.Reader(file, key)
        ...     reader.seek(-100, os.SEEK_END)
        ...     end = reader.read()
    """

    def __init__(self, file: _Readable, key: ReadableBuffer, context: ReadableBuffer = b"") -> None:
        super().__init__(_RawReader(file, key, context), CHUNK_LEN)
        self._length_is_proved = False

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Goes to a place in the text and returns it. The first call opens the last chunk."""
        if not self._length_is_proved:
            # A seek within the buffer would not reach the raw reader.
            self.raw.seek(self.raw.tell(), io.SEEK_SET)
            self._length_is_proved = True
        return super().seek(offset, whence)


class Writer(io.RawIOBase):
    """Encrypts what is written to it into a message that it writes to a file object.

    finish(), close() and leaving a `with` block complete the message. It does not decrypt if an exception
    leaves the block, if close() is called while a new exception is handled, or if the Writer, or an
    io.BufferedWriter or io.TextIOWrapper around it, is dropped. Other wrappers that call close() when dropped
    complete it. Closing the Writer leaves the file open.

        >>> with open("backup.c2sp", "wb") as file, keylane.chunked.Writer(file, key) as writer:
        ...     shutil.copyfileobj(source, writer)
    """

    def __init__(self, file: _Writable, key: ReadableBuffer, context: ReadableBuffer = b"") -> None:
        self._writer: _ChunkedWriter | None = _ChunkedWriter(file, key, context)
        self._handled = sys.exc_info()[1]
        self._dropped = False

    def writable(self) -> bool:
        """Returns True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Encrypts all of data, and returns its length in bytes."""
        if self._writer is None:
            raise ValueError("the message has ended: finished or closed")
        return self._writer.write(data)

    def finish(self) -> None:
        """Completes the message, whatever exception is being handled.

        Raises ValueError if it has ended already.
        """
        writer, self._writer = self._writer, None
        if writer is None:
            raise ValueError("the message has ended: finished or closed")
        writer.finish()

    def close(self) -> None:
        """Completes the message unless it has ended, or an exception is being handled: then warns."""
        handled, self._handled = self._handled, None
        try:
            if self._writer is not None and not self._dropped:
                error = sys.exc_info()[1]
                if error is None or error is handled:
                    self.finish()
                else:
                    message = "the message is not complete; finish() completes it"
                    message = f"closed while {type(error).__name__} is handled: {message}"
                    warnings.warn(message, RuntimeWarning, stacklevel=2)
        finally:
            self._writer = None
            super().close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._writer is not None:
                self.finish()
        finally:
            self._writer = None
            self.close()

    def _dealloc_warn(self, source: object, /) -> None:
        # The wrappers of io call it when they are dropped, before they write the rest and close this object.
        self._dropped = True

    def __del__(self) -> None:
        self._writer = None
