"""Misuse raises the same exceptions as in the standard library and cryptography. What is no buffer, or not a
contiguous one, is in test_buffers.py.
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import hmac
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from mmap import mmap
from typing import Any

import cryptography.exceptions
import keylane
import numpy as np
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import aead
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from subjects import AEADS, HASHES, AeadKind, octets

# Typed as Any, so that wrong types can be passed.
ours: Any = keylane
theirs: Any = hashlib


def raised(call: Callable[[], object]) -> type[BaseException] | None:
    """Returns the exception as Python's own class or cryptography's: hashlib raises a private ValueError."""
    try:
        call()
    except (InvalidTag, keylane.InvalidTag):
        return InvalidTag
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return None


# Arguments for hashlib's functions and ours; some are valid.
HASHING: list[Callable[[Any], object]] = [
    lambda lib: lib.new("sha256", b"text"),
    lambda lib: lib.new("md17"),
    lambda lib: lib.new(""),
    lambda lib: lib.new(None),
    lambda lib: lib.new(256),
    lambda lib: lib.new(b"sha256"),
    lambda lib: lib.new(),
    lambda lib: lib.new("sha256", "text"),
    lambda lib: lib.sha256("text"),
    lambda lib: lib.sha256(b"", b""),
    lambda lib: lib.sha256(salt=b""),
    lambda lib: lib.sha256().update(),
    lambda lib: lib.sha256().update(b"", b""),
    lambda lib: lib.sha256().digest(32),
    lambda lib: type(lib.sha256())(),
    lambda lib: pickle.dumps(lib.sha256()),
    lambda lib: copy.copy(lib.sha256()),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", True),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 0),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1 << 32),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1.0),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", "1"),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", None),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1, None),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1, 0),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1, 1 << 31),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", 1, 1.5),
    lambda lib: lib.pbkdf2_hmac("md17", b"password", b"salt", 1),
    lambda lib: lib.pbkdf2_hmac(None, b"password", b"salt", 1),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt"),
    lambda lib: lib.pbkdf2_hmac("sha256", b"password", b"salt", rounds=1),
]


@pytest.mark.parametrize("number", range(len(HASHING)))
def test_hashing_raises_what_hashlib_raises(number: int) -> None:
    call = HASHING[number]
    assert raised(lambda: call(keylane)) is raised(lambda: call(hashlib))


WRONG_NAMES = ["sha_256", "-sha256", "sha256-", "s-h-a256", "sha25-6", "sha512/_256", " sha256", "ſha256"]


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_names_that_hashlib_refuses(name: str) -> None:
    for library in (ours, theirs):
        with pytest.raises(ValueError):
            library.new(name)
    with pytest.raises(ValueError):
        keylane.hmac.new(b"key", b"text", name)
    with pytest.raises(ValueError):
        keylane.pbkdf2_hmac(name, b"password", b"salt", 1)


MACS: list[Callable[[Any], object]] = [
    lambda lib: lib.new(b"key", b"text", "sha256"),
    lambda lib: lib.new(b"key", None, "sha256"),
    lambda lib: lib.new(b"key", digestmod="sha256"),
    lambda lib: lib.new(b"key"),
    lambda lib: lib.new(b"key", b"text"),
    lambda lib: lib.new(b"key", b"text", ""),
    lambda lib: lib.new(b"key", b"text", None),
    lambda lib: lib.new(b"key", b"text", "md17"),
    lambda lib: lib.new(b"key", b"text", hashlib),
    lambda lib: lib.new(),
    lambda lib: lib.HMAC(b"key"),
    lambda lib: lib.HMAC(b"key", b"text", "sha256"),
    lambda lib: lib.new(b"key", b"text", "sha256").update(),
    lambda lib: lib.new(b"key", b"text", "sha256").update(msg=b"text"),
    lambda lib: lib.new(b"key", b"text", "sha256").digest(32),
    lambda lib: pickle.dumps(lib.new(b"key", b"text", "sha256")),
    lambda lib: lib.digest(b"key", b"text", "sha256"),
    lambda lib: lib.digest(b"key", b"text", "md17"),
    lambda lib: lib.digest(b"key", b"text", ""),
    lambda lib: lib.digest(b"key", None, "sha256"),
    lambda lib: lib.digest(b"key", b"text", digestmod="sha256"),
    lambda lib: lib.digest(b"key", b"text", lambda: 1 // 0),
]


@pytest.mark.parametrize("number", range(len(MACS)))
def test_hmac_raises_what_hmac_raises(number: int) -> None:
    call = MACS[number]
    assert raised(lambda: call(keylane.hmac)) is raised(lambda: call(hmac))


# ---- authenticated encryption, compared with cryptography's

SEALED = aead.AESGCM(bytes(16)).encrypt(bytes(12), b"text", None)
AEAD_CALLS: list[Callable[[Any], object]] = [
    lambda c: c.encrypt(bytes(12), b"text", None),
    lambda c: c.encrypt(bytes(12), b"text", b""),
    lambda c: c.encrypt(nonce=bytes(12), data=b"text", associated_data=None),
    lambda c: c.encrypt(bytes(12), b"text"),
    lambda c: c.encrypt(b"", b"text", None),
    lambda c: c.encrypt(bytes(7), b"text", None),
    lambda c: c.encrypt(bytes(129), b"text", None),
    lambda c: c.decrypt(bytes(12), SEALED, b"other"),
    lambda c: c.decrypt(bytes(12), b"", None),
    lambda c: c.decrypt(bytes(12), bytes(2000), None),
    lambda c: c.decrypt(bytes(7), bytes(30), None),
    lambda c: c.encrypt_into(bytes(12), b"text", None, bytearray(20)),
    lambda c: c.encrypt_into(bytes(12), b"text", None, bytearray(21)),
    lambda c: c.encrypt_into(bytes(12), b"text", None),
    lambda c: c.encrypt_into(bytes(7), b"text", None, bytearray(20)),
    lambda c: c.decrypt_into(bytes(12), bytes(36), None, bytearray(20)),
    lambda c: c.decrypt_into(bytes(12), bytes(36), None, bytearray(21)),
    lambda c: c.decrypt_into(bytes(12), bytes(10), None, bytearray()),
    lambda c: c.decrypt_into(bytes(7), bytes(36), None, bytearray(20)),
    lambda c: pickle.dumps(c),
    lambda c: type(c)(bytes(15)),
    lambda c: type(c)(bytes(33)),
    lambda c: type(c)(),
    lambda c: type(c)(key=bytes(32)),
    lambda c: c.generate_key("128"),
    lambda c: c.generate_key(None),
]


@pytest.mark.parametrize("number", range(len(AEAD_CALLS)))
def test_aeads_raise_what_cryptography_raises(number: int) -> None:
    call = AEAD_CALLS[number]
    for new, new_theirs, key in [
        (keylane.AESGCM, aead.AESGCM, bytes(16)),
        (keylane.ChaCha20Poly1305, aead.ChaCha20Poly1305, bytes(32)),
    ]:
        assert raised(partial(call, new(key))) is raised(partial(call, new_theirs(key))), new


@pytest.mark.parametrize("bits", [0, 8, 127, 129, 255, 512, -128, 2**64, 2**64 + 128, 2**200, -(2**64)])
def test_keys_of_other_lengths_are_not_generated(bits: int) -> None:
    for cipher in (keylane.AESGCM, keylane.AESGCMSIV):
        with pytest.raises(ValueError):
            cipher.generate_key(bits)
    with pytest.raises(ValueError, match="^bit_length must be 128 or 256$"):
        keylane.AESGCMSIV.generate_key(192)


# ---- functions that only Keylane has

KEY: Any = keylane.HmacKey(b"key", "sha256")


@dataclass
class Index:
    """An object with __index__, as numpy's integers."""

    number: int

    def __index__(self) -> int:
        return self.number


