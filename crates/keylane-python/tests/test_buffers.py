"""Any object with a contiguous buffer can be an input or, if writable, an output. The call releases it."""

from __future__ import annotations

import array
import ctypes
import mmap
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keylane
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import AEADS, STREAMS, AeadKind, StreamKind, octets

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Call = Callable[["ReadableBuffer"], object]


@dataclass(frozen=True)
class Use:
    """A call with one buffer of `length` bytes; the other arguments are fixed."""

    name: str
    length: int
    call: Call


def updated(running: keylane.Hash | keylane.hmac.HMAC, data: ReadableBuffer) -> bytes:
    running.update(data)
    return running.digest()


def poly1305(data: ReadableBuffer) -> bytes:
    running = keylane.Poly1305(bytes(32))
    running.update(data)
    return running.finalize()


HMAC_KEY = keylane.HmacKey(b"key", "sha256")
GCM = keylane.AESGCM(bytes(32))
NONCE = bytes(12)
RANDOM = keylane.RandomNonces(keylane.XAES256GCM(bytes(32)))

# The result of a call, or the tag that it was right to refuse.
TEXTS: dict[str, Call] = {
    "new": lambda data: keylane.new("sha256", data).digest(),
    "sha256": lambda data: keylane.sha256(data).digest(),
    "Hash.update": lambda data: updated(keylane.sha512(), data),
    "digest_many": lambda data: keylane.digest_many("sha256", [data, b"", data]),
    "Hash.digest_many": lambda data: keylane.sha256(b"prefix").digest_many([data, b"", data]),
    "hmac.new": lambda data: keylane.hmac.new(b"key", data, "sha256").digest(),
    "hmac.new, key": lambda data: keylane.hmac.new(data, b"text", "sha256").digest(),
    "HMAC.update": lambda data: updated(keylane.hmac.new(b"key", None, "sha1"), data),
    "hmac.digest": lambda data: keylane.hmac.digest(b"key", data, "sha256"),
    "hmac.digest, key": lambda data: keylane.hmac.digest(data, b"text", "sha256"),
    "HmacKey": lambda data: keylane.HmacKey(data, "sha256").mac(b"text"),
    "HmacKey.mac": HMAC_KEY.mac,
    "HmacKey.mac_many": lambda data: HMAC_KEY.mac_many([data, b"", data]),
    "HmacKey.mac_each": lambda data: keylane.HmacKey.mac_each([HMAC_KEY] * 2, [data, b""]),
    "HmacKey.verify": lambda data: HMAC_KEY.verify(data, HMAC_KEY.mac(bytes(data))),
    "HmacKey.verify_truncated": lambda data: HMAC_KEY.verify_truncated(data, HMAC_KEY.mac(bytes(data))[:10]),
    "verify_any": lambda data: keylane.verify_any([HMAC_KEY], data, [HMAC_KEY.mac(bytes(data))]),
    "HmacKey.verify_many": lambda data: HMAC_KEY.verify_many([data], [HMAC_KEY.mac(bytes(data))]),
    "HmacKey.start": lambda data: HMAC_KEY.start(data).digest(),
    "pbkdf2_hmac, password": lambda data: keylane.pbkdf2_hmac("sha256", data, b"salt", 2),
    "pbkdf2_hmac, salt": lambda data: keylane.pbkdf2_hmac("sha256", b"password", data, 2),
    "pbkdf2_hmac_many, passwords": lambda data: keylane.pbkdf2_hmac_many(
        "sha256", [data, b""], [b"salt"] * 2, 2
    ),
    "pbkdf2_hmac_many, salts": lambda data: keylane.pbkdf2_hmac_many(
        "sha256", [b"password"] * 2, [data, b""], 2
    ),
    "hkdf, key": lambda data: keylane.hkdf("sha256", data, b"salt", b"info", 99),
    "hkdf, salt": lambda data: keylane.hkdf("sha256", b"key", data, b"info", 99),
    "hkdf, info": lambda data: keylane.hkdf("sha256", b"key", b"salt", data, 99),
    "hkdf_extract, key": lambda data: keylane.hkdf_extract("sha256", data, b"salt"),
    "hkdf_extract, salt": lambda data: keylane.hkdf_extract("sha256", b"key", data),
    "hkdf_expand, prk": lambda data: keylane.hkdf_expand("sha256", data, b"info", 99),
    "hkdf_expand, info": lambda data: keylane.hkdf_expand("sha256", bytes(32), data, 99),
    "AESGCM.encrypt": lambda data: GCM.encrypt(NONCE, data, None),
    "AESGCM.encrypt, associated data": lambda data: GCM.encrypt(NONCE, b"text", data),
    "AESGCM.decrypt": lambda data: GCM.decrypt(NONCE, data, None),
    "AESGCM.decrypt, associated data": lambda data: GCM.decrypt(
        NONCE, GCM.encrypt(NONCE, b"", bytes(data)), data
    ),
    "AESGCM.encrypt_many": lambda data: GCM.encrypt_many([NONCE] * 3, [data, b"", data]),
    "AESGCM.encrypt_many, associated data": lambda data: GCM.encrypt_many(
        [NONCE] * 2, [b"text", b""], [b"", data]
    ),
    "AESGCM.decrypt_many": lambda data: GCM.decrypt_many([NONCE] * 2, [data, GCM.encrypt(NONCE, b"", b"")]),
    "RandomNonces.encrypt": lambda data: RANDOM.decrypt(RANDOM.encrypt(data)),
    "RandomNonces.encrypt, associated data": lambda data: RANDOM.decrypt(
        RANDOM.encrypt(b"text", data), bytes(data)
    ),
    "RandomNonces.decrypt": RANDOM.decrypt,
    "Poly1305.generate_tag": lambda data: keylane.Poly1305.generate_tag(bytes(32), data),
    "Poly1305.update": poly1305,
    "AESCTR.update": lambda data: keylane.AESCTR(bytes(32), bytes(16)).update(data),
    "ChaCha20.update": lambda data: keylane.ChaCha20(bytes(32), bytes(12)).update(data),
}


