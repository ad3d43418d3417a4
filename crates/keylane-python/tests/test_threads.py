"""Long calls release the GIL, short calls keep it, and threads may share objects."""

from __future__ import annotations

import gc
import hashlib
import hmac
import mmap
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path

import keylane
import pytest
from subjects import AEADS, GIL_LIMIT, STREAMS, AeadKind, StreamKind, octets

LONG = 4 << 20
HMAC_KEY = keylane.HmacKey(b"key", "sha256")
Call = Callable[[int], object]
"""A call that processes this number of bytes."""


def sealed(length: int) -> bytes:
    """Returns `length` bytes sealed by AES-256-GCM under a zero key. Cached, so that it takes no time."""
    if length not in SEALED:
        SEALED[length] = keylane.AESGCM(bytes(32)).encrypt(bytes(12), bytes(length - 16), None)
    return SEALED[length]


SEALED: dict[int, bytes] = {}
TEXT = bytes(LONG)
OUT = bytearray(LONG + 16)


def text(length: int) -> memoryview:
    return memoryview(TEXT)[:length]


def out(length: int) -> memoryview:
    return memoryview(OUT)[:length]


BLOCK = 64
"""A block of SHA-256. Each of many messages counts as one block more."""
TAG = 16
"""A tag. Each of many messages of a cipher counts as so many bytes more: a block of AES."""