class FailingIndex(Index):
    def __index__(self) -> int:
        return 1 // 0


CALLS: list[tuple[type[Exception], Callable[[], object]]] = [
    (TypeError, lambda: ours.HmacKey(b"key")),
    (ValueError, lambda: ours.HmacKey(b"key", "md17")),
    (TypeError, lambda: ours.HmacKey(b"key", None)),
    (TypeError, lambda: KEY.mac_many(5)),
    (ZeroDivisionError, lambda: KEY.mac_many(bytes(1 // i) for i in (1, 0))),
    (TypeError, lambda: ours.HmacKey.mac_each(KEY, [b"text"])),
    (TypeError, lambda: ours.HmacKey.mac_each([b"key"], [b"text"])),
    (ValueError, lambda: ours.HmacKey.mac_each([KEY, ours.HmacKey(b"", "sha512")], [b"text"] * 2)),
    # Two hashes whose tags have one length.
    (ValueError, lambda: ours.HmacKey.mac_each([KEY, ours.HmacKey(b"", "sha512_256")], [b"text"] * 2)),
    (TypeError, lambda: KEY.verify(b"text")),
    (TypeError, lambda: ours.verify_any(KEY, b"text", [])),
    (TypeError, lambda: ours.verify_any([b"key"], b"text", [])),
    (TypeError, lambda: ours.AESGCM(bytes(16), "12")),
    (TypeError, lambda: ours.digest_many(None, [b"text"])),
    (ValueError, lambda: ours.digest_many("md17", [b"text"])),
    (ValueError, lambda: ours.pbkdf2_hmac_many("sha256", [b"password"], [b"salt"], 0)),
    (ValueError, lambda: ours.pbkdf2_hmac_many("sha256", [b"password"], [b"salt"], 1, 0)),
    (OverflowError, lambda: ours.pbkdf2_hmac_many("sha256", [b"password"], [b"salt"], 1 << 32)),
    (ValueError, lambda: ours.pbkdf2_hmac_many("md17", [], [], 1)),
    (ValueError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", -(1 << 200))),
    (ValueError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", 1, -(1 << 200))),
    (OverflowError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", 1 << 200)),
    (OverflowError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", 1, 1 << 200)),
    (OverflowError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", (1 << 128) + 1)),
    (OverflowError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", Index(1 << 200))),
    (ValueError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", Index(-(1 << 200)))),
    (ZeroDivisionError, lambda: ours.pbkdf2_hmac("sha256", b"password", b"salt", FailingIndex(1))),
    (TypeError, lambda: ours.hkdf("sha256", b"key", None, None)),
    (TypeError, lambda: ours.hkdf("sha256", b"key", None, None, 1.5)),
    (ValueError, lambda: ours.hkdf("md17", b"key", None, None, 32)),
    (ValueError, lambda: ours.AESCTR(bytes(15), bytes(16))),
    (ValueError, lambda: ours.AESCTR(bytes(16), bytes(12))),
    (TypeError, lambda: ours.AESCTR(bytes(16))),
    (TypeError, lambda: ours.AESCTR(bytes(16), bytes(16)).seek("5")),
    (TypeError, lambda: ours.AESCTR(bytes(16), bytes(16)).seek(1.0)),
    (ValueError, lambda: ours.ChaCha20(bytes(31), bytes(12))),
    (ValueError, lambda: ours.ChaCha20(bytes(32), bytes(8))),
    (ValueError, lambda: ours.Poly1305(bytes(31))),
    (ValueError, lambda: ours.Poly1305.generate_tag(bytes(16), b"text")),
    (ValueError, lambda: ours.Poly1305.verify_tag(bytes(16), b"text", bytes(16))),
    (TypeError, lambda: ours.Poly1305(bytes(32)).verify()),
    (ValueError, lambda: ours.PBKDF2HMAC("sha256", 0, b"salt", 1)),
    (OverflowError, lambda: ours.PBKDF2HMAC("sha256", 1 << 31, b"salt", 1)),
    (TypeError, lambda: ours.Hash()),
    (TypeError, lambda: ours.Backend()),
    (TypeError, lambda: type("Derived", (ours.HmacKey,), {})),
    (TypeError, lambda: pickle.dumps(KEY)),
    (TypeError, lambda: pickle.dumps(ours.AESCTR(bytes(16), bytes(16)))),
    (TypeError, lambda: copy.deepcopy(KEY)),
    (AttributeError, lambda: setattr(KEY, "name", "other")),
    (AttributeError, lambda: setattr(KEY, "other", 1)),
]


SINGLE: list[Any] = [
    "",
    "text",
    b"",
    b"text",
    bytearray(),
    memoryview(b""),
    mmap(-1, 64),
    np.zeros(0),
    np.eye(4),
]


def test_the_item_that_is_no_message_is_named() -> None:
    for call in (KEY.mac_many, lambda texts: KEY.verify_many([b"text", b"text"], texts)):
        with pytest.raises(TypeError, match="^item 1: .*bytes-like.*'NoneType'"):
            call([bytes(32), None])


@pytest.mark.parametrize("message", SINGLE, ids=repr)
def test_one_message_is_not_several(message: Any) -> None:
    """An empty message would be an empty list, which verifies without tags; other items may have buffers."""
    calls: list[Callable[[], object]] = [
        lambda: KEY.mac_many(message),
        lambda: KEY.verify_many(message, message),
        lambda: KEY.verify_many([], message),
        lambda: ours.digest_many("sha256", message),
        lambda: ours.sha256().digest_many(message),
        lambda: ours.HmacKey.mac_each([], message),
        lambda: ours.verify_any([KEY], b"text", message),
        lambda: ours.pbkdf2_hmac_many("sha256", message, message, 1),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="not a single"):
            call()


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_wrong_calls(number: int) -> None:
    expected, call = CALLS[number]
    assert raised(call) is expected


def test_a_wrong_type_does_not_finish_a_poly1305() -> None:
    running = ours.Poly1305(octets(32))
    for wrong in (None, "x" * 16):
        with pytest.raises(TypeError):
            running.verify(wrong)
    assert running.finalize() == ours.Poly1305.generate_tag(octets(32), b"")


def test_a_refused_update_changes_nothing() -> None:
    for running in (ours.sha256(b"text"), ours.hmac.new(b"key", b"text", "sha256")):
        before = running.digest()
        for wrong in (None, "text", 5, memoryview(b"text")[::2]):
            with pytest.raises((TypeError, BufferError)):
                running.update(wrong)
        assert running.digest() == before


# ---- key derivation, compared with cryptography's

SHA256 = hashes.SHA256()
OURS_AND_THEIRS: dict[str, tuple[Any, Any]] = {
    "HKDF": (ours.HKDF, HKDF),
    "HKDFExpand": (ours.HKDFExpand, HKDFExpand),
    "PBKDF2HMAC": (ours.PBKDF2HMAC, PBKDF2HMAC),
}
PARAMETERS: dict[str, dict[str, Any]] = {
    "HKDF": {"algorithm": SHA256, "length": 40, "salt": b"salt", "info": b"info"},
    "HKDFExpand": {"algorithm": SHA256, "length": 40, "info": b"info"},
    "PBKDF2HMAC": {"algorithm": SHA256, "length": 40, "salt": b"salt", "iterations": 2},
}
DERIVING: list[Callable[[Any, dict[str, Any]], object]] = [
    lambda kdf, given: kdf(**given).derive(bytes(32)),
    lambda kdf, given: kdf(*given.values()).derive(bytes(32)),
    lambda kdf, given: kdf(*given.values(), None).derive(key_material=bytes(32)),
    lambda kdf, given: kdf(**given, backend="any").derive(bytes(32)),
    lambda kdf, given: kdf(**given, other=None),
    lambda kdf, given: kdf(),
    lambda kdf, given: kdf(**given | {"length": 1.5}),
    lambda kdf, given: kdf(**given | {"length": None}),
    lambda kdf, given: kdf(**given | {"algorithm": hashes.SHA3_256()}),
    lambda kdf, given: kdf(**given).derive(),
    lambda kdf, given: kdf(**given).derive(None),
    lambda kdf, given: kdf(**given).derive("k" * 32),
    lambda kdf, given: kdf(**given).verify(bytes(32)),
    lambda kdf, given: kdf(**given).verify(bytes(32), None),
    lambda kdf, given: kdf(**given).verify(bytes(32), "x" * 40),
    lambda kdf, given: kdf(**given).verify(bytes(32), bytes(40)),
    lambda kdf, given: kdf(**given).verify(bytes(32), b""),
    lambda kdf, given: kdf(**given).verify(
        key_material=bytes(32), expected_key=kdf(**given).derive(bytes(32))
    ),
    lambda kdf, given: pickle.dumps(kdf(**given)),
]


def outcome(call: Callable[[], object]) -> object:
    """Returns its result, or the class of the exception that it raises."""
    try:
        return call()
    except (cryptography.exceptions.InvalidKey, cryptography.exceptions.AlreadyFinalized) as error:
        return type(error)
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


@pytest.mark.parametrize("name", OURS_AND_THEIRS)
@pytest.mark.parametrize("number", range(len(DERIVING)))
def test_derivations_do_what_cryptography_s_do(number: int, name: str) -> None:
    call, (our_kdf, their_kdf), given = DERIVING[number], OURS_AND_THEIRS[name], PARAMETERS[name]
    if number == 8:  # cryptography has that hash
        assert outcome(lambda: call(our_kdf, given)) is ValueError
    else:
        assert outcome(lambda: call(our_kdf, given)) == outcome(lambda: call(their_kdf, given))


@pytest.mark.parametrize("name", OURS_AND_THEIRS)
def test_a_derivation_can_be_used_once(name: str) -> None:
    uses: list[Callable[[Any], object]] = [
        lambda kdf: kdf.derive(bytes(32)),
        lambda kdf: kdf.verify(bytes(32), b"another key"),
        lambda kdf: kdf.derive(None),
    ]
    for first in uses:
        for second in uses:
            results = []
            for kdf in OURS_AND_THEIRS[name]:
                once = kdf(**PARAMETERS[name])
                results.append((outcome(partial(first, once)), outcome(partial(second, once))))
            assert results[0] == results[1]


def test_a_derivation_that_failed_was_used() -> None:
    once = keylane.HKDFExpand("sha256", 32, None)
    for error in (ValueError, keylane.AlreadyFinalized):
        with pytest.raises(error):
            once.derive(b"a key shorter than the digest")


EXCEPTIONS = ["AlreadyFinalized", "InvalidKey", "InvalidTag"]


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions_are_those_of_cryptography(name: str) -> None:
    assert getattr(keylane, name) is getattr(cryptography.exceptions, name)


def test_handlers_of_cryptography_s_exceptions_handle_ours() -> None:
    with pytest.raises(cryptography.exceptions.InvalidTag, match="the tag does not match the message"):
        KEY.verify(b"text", bytes(32))
    running = keylane.Poly1305(bytes(32))
    running.finalize()
    with pytest.raises(cryptography.exceptions.AlreadyFinalized):
        running.finalize()


def run(program: str) -> str:
    """Returns the output of a program in a separate Python."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


FORGERY = """
try:
    keylane.HmacKey(b"key", "sha256").verify(b"text", bytes(32))
except keylane.InvalidTag as error:
    print(type(error).__module__, error)
"""


def test_cryptography_is_not_imported_before_it_is_needed() -> None:
    use = 'keylane.AESGCM(bytes(16)).encrypt(bytes(12), b"", None); keylane.sha256(b"text")'
    assert run(f"import sys, keylane; {use}; print('cryptography' in sys.modules)") == "False\n"
    assert run(f"import keylane{FORGERY}") == "cryptography.exceptions the tag does not match the message\n"


@pytest.mark.parametrize(
    "instead",
    [
        "sys.modules['cryptography'] = None",
        "sys.modules['cryptography.exceptions'] = types.ModuleType('empty')",
        "sys.modules['cryptography.exceptions'] = types.SimpleNamespace(InvalidTag=int)",
    ],
)
def test_exceptions_without_cryptography(instead: str) -> None:
    """Not a ValueError, as in cryptography: handlers of bad arguments must not handle forgeries."""
    bases = f"for name in {EXCEPTIONS}: print(getattr(keylane, name).__mro__)"
    own = run(f"import sys, types\n{instead}\nimport keylane{FORGERY}\n{bases}")
    first, *rest = own.splitlines()
    assert first == "keylane the tag does not match the message"
    others = "<class 'Exception'>, <class 'BaseException'>, <class 'object'>"
    assert rest == [f"(<class 'keylane.{name}'>, {others})" for name in EXCEPTIONS]


INTERRUPTED = """
import sys, keylane

class Interrupting:
    def find_spec(self, name, *others):
        sys.meta_path.remove(self)
        raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
try:
    keylane.InvalidTag
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_while_cryptography_is_imported_is_passed_on() -> None:
    """And the next error is again of cryptography's class."""
    expected = "interrupted\ncryptography.exceptions the tag does not match the message\n"
    assert run(INTERRUPTED + FORGERY) == expected


def test_other_names_are_missing() -> None:
    with pytest.raises(AttributeError, match="module 'keylane' has no attribute 'InvalidSignature'"):
        ours.InvalidSignature


def huge(length: int) -> memoryview:
    """A buffer that claims this length. Reading it crashes the process."""
    return memoryview((ctypes.c_char * length).from_address(1 << 12))


TOO_LONG: list[Callable[[Any], object]] = [
    lambda half: keylane.digest_many("sha256", [half] * 4),
    lambda half: keylane.sha256().digest_many([half] * 4),
    lambda half: KEY.mac_many([half] * 4),
    lambda half: keylane.HmacKey.mac_each([KEY] * 4, [half] * 4),
    lambda half: KEY.verify_many([half] * 4, [bytes(32)] * 4),
    lambda half: keylane.hkdf("sha256", half, half, half, 255),
    lambda half: keylane.hkdf_expand("sha256", half, half, 255),
    lambda half: keylane.pbkdf2_hmac_many("sha256", [half] * 2, [half] * 2, 1),
]


@pytest.mark.parametrize("number", range(len(TOO_LONG)))
def test_lengths_whose_sum_is_too_large(number: int) -> None:
    with pytest.raises(OverflowError, match="too long together"):
        TOO_LONG[number](huge(sys.maxsize))


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0), (1, 2)])
def test_the_message_for_a_wrong_number_of_items(first: int, second: int) -> None:
    with pytest.raises(ValueError, match=f"^{first} tags are needed, not {second}$"):
        KEY.verify_many([b""] * first, [b""] * second)
    with pytest.raises(ValueError, match=f"^{first} messages are needed, not {second}$"):
        keylane.HmacKey.mac_each([KEY] * first, [b""] * second)
    with pytest.raises(ValueError, match=f"^{first} salts are needed, not {second}$"):
        keylane.pbkdf2_hmac_many("sha256", [b""] * first, [b""] * second, 1)


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_repr_prints_the_algorithm_and_no_key(kind: AeadKind) -> None:
    key = octets(kind.key_len)
    aead = kind.cipher()
    things: dict[str, Any] = {f"keylane.{type(aead).__name__} {kind.name}": aead}
    if random := kind.with_random_nonces():
        things[f"keylane.RandomNonces {kind.name}"] = random
    things |= {f"keylane.HmacKey hmac-{name}": keylane.HmacKey(key, name) for name in HASHES}
    things["keylane.hmac.HMAC hmac-sha256"] = keylane.hmac.new(key, key, "sha256")
    things[f"keylane.AESCTR aes-{8 * len(key)}-ctr"] = keylane.AESCTR(key, octets(16))
    things["keylane.ChaCha20 "] = keylane.ChaCha20(octets(32), octets(12))
    things["keylane.Poly1305 "] = keylane.Poly1305(octets(32))
    for name, thing in things.items():
        assert repr(thing).startswith(f"<{name}")
        for shown in (repr(thing), str(thing), format(thing)):
            assert len(shown) < 100 and key.hex() not in shown and repr(key)[2:-1] not in shown
        assert not hasattr(thing, "__dict__")
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            message = f"cannot pickle or copy '{type(thing).__name__}', which holds a key: make it in each"
            with pytest.raises(TypeError, match=message):
                take(thing)