def with_key(kind: AeadKind | StreamKind, key: ReadableBuffer) -> bytes:
    if isinstance(kind, AeadKind):
        return kind.new(key).encrypt(kind.nonce(), b"text", None)
    return kind.new(key, octets(kind.nonce_len)).update(b"text")


def with_nonce(kind: AeadKind | StreamKind, nonce: ReadableBuffer) -> bytes:
    if isinstance(kind, AeadKind):
        return kind.cipher().encrypt(nonce, b"text", None)
    return kind.new(octets(kind.key_len), nonce).update(b"text")


CIPHERS: list[AeadKind | StreamKind] = [*AEADS, *STREAMS]
KEYS_AND_NONCES = [
    *(Use(f"{kind.name}, key", kind.key_len, partial(with_key, kind)) for kind in CIPHERS),
    *(Use(f"{kind.name}, nonce", kind.nonce_len, partial(with_nonce, kind)) for kind in CIPHERS),
    Use("AESGCM.encrypt_many, nonce", 12, lambda nonce: GCM.encrypt_many([nonce], [b"text"])),
    Use("Poly1305, key", 32, lambda key: keylane.Poly1305(key).finalize()),
    Use("Poly1305.generate_tag, key", 32, lambda key: keylane.Poly1305.generate_tag(key, b"text")),
    Use("Poly1305.verify_tag, tag", 16, lambda tag: keylane.Poly1305.verify_tag(bytes(32), b"text", tag)),
    Use("Poly1305.verify, tag", 16, lambda tag: keylane.Poly1305(bytes(32)).verify(tag)),
    Use("HmacKey.verify, tag", 32, lambda tag: HMAC_KEY.verify(b"text", tag)),
    Use("HmacKey.verify_truncated, tag", 32, lambda tag: HMAC_KEY.verify_truncated(b"text", tag)),
    Use("verify_any, tags", 32, lambda tag: keylane.verify_any([HMAC_KEY], b"text", [tag])),
    Use("HmacKey.verify_many, tags", 32, lambda tag: HMAC_KEY.verify_many([b"text"], [tag])),
]
# Short texts, and texts for which the GIL is released.
USES = [Use(name, length, call) for name, call in TEXTS.items() for length in (96, 4800)] + KEYS_AND_NONCES


def mapped(content: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(content))
    memory[:] = content
    return memory


def ctypes_array(content: bytes) -> WriteableBuffer:
    return (ctypes.c_uint8 * len(content)).from_buffer_copy(content)


def numpy_array(content: bytes | bytearray) -> Any:
    """Returns Any, since mypy sees that numpy's types have buffers only on Python 3.12 and later."""
    return np.frombuffer(content, np.uint8)


