"""Buffers exported by Python code (PEP 688), which runs during a call, may use its objects, and may fail."""

from __future__ import annotations

import sys
from collections.abc import Callable

import keylane
import pytest
from subjects import GIL_LIMIT, octets

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is Python 3.12's")

GCM = keylane.AESGCM(bytes(16))
NONCE = bytes(12)
WRITABLE = 1
LENGTHS = [50, 2 * GIL_LIMIT]


class Exporter:
    """Calls `act` with a request's flags before it exports the memory, and `after` when that is released."""

    def __init__(
        self,
        memory: bytearray,
        act: Callable[[int], object] = lambda flags: None,
        after: Callable[[], object] = lambda: None,
    ) -> None:
        self.memory, self.act, self.after = memory, act, after
        self.views = 0

    def __buffer__(self, flags: int, /) -> memoryview:
        self.act(flags)
        self.views += 1
        return memoryview(self.memory)

    def __release_buffer__(self, view: memoryview, /) -> None:
        view.release()
        self.views -= 1
        self.after()


def raises(error: BaseException, flag: int = 0) -> Callable[[int], None]:
    """Raises the error at a request with the flag, or at every request."""

    def act(flags: int) -> None:
        if flags & flag == flag:
            raise error

    return act


@pytest.mark.parametrize("length", LENGTHS)
def test_one_can_be_input_and_output(length: int) -> None:
    data, out = Exporter(bytearray(octets(length))), Exporter(bytearray(length + 16))
    assert GCM.encrypt_into(NONCE, data, None, out) == length + 16
    assert out.memory == GCM.encrypt(NONCE, octets(length), None)
    assert data.views == out.views == 0


@pytest.mark.parametrize("kind", [BufferError, ValueError, TypeError])
def test_one_that_refuses_writable_requests_is_read_only(kind: type[Exception]) -> None:
    refusal = kind("no")
    with pytest.raises(TypeError, match="read-only") as raised:
        GCM.encrypt_into(NONCE, b"", None, Exporter(bytearray(16), raises(refusal, WRITABLE)))
    assert raised.value.__cause__ is refusal


@pytest.mark.parametrize("flag", [0, WRITABLE])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_other_exceptions_are_passed_on(kind: type[BaseException], flag: int) -> None:
    with pytest.raises(kind):
        GCM.encrypt_into(NONCE, b"", None, Exporter(bytearray(16), raises(kind("no"), flag)))
    with pytest.raises(kind):
        GCM.encrypt(NONCE, Exporter(bytearray(16), raises(kind("no"))), None)


def test_an_interrupt_during_a_request_is_passed_on() -> None:
    def act(flags: int) -> None:
        raise BufferError("no") if flags & WRITABLE else KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        GCM.encrypt_into(NONCE, b"", None, Exporter(bytearray(16), act))


@pytest.mark.parametrize("more", [-1, 1])
def test_one_of_another_length_when_it_is_asked_again_is_refused(more: int) -> None:
    """What is changed in place is requested to be read, and then to be written."""

    def changing(length: int) -> Exporter:
        def act(flags: int) -> None:
            if flags & WRITABLE:
                exporter.memory = bytearray(length + more)

        exporter = Exporter(bytearray(length), act)
        return exporter

    with pytest.raises(ValueError, match=f"buf must be 100 bytes long, not {100 + more}"):
        GCM.encrypt_many_into([NONCE], changing(100), [0, 100], bytearray(16))
    with pytest.raises(ValueError, match=f"tags must be 16 bytes long, not {16 + more}"):
        GCM.encrypt_many_into([NONCE], bytearray(100), [0, 100], changing(16))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_hash_may_be_used_by_an_exporter_that_it_absorbs(length: int) -> None:
    running = keylane.sha256()
    data = Exporter(
        bytearray(octets(length)), lambda flags: running.update(b"in"), lambda: running.update(b"out")
    )
    running.update(data)
    assert running.digest() == keylane.sha256(b"in" + octets(length) + b"out").digest()


@pytest.mark.parametrize("length", LENGTHS)
def test_a_poly1305_may_be_finished_by_an_exporter_that_it_absorbs(length: int) -> None:
    running = keylane.Poly1305(octets(32))
    with pytest.raises(keylane.AlreadyFinalized):
        running.update(Exporter(bytearray(length), lambda flags: running.finalize()))


def test_a_buffer_is_held_while_another_is_requested() -> None:
    data, refused = bytearray(octets(5000)), list[bool]()

    def clear(flags: int) -> None:
        with pytest.raises(BufferError):
            data.clear()
        refused.append(True)

    sealed = GCM.encrypt(NONCE, data, Exporter(bytearray(b"header"), clear))
    assert refused and sealed == GCM.encrypt(NONCE, octets(5000), b"header")


def test_messages_are_held_while_one_of_them_is_requested() -> None:
    messages: list[bytes | Exporter] = [b"one"]
    messages.append(Exporter(bytearray(b"two"), lambda flags: messages.clear()))
    assert keylane.digest_many("sha256", messages) == keylane.digest_many("sha256", [b"one", b"two"])
    assert messages == []
