"""HMAC in one call, and with a key that is prepared once. test_running.py tests running ones."""

from __future__ import annotations

import hashlib
import hmac
import sys
import types
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import keylane
import pytest
from cryptography.hazmat.primitives import hashes as cryptography_hashes
from cryptography.hazmat.primitives.hashes import HashAlgorithm
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, messages, octets, short

hashes = st.sampled_from(HASHES)


@given(hashes, short, messages)
def test_digest(name: str, key: bytes, msg: bytes) -> None:
    expected = hmac.digest(key, msg, name)
    assert keylane.hmac.digest(key, msg, name) == expected
    assert keylane.hmac.digest(key=key, msg=msg, digest=name) == expected
    assert keylane.hmac.new(key, msg, name).digest() == expected
    assert keylane.hmac.new(key=key, msg=msg, digestmod=name).digest() == expected
    assert keylane.HmacKey(key, name).mac(msg) == expected


def module_with(new: Callable[[], object]) -> types.ModuleType:
    """Returns a hash in the form of PEP 247."""
    module = types.ModuleType("module")
    module.__dict__["new"] = new
    return module


def takers(digestmod: Any) -> list[bytes]:
    """Returns the results of every function that takes a hash."""
    return [
        keylane.hmac.new(b"key", b"text", digestmod).digest(),
        keylane.hmac.HMAC(b"key", b"text", digestmod).digest(),
        keylane.hmac.digest(b"key", b"text", digestmod),
        keylane.HmacKey(b"key", digestmod).mac(b"text"),
        keylane.new(digestmod, b"text").digest(),
        *keylane.digest_many(digestmod, [b"text"]),
        keylane.pbkdf2_hmac(digestmod, b"password", b"salt", 2),
        *keylane.pbkdf2_hmac_many(digestmod, [b"password"], [b"salt"], 2),
        keylane.hkdf(digestmod, b"key", b"salt", b"info", 40),
        keylane.hkdf_extract(digestmod, b"key", b"salt"),
        keylane.hkdf_expand(digestmod, bytes(64), b"info", 40),
        keylane.HKDF(digestmod, 40, b"salt", b"info").derive(b"key"),
        keylane.HKDFExpand(digestmod, 40, b"info").derive(bytes(64)),
        keylane.PBKDF2HMAC(digestmod, 40, b"salt", 2).derive(b"password"),
    ]


@pytest.mark.parametrize("name", HASHES)
def test_a_hash_can_be_a_name_a_constructor_a_module_or_cryptography_s(name: str) -> None:
    ours: Callable[[], keylane.Hash] = getattr(keylane, name)
    theirs: Callable[[], hashlib._Hash] = getattr(hashlib, name, lambda: hashlib.new(name))
    cryptography_s: type[HashAlgorithm] = getattr(cryptography_hashes, name.upper())
    expected = takers(name)
    assert expected[0] == hmac.digest(b"key", b"text", name)
    for digestmod in (
        name.upper(),
        ours,
        theirs,
        module_with(ours),
        module_with(theirs),
        cryptography_s,
        cryptography_s(),
    ):
        assert takers(digestmod) == expected