def shifted(content: bytes) -> memoryview:
    """An odd address."""
    return memoryview(bytearray(b"x" + content + b"x"))[1:-1]


WRITABLE: dict[str, Callable[[bytes], WriteableBuffer]] = {
    "bytearray": bytearray,
    "memoryview": lambda content: memoryview(bytearray(content)),
    "memoryview, shifted": shifted,
    "array of bytes": lambda content: array.array("B", content),
    "array of ints": lambda content: array.array("I", content),
    "ctypes": ctypes_array,
    "mmap": mapped,
    "numpy": lambda content: numpy_array(bytearray(content)),
    "numpy, 2 dimensions of floats": lambda content: (
        numpy_array(bytearray(content)).view(np.float32).reshape(1, -1)
    ),
}
READ_ONLY: dict[str, Callable[[bytes], ReadableBuffer]] = {
    "bytes": bytes,
    "a class of bytes": lambda content: type("Password", (bytes,), {})(content),
    "memoryview of bytes": memoryview,
    "numpy, read-only": lambda content: numpy_array(content),
}


def outcome(call: Call, data: ReadableBuffer) -> object:
    try:
        return call(data)
    except keylane.InvalidTag:
        return keylane.InvalidTag


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.name}-{use.length}")
def test_any_buffer_is_accepted(use: Use) -> None:
    content = octets(use.length)
    expected = outcome(use.call, content)
    for name, make in (READ_ONLY | WRITABLE).items():
        assert outcome(use.call, make(content)) == expected, name


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.name}-{use.length}")
def test_a_buffer_is_released(use: Use) -> None:
    for length in (use.length, use.length + 1):
        data = bytearray(octets(length))
        with suppress(ValueError):
            outcome(use.call, data)
        data.clear()  # BufferError while a view of it is held


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.name}-{use.length}")
def test_no_reference_is_kept(use: Use) -> None:
    for data in (octets(use.length), bytearray(octets(use.length)), octets(use.length + 1)):
        references = sys.getrefcount(data)
        for _ in range(3):
            with suppress(ValueError):
                outcome(use.call, data)
        assert sys.getrefcount(data) == references


def test_a_buffer_is_released_when_another_is_wrong() -> None:
    wrong: Any = "text"
    calls: list[Call] = [
        lambda data: GCM.encrypt(data, wrong, None),
        lambda data: GCM.encrypt(NONCE, data, wrong),
        lambda data: GCM.encrypt_into(NONCE, data, None, wrong),
        lambda data: GCM.encrypt_into(NONCE, data, None, bytes(112)),
        lambda data: GCM.encrypt_many([NONCE] * 2, [data, wrong]),
        lambda data: GCM.decrypt_many([NONCE], [data], [wrong]),
        lambda data: GCM.encrypt_many_into([NONCE], bytearray(data), [0, 96], wrong, [data]),
        lambda data: RANDOM.encrypt(data, wrong),
        lambda data: keylane.hmac.new(data, wrong, "sha256"),
        lambda data: keylane.hmac.new(data, data, "md5"),
        lambda data: keylane.pbkdf2_hmac("sha256", data, data, 0),
        lambda data: keylane.hkdf("sha256", data, data, data, -1),
        lambda data: HMAC_KEY.mac_many([data, wrong]),
        lambda data: keylane.HmacKey.mac_each([HMAC_KEY] * 2, [data, wrong]),
        lambda data: HMAC_KEY.verify_many([data], []),
        lambda data: keylane.digest_many("sha256", [data, wrong]),
        lambda data: keylane.sha256().digest_many([data, wrong]),
        lambda data: keylane.pbkdf2_hmac_many("sha256", [data, wrong], [data, data], 1),
        lambda data: keylane.Poly1305.verify_tag(bytes(32), data, wrong),
    ]
    for call in calls:
        data = bytearray(96)
        with pytest.raises((TypeError, ValueError)):
            call(data)
        data.clear()


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.name}-{use.length}")
def test_a_buffer_that_is_not_contiguous_is_refused(use: Use) -> None:
    content = octets(2 * use.length)
    with pytest.raises(BufferError):
        use.call(memoryview(content)[::2])
    with pytest.raises(BufferError):
        use.call(memoryview(content)[::-2])
    with pytest.raises((BufferError, ValueError)):  # numpy raises ValueError
        use.call(numpy_array(content)[::2])


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.name}-{use.length}")
def test_an_object_without_a_buffer_is_refused(use: Use) -> None:
    for wrong in ("x" * use.length, use.length, [0] * use.length, object(), 1.5):
        with pytest.raises(TypeError):
            use.call(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WRITABLE)
