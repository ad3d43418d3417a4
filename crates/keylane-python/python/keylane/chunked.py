"""C2SP's chunked encryption (c2sp.org/chunked-encryption): long messages, as a stream and from any place.

An open format: `cryptography.cobblestone` writes and reads the same messages, and so does the command
`keylane encrypt --format c2sp`. A key has 16 random bytes (Cobblestone-128) or 32 (Cobblestone-256). The
context is not secret and not in the message: the same one decrypts it.

    >>> key = os.urandom(32)
    >>> message = keylane.chunked.encrypt(key, b"attack at dawn", b"letters")
    >>> keylane.chunked.decrypt(key, message, b"letters")
    b'attack at dawn'
"""

from __future__ import annotations

import io
import typing

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
    """Decrypts a message from a file object with read(), and seek() if it is to be read from any place.

    The text that it returns is authentic. It is complete only when read() has returned b"", or after a
    seek(), which opens the last chunk. Raises InvalidTag for another key or context, or if the message was
    changed or cut off. Closing it leaves the file open.

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

    close() completes the message, and so does leaving a `with` block; an exception that leaves the block, or
    dropping the object, does not: then decryption reports that the message was cut off. Closing it leaves
    the file open.

        >>> with open("backup.c2sp", "wb") as file, keylane.chunked.Writer(file, key) as writer:
        ...     shutil.copyfileobj(source, writer)
    """

    def __init__(self, file: _Writable, key: ReadableBuffer, context: ReadableBuffer = b"") -> None:
        self._writer: _ChunkedWriter | None = _ChunkedWriter(file, key, context)

    def writable(self) -> bool:
        """Returns True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Encrypts all of data, and returns its length in bytes."""
        if self._writer is None:
            raise ValueError("write to closed file")
        return self._writer.write(data)

    def close(self) -> None:
        """Completes the message."""
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                writer.finish()
        finally:
            super().close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer = None
        self.close()

    def __del__(self) -> None:
        self._writer = None
