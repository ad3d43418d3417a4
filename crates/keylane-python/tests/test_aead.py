"""Authenticated encryption, compared with cryptography's, and forgeries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import and_, or_

import keylane
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st
from subjects import AEADS, AeadKind, messages, octets, oracle, short

kinds = st.sampled_from(AEADS)
TAG_LEN = 16


@given(kinds, messages, st.none() | messages, st.data())
def test_encrypts_as_cryptography_does(
    kind: AeadKind, data: bytes, aad: bytes | None, draw: st.DataObject
) -> None:
    key = draw.draw(st.binary(min_size=kind.key_len, max_size=kind.key_len))
    nonce_lens = (8, 128) if kind.new is keylane.AESGCM else (kind.nonce_len, kind.nonce_len)
    nonce = draw.draw(st.binary(min_size=nonce_lens[0], max_size=nonce_lens[1]))
    expected = oracle(kind, key, nonce, data, aad)
    cipher = kind.new(key)
    assert cipher.encrypt(nonce, data, aad) == expected
    assert cipher.encrypt(nonce=nonce, data=data, associated_data=aad) == expected
    assert cipher.decrypt(nonce, expected, aad) == data
    sealed, opened = bytearray(len(expected)), bytearray(len(data))
    assert cipher.encrypt_into(nonce, data, aad, sealed) == len(sealed)
    assert cipher.decrypt_into(nonce, sealed, aad, opened) == len(opened)
    assert sealed == expected and opened == data


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_any_changed_length_is_found(kind: AeadKind) -> None:
    cipher, nonce = kind.cipher(), kind.nonce()
    sealed = cipher.encrypt(nonce, octets(40), b"header")
    for wrong in [*(sealed[:length] for length in range(len(sealed))), sealed[1:], sealed + b"\0"]:
        with pytest.raises(keylane.InvalidTag):
            cipher.decrypt(nonce, wrong, b"header")
    for header in (b"heade", b"header\0", b"", None):
        with pytest.raises(keylane.InvalidTag):
            cipher.decrypt(nonce, sealed, header)
    for length in range(TAG_LEN):
        with pytest.raises(keylane.InvalidTag):
            cipher.decrypt_into(nonce, sealed[:length], b"header", bytearray())


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_a_wrong_argument_is_no_forgery(kind: AeadKind) -> None:
    cipher, nonce, sealed = kind.cipher(), bytes(kind.nonce_len + 1 if kind.nonce_len > 12 else 7), bytes(10)
    for call in (
        lambda: cipher.decrypt(nonce, sealed, None),
        lambda: cipher.decrypt_into(nonce, sealed, None, bytearray()),
        lambda: cipher.decrypt_many([nonce], [sealed]),
        lambda: cipher.decrypt_many(nonce, [sealed]),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError):
        kind.new(octets(kind.key_len + 1))


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("length", [1, 15, 16, 1000, 2048, 2049, 100_000])
def test_no_plaintext_is_left_of_a_forgery(kind: AeadKind, length: int) -> None:
    cipher, nonce, data = kind.cipher(), kind.nonce(), octets(length)
    forged = bytearray(cipher.encrypt(nonce, data, None))
    forged[-1] ^= 1
    apart = bytearray(b"\xaa" * length)
    with pytest.raises(keylane.InvalidTag):
        cipher.decrypt_into(nonce, forged, None, apart)
    assert apart == bytes(length)
    tag = forged[length:]
    with pytest.raises(keylane.InvalidTag):
        cipher.decrypt_into(nonce, forged, None, memoryview(forged)[:length])
    assert forged == bytes(length) + tag


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_an_output_must_have_the_length_of_the_result(kind: AeadKind) -> None:
    cipher, nonce, data = kind.cipher(), kind.nonce(), octets(40)
    sealed = cipher.encrypt(nonce, data, None)
    for length in (0, 39, 40, 55, 57, 100):
        out = bytearray(b"\xaa" * length)
        with pytest.raises(ValueError):
            cipher.encrypt_into(nonce, data, None, out)
        assert out == b"\xaa" * length
    for length in (0, 39, 41, 56):
        out = bytearray(b"\xaa" * length)
        with pytest.raises(ValueError):
            cipher.decrypt_into(nonce, sealed, None, out)
        assert out == b"\xaa" * length


@given(st.sampled_from([16, 24, 32]), st.integers(4, 16), st.sampled_from([12, 16]), messages, short)
def test_truncated_tags(key_len: int, tag_len: int, nonce_len: int, data: bytes, aad: bytes) -> None:
    key, nonce = octets(key_len), octets(nonce_len, 1)
    cipher = keylane.AESGCM(key, tag_length=tag_len)
    sealed = cipher.encrypt(nonce, data, aad)
    theirs = Cipher(algorithms.AES(key), modes.GCM(nonce, sealed[len(data) :], tag_len)).decryptor()
    theirs.authenticate_additional_data(aad)
    assert theirs.update(sealed[: len(data)]) + theirs.finalize() == data
    buf = bytearray(len(sealed))
    assert cipher.encrypt_into(nonce, data, aad, buf) == len(sealed)
    assert cipher.decrypt_into(nonce, sealed, aad, memoryview(buf)[: len(data)]) == len(data)
    assert buf == data + sealed[len(data) :]
    for bad in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:-1], sealed + b"\0", sealed[: tag_len - 1]):
        with pytest.raises(keylane.InvalidTag):
            cipher.decrypt(nonce, bad, aad)
    if tag_len < TAG_LEN:
        for method in (cipher.encrypt_many, cipher.decrypt_many):
            with pytest.raises(ValueError, match="tags of 16 bytes"):
                method([], [])


@pytest.mark.parametrize("tag_len", [-1, 0, 3, 17, 1 << 70])
def test_tags_of_other_lengths(tag_len: int) -> None:
    with pytest.raises(ValueError, match="tag_length must be 4 to 16 bytes"):
        keylane.AESGCM(bytes(16), tag_len)


@given(kinds, messages, st.none() | short)
def test_random_nonces(kind: AeadKind, data: bytes, aad: bytes | None) -> None:
    aead = kind.with_random_nonces()
    if aead is None:
        with pytest.raises(TypeError):
            keylane.RandomNonces(kind.cipher())  # type: ignore[arg-type]
        return
    sealed = aead.encrypt(data, aad)
    assert len(sealed) == kind.nonce_len + len(data) + TAG_LEN
    nonce, rest = sealed[: kind.nonce_len], sealed[kind.nonce_len :]
    assert rest == oracle(kind, octets(kind.key_len), nonce, data, aad)
    for given_sealed in (sealed, bytearray(sealed)):
        assert aead.decrypt(given_sealed, aad) == data
        assert aead.decrypt(data=given_sealed, associated_data=aad) == data
    assert aead.encrypt(bytearray(data), aad)[: kind.nonce_len] != nonce
    for wrong in (sealed[:-1], sealed[1:], b"", bytes([sealed[0] ^ 1]) + sealed[1:]):
        with pytest.raises(keylane.InvalidTag):
            aead.decrypt(wrong, aad)
    with pytest.raises(keylane.InvalidTag):
        aead.decrypt(sealed, b"another header")


def test_xchacha20poly1305_of_the_draft() -> None:
    """draft-irtf-cfrg-xchacha-03, A.3.1."""
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        b"sunscreen would be it."
    )
    sealed = keylane.XChaCha20Poly1305(bytes(range(0x80, 0xA0))).encrypt(
        bytes(range(0x40, 0x58)), text, bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    )
    assert sealed[:16].hex() == "bd6d179d3e83d43b9576579493c0e939"
    assert sealed[-TAG_LEN:].hex() == "c0875924c1c7987947deafd8780acf49"


def bits_are_random(draw: Callable[[], bytes], length: int, more: int = 0) -> None:
    """Each bit is 0 once and 1 once. The probability that this fails by chance is below 2^-110."""
    draws = [draw() for _ in range(128)]
    assert {len(one) for one in draws} == {length + more}
    numbers = [int.from_bytes(one[:length], "big") for one in draws]
    assert (reduce(or_, numbers), reduce(and_, numbers)) == (2 ** (8 * length) - 1, 0)


def test_generated_keys_and_nonces_are_random() -> None:
    for bits in (128, 192, 256):
        bits_are_random(partial(keylane.AESGCM.generate_key, bits), bits // 8)
        bits_are_random(partial(keylane.AESGCM.generate_key, bit_length=bits), bits // 8)
    for bits in (128, 256):
        bits_are_random(partial(keylane.AESGCMSIV.generate_key, bits), bits // 8)
    for kind in (keylane.XAES256GCM, keylane.ChaCha20Poly1305, keylane.XChaCha20Poly1305):
        bits_are_random(kind.generate_key, 32)
    for cipher, length in (
        (keylane.AESGCMSIV(bytes(32)), 12),
        (keylane.XAES256GCM(bytes(32)), 24),
        (keylane.XChaCha20Poly1305(bytes(32)), 24),
    ):
        bits_are_random(partial(keylane.RandomNonces(cipher).encrypt, b"", None), length, TAG_LEN)


@given(kinds, st.lists(st.tuples(messages, short), max_size=40), st.booleans(), st.data())
def test_many_messages_are_as_one_by_one(
    kind: AeadKind, batch: list[tuple[bytes, bytes]], flat: bool, draw: st.DataObject
) -> None:
    cipher = kind.cipher()
    texts, aads = [text for text, _ in batch], [aad for _, aad in batch]
    nonces = [octets(kind.nonce_len, i // 2) for i in range(len(batch))]
    given_nonces = b"".join(nonces) if flat else nonces
    sealed = [cipher.encrypt(*arguments) for arguments in zip(nonces, texts, aads)]
    assert cipher.encrypt_many(given_nonces, texts, aads) == sealed
    assert cipher.encrypt_many(given_nonces, map(bytearray, texts), map(bytearray, aads)) == sealed
    assert cipher.decrypt_many(given_nonces, sealed, aads) == texts
    assert cipher.decrypt_many(nonces, cipher.encrypt_many(nonces, texts)) == texts

    offsets = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)]
    buf, tags = bytearray().join(map(bytearray, texts)), bytearray(TAG_LEN * len(texts))
    cipher.encrypt_many_into(given_nonces, buf, offsets, tags, aads)
    in_place = [buf[start:end] for start, end in zip(offsets, offsets[1:])]
    assert [text + tags[16 * i : 16 * i + 16] for i, text in enumerate(in_place)] == sealed

    wrong = sorted(draw.draw(st.sets(st.sampled_from(range(len(batch)))))) if batch else []
    for i in wrong:
        bit = draw.draw(st.integers(0, 7))
        tags[16 * i + bit] ^= 1 << bit
        sealed[i] = draw.draw(st.sampled_from([sealed[i][:-1], sealed[i][:15], b"", b"\xaa" + sealed[i]]))
    if not wrong:
        cipher.decrypt_many_into(given_nonces, buf, offsets, bytes(tags), aads)
        assert buf == b"".join(texts)
        return
    with pytest.raises(keylane.InvalidTag) as refused:
        cipher.decrypt_many(given_nonces, sealed, aads)
    assert refused.value.failed == wrong
    with pytest.raises(keylane.InvalidTag) as refused:
        cipher.decrypt_many_into(given_nonces, buf, offsets, tags, aads)
    assert refused.value.failed == wrong
    assert buf == b"".join(bytes(len(text)) if i in wrong else text for i, text in enumerate(texts))


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_every_message_of_a_long_list_is_checked(kind: AeadKind) -> None:
    cipher, nonces = kind.cipher(), [octets(kind.nonce_len, i) for i in range(200)]
    texts = [octets(i % 7, i) for i in range(200)]
    sealed = cipher.encrypt_many(nonces, texts)
    assert sealed == [cipher.encrypt(nonce, text, None) for nonce, text in zip(nonces, texts)]
    assert cipher.decrypt_many(nonces, sealed) == texts
    wrong = [0, 63, 64, 130, 199]
    for i in wrong:
        sealed[i] = bytes(len(sealed[i]))
    with pytest.raises(keylane.InvalidTag) as refused:
        cipher.decrypt_many(nonces, sealed)
    assert refused.value.failed == wrong


@pytest.mark.parametrize("kind", AEADS, ids=lambda kind: kind.name)
def test_wrong_arguments_of_many_messages_are_refused(kind: AeadKind) -> None:
    cipher, nonce = kind.cipher(), kind.nonce()
    for nonces in ([], [nonce], [nonce] * 3, b"", nonce, nonce * 3, [nonce, nonce[1:]], [nonce, nonce + b"0"]):
        with pytest.raises(ValueError):
            cipher.encrypt_many(nonces, [b"", b""])
    for aads in ([], [b"", b""]):
        with pytest.raises(ValueError, match=f"1 associated data are needed, not {len(aads)}"):
            cipher.encrypt_many([nonce], [b""], aads)
    with pytest.raises(TypeError):
        cipher.encrypt_many([nonce], b"text")  # type: ignore[arg-type]
    beyond = [[0, 1 << 32, 4], [0, 1 << 70]]
    for offsets in ([], [1, 4], [0, 3], [0, 5, 4], [0, 3, 2, 4], [0, -1, 4], [0, 5], *beyond):
        with pytest.raises(ValueError):
            cipher.encrypt_many_into([nonce] * 2, bytearray(4), offsets, bytearray(32))
    with pytest.raises(ZeroDivisionError):  # after 0 and 4
        cipher.encrypt_many_into([nonce], bytearray(4), (4 * i // (2 - i) for i in range(3)), bytearray(16))
    for length in (0, 31, 33):
        with pytest.raises(ValueError):
            cipher.encrypt_many_into([nonce] * 2, bytearray(4), [0, 2, 4], bytearray(length))
    both = bytearray(b"\xaa" * 40)
    with pytest.raises(ValueError):
        cipher.encrypt_many_into([nonce], memoryview(both)[:20], [0, 20], memoryview(both)[19:35])
    with pytest.raises(TypeError):
        cipher.encrypt_many_into([nonce], bytearray(4), [0, 4], bytes(16))
    with pytest.raises(TypeError):
        cipher.decrypt_many_into([nonce], bytes(4), [0, 4], bytes(16))
    assert both == b"\xaa" * 40