def test_any_writable_buffer_can_be_the_output(name: str) -> None:
    make = WRITABLE[name]
    for kind in AEADS:
        for length in (80, 4784):
            data = octets(length)
            expected = kind.cipher().encrypt(kind.nonce(), data, None)
            sealed = make(bytes(length + 16))
            assert kind.cipher().encrypt_into(kind.nonce(), data, None, sealed) == length + 16
            assert bytes(sealed) == expected
            opened = make(bytes(length))
            assert kind.cipher().decrypt_into(kind.nonce(), sealed, None, opened) == length
            assert bytes(opened) == data
    for stream in STREAMS:
        for length in (96, 4800):
            out = make(bytes(length))
            assert stream.stream().update_into(octets(length), out) == length
            assert bytes(out) == stream.stream().update(octets(length))


def seal_into(kind: AeadKind, out: WriteableBuffer) -> int:
    return kind.cipher().encrypt_into(kind.nonce(), bytes(80), None, out)


def seal_many_into(kind: AeadKind, out: WriteableBuffer) -> int:
    kind.cipher().encrypt_many_into([kind.nonce()], out, [0, 96], bytearray(16))
    return 96


def open_into(kind: AeadKind, out: WriteableBuffer) -> int:
    sealed = kind.cipher().encrypt(kind.nonce(), bytes(96), None)
    return kind.cipher().decrypt_into(kind.nonce(), sealed, None, out)


def stream_into(kind: StreamKind, out: WriteableBuffer) -> int:
    return kind.stream().update_into(bytes(96), out)