GCM = keylane.AESGCM(bytes(32))
RANDOM = keylane.RandomNonces(keylane.XAES256GCM(bytes(32)))
CALLS: dict[str, Call] = {
    "sha256": lambda n: keylane.sha256(text(n)),
    "Hash.update": lambda n: keylane.sha512().update(text(n)),
    "digest_many": lambda n: keylane.digest_many("sha256", [text(n // 2 - BLOCK)] * 2),
    "Hash.digest_many": lambda n: keylane.sha256().digest_many([text(n // 2 - BLOCK)] * 2),
    "digest_many, empty messages": lambda n: keylane.digest_many("sha256", [b""] * (n // BLOCK)),
    "hmac.digest": lambda n: keylane.hmac.digest(b"key", text(n), "sha256"),
    "hmac.new": lambda n: keylane.hmac.new(b"key", text(n), "sha256"),
    "HMAC.update": lambda n: keylane.hmac.new(b"key", None, "sha384").update(text(n)),
    "HmacKey": lambda n: keylane.HmacKey(text(n), "sha256"),
    "HmacKey.mac": lambda n: HMAC_KEY.mac(text(n)),
    "HmacKey.mac_many": lambda n: HMAC_KEY.mac_many([text(n // 2 - BLOCK)] * 2),
    "HmacKey.mac_each": lambda n: keylane.HmacKey.mac_each([HMAC_KEY] * 2, [text(n // 2 - BLOCK)] * 2),
    "HmacKey.mac_many, empty messages": lambda n: HMAC_KEY.mac_many([b""] * (n // BLOCK)),
    "HmacKey.verify": lambda n: pytest.raises(keylane.InvalidTag, HMAC_KEY.verify, text(n), bytes(32)),
    "HmacKey.verify_many": lambda n: pytest.raises(
        keylane.InvalidTag, HMAC_KEY.verify_many, [text(n // 2 - BLOCK)] * 2, [bytes(32)] * 2
    ),
    "HmacKey.verify_many, empty messages": lambda n: pytest.raises(
        keylane.InvalidTag, HMAC_KEY.verify_many, [b""] * (n // BLOCK), [bytes(32)] * (n // BLOCK)
    ),
    "HmacKey.start": lambda n: HMAC_KEY.start(text(n)),
    "AESGCM.encrypt": lambda n: GCM.encrypt(bytes(12), text(n), None),
    "AESGCM.encrypt, associated data": lambda n: GCM.encrypt(bytes(12), b"", text(n)),
    "AESGCM.decrypt": lambda n: GCM.decrypt(bytes(12), sealed(n), None),
    "AESGCM.encrypt_into": lambda n: GCM.encrypt_into(bytes(12), text(n), None, out(n + 16)),
    "AESGCM.decrypt_into": lambda n: GCM.decrypt_into(bytes(12), sealed(n), None, out(n - 16)),
    "AESGCM.encrypt_many": lambda n: GCM.encrypt_many([bytes(12)], [text(n - TAG)]),
    "AESGCM.encrypt_many, associated data": lambda n: GCM.encrypt_many([bytes(12)], [b""], [text(n - TAG)]),
    "AESGCM.encrypt_many, empty messages": lambda n: GCM.encrypt_many(
        bytes(12 * (n // TAG)), [b""] * (n // TAG)
    ),
    "AESGCM.decrypt_many": lambda n: GCM.decrypt_many([bytes(12)], [sealed(n)]),
    "AESGCM.encrypt_many_into": lambda n: GCM.encrypt_many_into(
        [bytes(12)], out(n - TAG), [0, n - TAG], bytearray(TAG)
    ),
    "RandomNonces.decrypt": lambda n: pytest.raises(keylane.InvalidTag, RANDOM.decrypt, text(n)),
    "ChaCha20Poly1305.encrypt": lambda n: keylane.ChaCha20Poly1305(bytes(32)).encrypt(
        bytes(12), text(n), None
    ),
    "XChaCha20Poly1305.encrypt": lambda n: keylane.XChaCha20Poly1305(bytes(32)).encrypt(
        bytes(24), text(n), None
    ),
    "AESCTR.update": lambda n: keylane.AESCTR(bytes(32), bytes(16)).update(text(n)),
    "AESCTR.update_into": lambda n: keylane.AESCTR(bytes(32), bytes(16)).update_into(text(n), out(n)),
    "ChaCha20.update": lambda n: keylane.ChaCha20(bytes(32), bytes(12)).update(text(n)),
    "Poly1305.update": lambda n: keylane.Poly1305(bytes(32)).update(text(n)),
    "Poly1305.generate_tag": lambda n: keylane.Poly1305.generate_tag(bytes(32), text(n)),
}
# A derivation's work is its iterations: n / 64 compressions count as n bytes.
LONG_CALLS: dict[str, Call] = CALLS | {
    "pbkdf2_hmac": lambda n: keylane.pbkdf2_hmac("sha256", b"password", b"salt", n // 64),
    "pbkdf2_hmac_many": lambda n: keylane.pbkdf2_hmac_many(
        "sha256", [b"password"] * 4, [b"salt"] * 4, n // 256
    ),
    "hkdf": lambda n: keylane.hkdf("sha256", text(n), None, None, 32),
    # Even of a short message: os.urandom() releases the GIL.
    "RandomNonces.encrypt": lambda n: RANDOM.encrypt(text(n)),
}


@pytest.fixture
def switching_on_request_only() -> Iterator[None]:
    """Disables switching threads by time, so that another thread runs only when a call releases the GIL."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    gc.disable()
    yield
    gc.enable()
    sys.setswitchinterval(interval)


class Bystander:
    """A thread that waits for the GIL once it is woken, and then does something."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.ran = False
        self.error: Exception | None = None
        self._act = act
        self._ready, self._go = threading.Lock(), threading.Lock()
        self._ready.acquire()
        self._go.acquire()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.acquire()  # waits, without the GIL, until the thread has it

    def _run(self) -> None:
        self._ready.release()
        self._go.acquire()  # waits without the GIL, and needs it to return
        self.ran = True
        try:
            self._act()
        except Exception as error:
            self.error = error

    def wake(self) -> None:
        self._go.release()

    def join(self) -> None:
        self._thread.join()


def runs_during(call: Callable[[], object], bystander: Bystander) -> bool:
    """Returns whether one of many calls releases the GIL to the bystander: some end before it is awake."""
    bystander.wake()
    assert not bystander.ran
    give_up = time.monotonic() + 20
    while not bystander.ran and time.monotonic() < give_up:
        call()
    ran = bystander.ran
    bystander.join()
    return ran


@pytest.mark.usefixtures("switching_on_request_only")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_a_long_call_lets_others_run(name: str) -> None:
    call = LONG_CALLS[name]
    assert runs_during(lambda: call(LONG), Bystander())


BIG = 64 << 20
"""A length that malloc() requests from the system each time, so that its pages are new."""

RESULTS: dict[str, Callable[[bytearray], object]] = {
    "AESGCM.encrypt": lambda data: GCM.encrypt(bytes(12), data, None),
    "AESGCM.decrypt": lambda data: pytest.raises(keylane.InvalidTag, GCM.decrypt, bytes(12), data, None),
    "AESGCM.encrypt_many": lambda data: GCM.encrypt_many([bytes(12)], [data]),
    "ChaCha20Poly1305.encrypt": lambda data: keylane.ChaCha20Poly1305(bytes(32)).encrypt(
        bytes(12), data, None
    ),
    "AESCTR.update": lambda data: keylane.AESCTR(bytes(32), bytes(16)).update(data),
}


def resident() -> int:
    """Returns the number of bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.usefixtures("switching_on_request_only")
@pytest.mark.parametrize("name", RESULTS)
def test_others_run_while_the_result_gets_its_memory(name: str) -> None:
    """The system zeroes pages when they are first written to, which takes as long as encrypting them."""
    call, data, growth = RESULTS[name], bytearray(b"\xaa" * BIG), [BIG]
    give_up = time.monotonic() + 20
    while min(growth) > BIG // 2 and time.monotonic() < give_up:
        before = resident()
        bystander = Bystander(partial(lambda before: growth.append(resident() - before), before))
        bystander.wake()
        call(data)
        bystander.join()
    assert min(growth) <= BIG // 2


@pytest.mark.usefixtures("switching_on_request_only")
def test_buffers_are_held_while_they_are_used() -> None:
    """Otherwise another thread could resize them, and the call would use freed memory."""
    data, nonce, sealed = bytearray(TEXT), bytearray(12), bytearray(LONG + 16)
    for held in (data, nonce, sealed):
        bystander = Bystander(held.clear)
        assert runs_during(lambda: GCM.encrypt_into(nonce, data, None, sealed), bystander)
        assert isinstance(bystander.error, BufferError)


@pytest.mark.usefixtures("switching_on_request_only")
def test_a_list_of_messages_may_change_during_the_call() -> None:
    texts = [bytes([i]) * (LONG // 256) for i in range(256)]
    expected = HMAC_KEY.mac_many(texts)
    results: list[list[bytes]] = []
    given = list(texts)
    bystander = Bystander(given.clear)
    assert runs_during(lambda: results.append(HMAC_KEY.mac_many(given)), bystander)
    assert given == [] and bystander.error is None
    assert all(tags == expected for tags in results)


@pytest.mark.usefixtures("switching_on_request_only")
@pytest.mark.parametrize("name", CALLS)
def test_a_short_call_keeps_the_gil(name: str) -> None:
    call, bystander = CALLS[name], Bystander()
    call(GIL_LIMIT)
    bystander.wake()
    for _ in range(200):
        call(GIL_LIMIT)
    ran = bystander.ran
    bystander.join()
    assert not ran


THREADS, ROUNDS = 4, 50


def side_by_side(work: Callable[[int], None]) -> None:
    """Runs `work` in several threads that switch often. Raises the exception of any of them."""
    barrier = threading.Barrier(THREADS)

    def begin(i: int) -> None:
        barrier.wait()
        work(i)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(begin, range(THREADS)))
    finally:
        sys.setswitchinterval(interval)


# On both sides of the limit, for calls that wait for each other with and without the GIL.
PIECES = [b"a" * 100, b"a" * 5000]


def test_a_shared_mac_takes_every_piece_once() -> None:
    shared: list[keylane.Hash | keylane.hmac.HMAC] = [
        keylane.sha256(),
        keylane.hmac.new(b"key", None, "sha512"),
    ]
    theirs: list[hashlib._Hash | hmac.HMAC] = [hashlib.sha256(), hmac.new(b"key", None, "sha512")]
    for ours, expected in zip(shared, theirs):

        def work(i: int, running: keylane.Hash | keylane.hmac.HMAC = ours) -> None:
            for round in range(ROUNDS):
                running.update(PIECES[(i + round) % 2])
                running.copy().update(b"another")
                running.digest()

        side_by_side(work)
        for _ in range(THREADS * ROUNDS // 2):
            expected.update(PIECES[0] + PIECES[1])
        assert ours.digest() == expected.digest()


@pytest.mark.parametrize("kind", STREAMS, ids=lambda kind: kind.name)
def test_a_shared_key_stream_uses_every_byte_once(kind: StreamKind) -> None:
    stream, lengths = kind.stream(), [64, 4096]
    taken: list[bytes] = []

    def work(i: int) -> None:
        for round in range(ROUNDS):
            length = lengths[(i + round) % 2]
            if round % 3:
                taken.append(stream.update(bytes(length)))
            else:
                piece = bytearray(length)
                stream.update_into(piece, piece)
                taken.append(bytes(piece))

    side_by_side(work)
    whole = kind.stream().update(bytes(sum(map(len, taken))))
    # The key stream's pieces begin at multiples of 64, and no 64 bytes of it occur twice.
    places = {whole[at : at + 64]: at for at in range(0, len(whole), 64)}
    pieces = sorted((places[piece[:64]], piece) for piece in taken)
    assert b"".join(piece for _, piece in pieces) == whole
    assert stream.position == len(whole)


def test_a_shared_poly1305_takes_every_piece_once() -> None:
    running = keylane.Poly1305(octets(32))

    def work(i: int) -> None:
        for round in range(ROUNDS):
            running.update(PIECES[(i + round) % 2])

    side_by_side(work)
    expected = keylane.Poly1305.generate_tag(octets(32), (PIECES[0] + PIECES[1]) * (THREADS * ROUNDS // 2))
    assert running.finalize() == expected


def test_a_shared_poly1305_is_finished_by_one() -> None:
    for _ in range(20):
        running, tags = keylane.Poly1305(octets(32)), list[bytes]()

        def work(_: int, running: keylane.Poly1305 = running, tags: list[bytes] = tags) -> None:
            with suppress(keylane.AlreadyFinalized):
                tags.append(running.finalize())

        side_by_side(work)
        assert tags == [keylane.Poly1305.generate_tag(octets(32), b"")]


def test_keys_are_shared_freely() -> None:
    texts = [octets(length, length) for length in (0, 10, 2000, 3000, 60_000)]
    tags = HMAC_KEY.mac_many(texts)
    sealed = [[kind.cipher().encrypt(kind.nonce(), data, None) for data in texts] for kind in AEADS]
    ciphers = [kind.cipher() for kind in AEADS]

    def work(i: int) -> None:
        for round in range(ROUNDS):
            at = (i + round) % len(texts)
            assert HMAC_KEY.mac(texts[at]) == tags[at]
            HMAC_KEY.verify_many(texts, tags)
            for kind, cipher, expected in zip(AEADS, ciphers, sealed):
                assert cipher.encrypt(kind.nonce(), texts[at], None) == expected[at]
                assert cipher.decrypt(kind.nonce(), expected[at], None) == texts[at]

    side_by_side(work)


def changing(change: Callable[[], None], work: Callable[[], None]) -> None:
    """Calls `work` while another thread calls `change` whenever it gets the GIL."""
    done = False

    def repeat() -> None:
        while not done:
            change()

    with ThreadPoolExecutor(1) as pool:
        repeated = pool.submit(repeat)
        try:
            work()
        finally:
            done = True
        repeated.result()


RACED = octets(400_000) + bytes(1)
"""Memory that another thread changes during a call: so long that the thread gets to run meanwhile."""


NONCES = [(kind, kind.nonce_len) for kind in AEADS] + [(kind, 16) for kind in AEADS if kind.new is keylane.AESGCM]


def flipping(memory: bytearray | memoryview) -> Callable[[], None]:
    """Changes the last byte of RACED from 0 to 1 and back. A single read sees one of two texts."""
    at, values = len(RACED) - 1, cycle((1, 0))

    def flip() -> None:
        memory[at] = next(values)

    return flip


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_what_changes_during_encryption_is_read_once(kind: AeadKind) -> None:
    cipher, nonce, random = kind.cipher(), kind.nonce(), kind.with_random_nonces()
    results = [cipher.encrypt(nonce, RACED[:-1] + last, None) for last in (b"\0", b"\1")]
    data, apart, in_place = bytearray(RACED), bytearray(len(RACED) + 16), bytearray(len(RACED) + 16)
    text = memoryview(in_place)[: len(RACED)]
    flip, flip_text = flipping(data), flipping(text)

    def change() -> None:
        flip()
        flip_text()

    def encrypt() -> None:
        for _ in range(30):
            assert cipher.encrypt(nonce, data, None) in results
            assert all(sealed in results for sealed in cipher.encrypt_many([nonce] * 2, [data] * 2))
            if random:
                assert random.decrypt(random.encrypt(data))[:-1] == RACED[:-1]
            cipher.encrypt_into(nonce, data, None, apart)
            assert apart in results
            text[:] = RACED
            cipher.encrypt_into(nonce, text, None, in_place)
            assert in_place[-16:] in [result[-16:] for result in results]
            text[:], tag = RACED, bytearray(16)
            cipher.encrypt_many_into([nonce], text, [0, len(text)], tag)
            assert tag in [result[-16:] for result in results]

    changing(change, encrypt)


FLIPPING = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
at = len(memory) // 2
right, wrong = memory[at], memory[at] ^ 1
print(flush=True)
while True:
    memory[at] = wrong
    memory[at] = right
"""
"""Changes a byte of a file's memory back and forth, without the GIL of the process that reads it."""


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_what_changes_during_decryption_does_not_pass_as_authentic(kind: AeadKind, tmp_path: Path) -> None:
    """It would if the data were read twice: once for the tag, once for the text."""
    cipher, nonce, opened = kind.cipher(), kind.nonce(), bytearray(len(RACED))
    random = kind.with_random_nonces()
    path = tmp_path / "sealed"
    path.write_bytes(nonce + cipher.encrypt(nonce, RACED, None))
    with (
        path.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as memory,
        memoryview(memory) as whole,
        whole[len(nonce) :] as sealed,
    ):
        command = [sys.executable, "-c", FLIPPING, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"\n"
            try:
                for _ in range(400):
                    with suppress(keylane.InvalidTag):
                        cipher.decrypt_into(nonce, sealed, None, opened)
                        assert opened == RACED
                    with suppress(keylane.InvalidTag):
                        assert cipher.decrypt(nonce, sealed, None) == RACED
                    with suppress(keylane.InvalidTag):
                        assert cipher.decrypt_many([nonce] * 2, [sealed] * 2) == [RACED] * 2
                    with suppress(keylane.InvalidTag):
                        assert random is None or random.decrypt(whole) == RACED
            finally:
                process.kill()


@pytest.mark.parametrize(("kind", "nonce_len"), NONCES, ids=lambda value: getattr(value, "name", value))
def test_what_is_written_to_the_output_of_a_decryption_is_not_read(kind: AeadKind, nonce_len: int) -> None:
    cipher, nonce, opened = kind.cipher(), octets(nonce_len), bytearray(len(RACED))
    sealed, noise = cipher.encrypt(nonce, RACED, None), bytes(len(RACED))

    def write() -> None:
        opened[:] = noise

    def decrypt() -> None:
        for _ in range(50):
            cipher.decrypt_into(nonce, sealed, None, opened)

    changing(write, decrypt)


@pytest.mark.parametrize("name", ["hkdf", "hkdf_expand", "pbkdf2_hmac", "pbkdf2_hmac_many"])
def test_what_a_derivation_reads_once_a_block_is_copied(name: str) -> None:
    """Otherwise blocks of one key could be derived with different infos or salts."""
    given = bytearray(RACED[-20_000:])
    derive: Callable[[bytes | bytearray], bytes] = {
        "hkdf": lambda info: keylane.hkdf("sha256", b"key", None, info, 1000),
        "hkdf_expand": lambda info: keylane.hkdf_expand("sha256", bytes(32), info, 1000),
        "pbkdf2_hmac": lambda salt: keylane.pbkdf2_hmac("sha256", b"password", salt, 1, 1000),
        "pbkdf2_hmac_many": lambda salt: b"".join(
            keylane.pbkdf2_hmac_many("sha256", [b"password"] * 2, [salt, bytes(salt)], 1, 1000)[:1]
        ),
    }[name]
    keys = [derive(bytes(given[:-1]) + last) for last in (b"\0", b"\1")]
    values = cycle((1, 0))

    def change() -> None:
        given[-1] = next(values)

    def call() -> None:
        for _ in range(200):
            assert derive(given) in keys

    changing(change, call)


@pytest.mark.parametrize(("kind", "nonce_len"), NONCES, ids=lambda value: getattr(value, "name", value))
def test_a_nonce_that_changes_during_a_call_is_one_nonce(kind: AeadKind, nonce_len: int) -> None:
    """If it were read twice, there could be two, one of which another message has used."""
    cipher, nonce = kind.cipher(), bytearray(nonce_len)
    nonces = [bytes(nonce), b"\1" * len(nonce)]
    results = [cipher.encrypt(given, TEXT, None) for given in nonces]
    sealed, opened = bytearray(len(TEXT) + 16), bytearray(len(TEXT))

    def change() -> None:
        nonce[:] = nonces[nonce[0] ^ 1]

    def call() -> None:
        for _ in range(10):
            assert cipher.encrypt(nonce, TEXT, None) in results
            cipher.encrypt_into(nonce, TEXT, None, sealed)
            assert sealed in results
            with suppress(keylane.InvalidTag):
                assert cipher.decrypt(nonce, results[0], None) == TEXT
            with suppress(keylane.InvalidTag):
                cipher.decrypt_into(nonce, results[0], None, opened)
                assert opened == TEXT

    changing(change, call)