@pytest.mark.parametrize("module", [None, types.ModuleType("hashes")])
def test_an_import_of_cryptography_that_is_blocked_or_not_done(
    module: types.ModuleType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.hashes", module)
    expected = hmac.digest(b"key", b"text", "sha256")
    assert keylane.hmac.digest(b"key", b"text", lambda: hashlib.sha256()) == expected


class Unnamed:
    """A hash without a name, as PyCryptodome's."""

    def __init__(self, name: str, data: bytes = b"") -> None:
        self._hash = hashlib.new(name, data)
        self.digest_size, self.block_size = self._hash.digest_size, self._hash.block_size

    def update(self, data: bytes) -> None:
        self._hash.update(data)

    def digest(self) -> bytes:
        return self._hash.digest()

    def copy(self) -> Unnamed:
        other = copy(self)
        other._hash = self._hash.copy()
        return other


@pytest.mark.parametrize("name", HASHES)
def test_a_hash_needs_no_name(name: str) -> None:
    digestmod: Any = partial(Unnamed, name)  # in typeshed, hmac requires a name
    expected = hmac.new(b"key", b"text", digestmod).digest()
    assert keylane.hmac.digest(b"key", b"text", digestmod) == expected
    assert keylane.HmacKey(b"key", module_with(digestmod)).name == f"hmac-{name}"


class Misnamed(Unnamed):
    name = "sha512"


def test_a_wrong_name_changes_nothing() -> None:
    digestmod: Any = partial(Misnamed, "sha256")
    assert keylane.hmac.digest(b"key", b"text", digestmod) == hmac.new(b"key", b"text", digestmod).digest()


class Short(Unnamed):
    name = "sha256"

    def digest(self) -> bytes:
        return super().digest()[:16]


# The standard library raises AttributeError for most of them, which does not help users.
NO_HASHES: list[Any] = [5, 1.5, b"sha256", object(), [], hashlib, lambda: "sha256", lambda: None]
NO_HASHES += [hashlib.sha256(), keylane.sha256()]
OTHER_HASHES: list[Any] = ["md5", "sha3_256", "sha512_224", hashlib.md5, hashlib.sha3_256, hashlib.blake2b]
OTHER_HASHES += [cryptography_hashes.SHA3_256, cryptography_hashes.SHA3_256(), cryptography_hashes.BLAKE2b(64)]
# The standard library computes with these, and returns another tag.
NOT_QUITE_OURS: list[Any] = [
    partial(hashlib.sha256, b"prefix"),
    partial(keylane.sha256, b"prefix"),
    partial(hashlib.new, "sha512_256", b"prefix"),
    partial(Short, "sha256"),
    partial(Unnamed, "md5"),
]


@pytest.mark.parametrize(
    "digestmod, error",
    [
        *((wrong, (TypeError, AttributeError)) for wrong in NO_HASHES),
        *((other, ValueError) for other in [*OTHER_HASHES, *NOT_QUITE_OURS, *map(module_with, NOT_QUITE_OURS)]),
    ],
)
def test_what_is_none_of_the_hashes_is_refused(digestmod: Any, error: type[Exception]) -> None:
    for call in (
        lambda: keylane.hmac.new(b"key", b"text", digestmod),
        lambda: keylane.hmac.digest(b"key", b"text", digestmod),
        lambda: keylane.HmacKey(b"key", digestmod),
    ):
        with pytest.raises(error):
            call()


def test_an_unknown_name_is_answered_by_the_names_that_there_are() -> None:
    with pytest.raises(ValueError, match="unsupported hash type sha3-256: use one of sha1, .*, sha512_256$"):
        keylane.hmac.digest(b"key", b"text", cryptography_hashes.SHA3_256())


@pytest.mark.parametrize("name", HASHES)
def test_keys_and_macs_describe_themselves_as_hmacs_do(name: str) -> None:
    theirs = hmac.new(b"key", digestmod=name)
    for ours in (keylane.HmacKey(b"key", name), keylane.hmac.new(b"key", digestmod=name)):
        for attribute in ("name", "digest_size", "block_size"):
            assert getattr(ours, attribute) == getattr(theirs, attribute)


def test_compare_digest_is_the_standard_librarys() -> None:
    assert keylane.hmac.compare_digest is hmac.compare_digest


@given(hashes, short, st.lists(messages, max_size=40))
def test_mac_many_returns_the_tag_of_each(name: str, key: bytes, texts: list[bytes]) -> None:
    expected = [hmac.digest(key, text, name) for text in texts]
    prepared = keylane.HmacKey(key, name)
    assert prepared.mac_many(texts) == expected
    assert prepared.mac_many(iter(texts)) == expected
    prepared.verify_many(texts, expected)
    prepared.verify_many(iter(texts), (memoryview(tag) for tag in expected))


@given(hashes, st.lists(st.tuples(short, messages), max_size=40))
def test_mac_each_returns_the_tag_under_each_key(name: str, pairs: list[tuple[bytes, bytes]]) -> None:
    expected = [hmac.digest(key, text, name) for key, text in pairs]
    keys = [keylane.HmacKey(key, name) for key, _ in pairs]
    assert keylane.HmacKey.mac_each(keys, [text for _, text in pairs]) == expected
    assert keylane.HmacKey.mac_each(iter(keys), (bytearray(text) for _, text in pairs)) == expected


@given(hashes, short, messages, st.data())
def test_verify_accepts_only_the_right_tag(name: str, key: bytes, msg: bytes, data: st.DataObject) -> None:
    prepared = keylane.HmacKey(key, name)
    tag = hmac.digest(key, msg, name)
    prepared.verify(msg, tag)
    wrong = bytearray(tag)
    wrong[data.draw(st.integers(0, len(tag) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    shortened = tag[: data.draw(st.integers(0, len(tag) - 1))]
    for bad in (wrong, shortened, tag + b"\0", tag + tag):
        with pytest.raises(keylane.InvalidTag):
            prepared.verify(msg, bad)
    with pytest.raises(keylane.InvalidTag):
        prepared.verify(msg + b"\0", tag)


@given(hashes, short, messages)
def test_verify_truncated_accepts_ten_bytes_or_more(name: str, key: bytes, msg: bytes) -> None:
    prepared = keylane.HmacKey(key, name)
    tag = hmac.digest(key, msg, name)
    for length in range(len(tag) + 1):
        wrong = tag[: length - 1] + bytes([tag[length - 1] ^ 1])
        accepted = [tag[:length]] if length >= 10 else []
        for good in accepted:
            prepared.verify_truncated(msg, good)
        for bad in {tag[:length], wrong, tag + b"\0"}.difference(accepted):
            with pytest.raises(keylane.InvalidTag):
                prepared.verify_truncated(msg, bad)


def test_verify_any_returns_the_key_that_made_a_tag() -> None:
    secrets = [(b"new", "sha256"), (b"old", "sha256"), (b"older", "sha1")]
    keys = [keylane.HmacKey(key, name) for key, name in secrets]
    for i, (key, name) in enumerate(secrets):
        tag = hmac.digest(key, b"text", name)
        for tags in ([tag], [bytes(32), b"", tag]):
            assert keylane.verify_any(iter(keys), b"text", iter(tags)) == i
            for refused in ((keys, b"test", tags), (keys[:i] + keys[i + 1 :], b"text", tags)):
                with pytest.raises(keylane.InvalidTag):
                    keylane.verify_any(*refused)
        for tags in ([], [tag[:-1], tag + b"\0"]):
            with pytest.raises(keylane.InvalidTag):
                keylane.verify_any(keys, b"text", tags)
    tags = [key.mac(b"text") for key in keys]
    assert keylane.verify_any(keys=keys, message=b"text", tags=tags[::-1]) == 0


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("count", [1, 2, 7, 17, 33, 66])
def test_one_wrong_tag_of_many_is_found_wherever_it_is(name: str, count: int) -> None:
    key = keylane.HmacKey(b"key", name)
    texts = [octets(100 * i, i) for i in range(count)]
    tags = key.mac_many(texts)
    for i in range(count):
        changed = tags[i][:-1] + bytes([tags[i][-1] ^ 0x80])
        for bad in (changed, tags[i][:-1], tags[i] + b"\0", b""):
            with pytest.raises(keylane.InvalidTag) as refused:
                key.verify_many(texts, [*tags[:i], bad, *tags[i + 1 :]])
            assert refused.value.failed == [i]
    if count > 1:
        with pytest.raises(keylane.InvalidTag) as refused:
            key.verify_many(texts, [*tags[1:], tags[0]])
        assert refused.value.failed == list(range(count))


def test_more_messages_than_a_block() -> None:
    """Long lists are processed 16,384 messages at a time."""
    texts = [b"%d" % i for i in range(40_000)]
    key, other = keylane.HmacKey(b"key", "sha256"), keylane.HmacKey(b"other", "sha256")
    expected = [hmac.digest(b"key", text, "sha256") for text in texts]
    assert key.mac_many(texts) == expected
    assert keylane.digest_many("sha256", texts) == [hashlib.sha256(text).digest() for text in texts]
    longer = [b"1" + text for text in texts]
    assert keylane.sha256(b"1").digest_many(texts) == keylane.digest_many("sha256", longer)
    each = keylane.HmacKey.mac_each([key, other] * 20_000, texts)
    assert each[::2] == expected[::2] and each[1::2] == other.mac_many(texts[1::2])
    key.verify_many(texts, expected)
    wrong = [0, 16_383, 16_384, 32_768, 39_999]
    for i in wrong:
        expected[i] = bytes(32)
    with pytest.raises(keylane.InvalidTag) as refused:
        key.verify_many(texts, expected)
    assert refused.value.failed == wrong
    with pytest.raises(TypeError, match="^item 40000: .*bytes-like"):
        key.mac_many([*texts, None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="the keys must have the same hash"):
        keylane.HmacKey.mac_each([*[key] * 39_999, keylane.HmacKey(b"", "sha1")], texts)


def test_start_leaves_the_key_as_it_was() -> None:
    key = keylane.HmacKey(b"key", "sha256")
    running = key.start(b"te")
    running.update(b"xt")
    assert running.digest() == key.mac(b"text") == hmac.digest(b"key", b"text", "sha256")
    assert key.start().digest() == key.start(None).digest() == hmac.digest(b"key", b"", "sha256")
    assert isinstance(running, keylane.hmac.HMAC)