# Calls that write 96 bytes to their argument.
WRITERS: dict[str, Callable[[WriteableBuffer], int]] = {
    **{f"{kind.name}.encrypt_into": partial(seal_into, kind) for kind in AEADS},
    **{f"{kind.name}.encrypt_many_into": partial(seal_many_into, kind) for kind in AEADS},
    **{f"{kind.name}.decrypt_into": partial(open_into, kind) for kind in AEADS},
    **{f"{kind.name}.update_into": partial(stream_into, kind) for kind in STREAMS},
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_output_is_refused(name: str) -> None:
    write = WRITERS[name]
    write(bytearray(96))
    for kind, make in READ_ONLY.items():
        out = make(bytes(96))
        with pytest.raises(TypeError):
            write(out)
        assert bytes(out) == bytes(96), kind
    for wrong in ("x" * 96, None, 96, [0] * 96):
        with pytest.raises(TypeError):
            write(wrong)  # type: ignore[arg-type]
    strided = bytearray(192)
    with pytest.raises(BufferError):
        write(memoryview(strided)[::2])
    strided.clear()


def test_a_closed_buffer_is_refused() -> None:
    released, closed = memoryview(bytearray(96)), mapped(bytes(96))
    released.release()
    closed.close()
    for gone in (released, closed):
        for use in USES:
            with pytest.raises(ValueError):
                use.call(gone)
        for write in WRITERS.values():
            with pytest.raises(ValueError):
                write(gone)


# ---- overlaps: buf may begin where the data begins, or not overlap at all


def apart(a: int, a_len: int, b: int, b_len: int) -> bool:
    return a_len == 0 or b_len == 0 or a + a_len <= b or b + b_len <= a


offsets = st.integers(0, 120)
text_lengths = st.one_of(st.integers(0, 60), st.integers(2030, 2100))


@given(st.sampled_from(AEADS), st.booleans(), text_lengths, offsets, offsets)
def test_overlaps_of_data_and_output(
    kind: AeadKind, sealing: bool, length: int, start: int, out_start: int
) -> None:
    cipher, nonce = kind.cipher(), kind.nonce()
    data = octets(length) if sealing else cipher.encrypt(nonce, octets(length), b"header")
    expected = cipher.encrypt(nonce, octets(length), b"header") if sealing else octets(length)
    arena = bytearray(b"\xaa" * 2400)
    arena[start : start + len(data)] = data
    before = bytes(arena)
    source = memoryview(arena)[start : start + len(data)]
    out = memoryview(arena)[out_start : out_start + len(expected)]
    write = cipher.encrypt_into if sealing else cipher.decrypt_into
    if start == out_start or apart(start, len(data), out_start, len(expected)):
        assert write(nonce, source, b"header", out) == len(expected)
        assert out == expected
        assert arena[:out_start] == before[:out_start]
        assert arena[out_start + len(expected) :] == before[out_start + len(expected) :]
    else:
        with pytest.raises(ValueError):
            write(nonce, source, b"header", out)
        assert arena == before


@given(st.sampled_from(AEADS), st.booleans(), st.integers(1, 60), offsets, st.integers(1, 40), st.booleans())
def test_overlaps_of_nonce_or_header_and_output(
    kind: AeadKind, sealing: bool, length: int, start: int, header_len: int, is_nonce: bool
) -> None:
    """The output is at 60 of the arena; the nonce, or the header, somewhere around it."""
    cipher, out_start = kind.cipher(), 60
    arena = bytearray(octets(400))
    beside = memoryview(arena)[start : start + (kind.nonce_len if is_nonce else header_len)]
    nonce = beside if is_nonce else kind.nonce()
    header = None if is_nonce else beside
    sealed = cipher.encrypt(nonce, octets(length), header)
    data, expected = (octets(length), sealed) if sealing else (sealed, octets(length))
    before = bytes(arena)
    out = memoryview(arena)[out_start : out_start + len(expected)]
    write = cipher.encrypt_into if sealing else cipher.decrypt_into
    if apart(start, len(beside), out_start, len(expected)):
        assert write(nonce, data, header, out) == len(expected)
        assert out == expected
    else:
        with pytest.raises(ValueError):
            write(nonce, data, header, out)
        assert arena == before


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_an_overlap_of_one_byte_is_refused(kind: AeadKind) -> None:
    cipher, nonce, arena = kind.cipher(), kind.nonce(), memoryview(bytearray(400))
    # The last byte of one is the first of the other.
    for start, out_start in [(100, 179), (195, 100)]:
        beside, out = arena[start : start + 80], arena[out_start : out_start + 96]
        inputs: list[tuple[ReadableBuffer, ReadableBuffer | None]] = [(beside, None), (bytes(80), beside)]
        for data, header in inputs:
            with pytest.raises(ValueError, match="overlaps"):
                cipher.encrypt_into(nonce, data, header, out)


@given(st.sampled_from(STREAMS), text_lengths, offsets, offsets, st.integers(0, 50))
def test_overlaps_of_a_key_stream(
    kind: StreamKind, length: int, start: int, out_start: int, spare: int
) -> None:
    """The output may be longer than the result; only the part that is written must not overlap."""
    arena = bytearray(octets(2400))
    before, source = bytes(arena), memoryview(arena)[start : start + length]
    expected = kind.stream().update(bytes(source))
    stream = kind.stream()
    out = memoryview(arena)[out_start : out_start + length + spare]
    if start == out_start or apart(start, length, out_start, length):
        assert stream.update_into(source, out) == length
        assert out[:length] == expected
        assert (
            arena[:out_start] == before[:out_start]
            and arena[out_start + length :] == before[out_start + length :]
        )
    else:
        with pytest.raises(ValueError):
            stream.update_into(source, out)
        assert arena == before and stream.position == 0


# ---- memory


def test_memory() -> None:
    """Runs peak_memory.py in a process of its own, since this one's peak was reached long before."""
    script = Path(__file__).with_name("peak_memory.py")
    # glibc would otherwise keep freed memory for later.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
    output = subprocess.run(
        [sys.executable, script], check=True, capture_output=True, text=True, env=environment
    ).stdout
    growth = {name: float(share) for name, share in (line.split("\t") for line in output.splitlines())}
    # A result as long as the data is measured; ten of them, one after the other, take no more.
    assert 0.9 < growth.pop("AESGCM.encrypt, 10 times") < 1.5
    assert growth.pop("AESGCM.decrypt of forgeries, 10 times") < 1.5
    # An AEAD allocates memory for the result; hashes and key streams work on a piece at a time.
    aeads = {name: share for name, share in growth.items() if "crypt_into" in name}
    assert (len(aeads), len(growth)) == (6, 12)
    assert {name: share for name, share in aeads.items() if not 0.9 < share < 1.2} == {}
    assert {name: share for name, share in growth.items() if name not in aeads and share > 0.2} == {}
