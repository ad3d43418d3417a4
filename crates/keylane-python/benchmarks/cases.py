"""The cases, with each library's fastest public way, or several if it is not obvious which is fastest."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import keylane
import nacl.bindings as nacl
from Crypto.Cipher import AES, ChaCha20_Poly1305
from Crypto.Hash import HMAC, SHA256, SHA512
from Crypto.Protocol.KDF import PBKDF2
from cryptography.hazmat.primitives import hashes, poly1305
from cryptography.hazmat.primitives import hmac as cryptography_hmac
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

SIZES = {"32": 32, "1K": 1 << 10, "1M": 1 << 20}
BATCH, BATCH_LEN = 64, 64
ITERATIONS, PASSWORDS = 1000, 8
KEY, NONCE, AAD = bytes(range(32)), bytes(range(12)), b"header"
TAG_LEN = 16

Names = dict[str, object]


@dataclass(frozen=True)
class Way:
    library: str
    code: str
    """The timed statements, which leave the result in `out`."""
    names: Names
    """The names that the statements use."""

    def result(self) -> object:
        names = dict(self.names)
        exec(self.code, names)
        out = names["out"]
        return bytes(out) if isinstance(out, bytearray) else out


@dataclass(frozen=True)
class Case:
    name: str
    ways: list[Way]


def case(name: str, shared: Names, ways: list[tuple[str, str, Names]]) -> Case:
    return Case(name, [Way(library, code, shared | names) for library, code, names in ways])


def octets(length: int) -> bytes:
    return bytes(i * 7 % 251 for i in range(length))


def all_cases() -> Iterator[Case]:
    for make in (hash_case, new_key_case, prepared_key_case):
        for size, length in SIZES.items():
            yield make(size, octets(length))
    texts = [octets(BATCH_LEN + i)[i:] for i in range(BATCH)]
    yield mac_batch_case(texts)
    yield hash_batch_case(texts)
    for name in ("sha256", "sha512"):
        yield from pbkdf2_cases(name)
    for size in ("1K", "1M"):
        text = octets(SIZES[size])
        for name in ("aes-256-gcm", "chacha20-poly1305"):
            yield from encrypt_cases(name, size, text)
            yield from decrypt_cases(name, size, text)
        yield from ctr_cases(size, text)
        yield poly1305_case(size, text)


# ---- hashes and MACs

CRYPTOGRAPHY_HASH: Names = {"Hash": hashes.Hash, "algorithm": hashes.SHA256()}
CRYPTOGRAPHY_HMAC: Names = {"HMAC": cryptography_hmac.HMAC, "algorithm": hashes.SHA256()}


def hash_case(size: str, text: bytes) -> Case:
    return case(
        f"sha256/{size}",
        {"text": text},
        [
            ("keylane", "out = sha256(text).digest()", {"sha256": keylane.sha256}),
            ("hashlib", "out = sha256(text).digest()", {"sha256": hashlib.sha256}),
            (
                "cryptography",
                "out = hash(algorithm, text)",
                {"hash": hashes.Hash.hash, "algorithm": hashes.SHA256()},
            ),
            ("cryptography", "h = Hash(algorithm); h.update(text); out = h.finalize()", CRYPTOGRAPHY_HASH),
            ("pynacl", "out = sha256(text)", {"sha256": nacl.crypto_hash_sha256}),
            ("pycryptodome", "out = new(text).digest()", {"new": SHA256.new}),
        ],
    )


def new_key_case(size: str, text: bytes) -> Case:
    return case(
        f"hmac-sha256/new-key/{size}",
        {"key": KEY, "text": text},
        [
            ("keylane", 'out = digest(key, text, "sha256")', {"digest": keylane.hmac.digest}),
            ("hmac", 'out = digest(key, text, "sha256")', {"digest": hmac.digest}),
            (
                "cryptography",
                "h = HMAC(key, algorithm); h.update(text); out = h.finalize()",
                CRYPTOGRAPHY_HMAC,
            ),
            ("pycryptodome", "out = new(key, text, SHA256).digest()", {"new": HMAC.new, "SHA256": SHA256}),
        ],
    )


def prepared_key_case(size: str, text: bytes) -> Case:
    copied = "h = keyed.copy(); h.update(text); out = h.digest()"
    return case(
        f"hmac-sha256/prepared-key/{size}",
        {"key": KEY, "text": text},
        [
            ("keylane", "out = mac(text)", {"mac": keylane.HmacKey(KEY, "sha256").mac}),
            ("hmac", copied, {"keyed": hmac.new(KEY, digestmod="sha256")}),
            # A new key may be faster than a copy.
            ("hmac", 'out = digest(key, text, "sha256")', {"digest": hmac.digest}),
            (
                "cryptography",
                "h = keyed.copy(); h.update(text); out = h.finalize()",
                {"keyed": cryptography_hmac.HMAC(KEY, hashes.SHA256())},
            ),
            (
                "cryptography",
                "h = HMAC(key, algorithm); h.update(text); out = h.finalize()",
                CRYPTOGRAPHY_HMAC,
            ),
            ("pycryptodome", copied, {"keyed": HMAC.new(KEY, b"", SHA256)}),
        ],
    )


def mac_batch_case(texts: list[bytes]) -> Case:
    return case(
        f"hmac-sha256/batch-of-{BATCH}/{BATCH_LEN}",
        {"texts": texts, "key": KEY},
        [
            ("keylane", "out = mac_many(texts)", {"mac_many": keylane.HmacKey(KEY, "sha256").mac_many}),
            ("hmac", 'out = [digest(key, text, "sha256") for text in texts]', {"digest": hmac.digest}),
            (
                "cryptography",
                "out = []\nfor text in texts: h = keyed.copy(); h.update(text); out.append(h.finalize())",
                {"keyed": cryptography_hmac.HMAC(KEY, hashes.SHA256())},
            ),
            (
                "pycryptodome",
                "out = []\nfor text in texts: h = keyed.copy(); h.update(text); out.append(h.digest())",
                {"keyed": HMAC.new(KEY, b"", SHA256)},
            ),
        ],
    )


def hash_batch_case(texts: list[bytes]) -> Case:
    return case(
        f"sha256/batch-of-{BATCH}/{BATCH_LEN}",
        {"texts": texts},
        [
            ("keylane", 'out = digest_many("sha256", texts)', {"digest_many": keylane.digest_many}),
            ("hashlib", "out = [sha256(text).digest() for text in texts]", {"sha256": hashlib.sha256}),
            (
                "cryptography",
                "out = [hash(algorithm, text) for text in texts]",
                {"hash": hashes.Hash.hash, "algorithm": hashes.SHA256()},
            ),
            ("pynacl", "out = [sha256(text) for text in texts]", {"sha256": nacl.crypto_hash_sha256}),
            ("pycryptodome", "out = [new(text).digest() for text in texts]", {"new": SHA256.new}),
        ],
    )


# ---- passwords


def pbkdf2_cases(name: str) -> Iterator[Case]:
    algorithm: hashes.HashAlgorithm = {"sha256": hashes.SHA256(), "sha512": hashes.SHA512()}[name]
    shared: Names = {
        "passwords": [octets(8 + i) for i in range(PASSWORDS)],
        "password": octets(8),
        "salt": octets(16),
        "salts": [octets(16)] * PASSWORDS,
        "n": ITERATIONS,
        "length": algorithm.digest_size,
    }
    rivals: list[tuple[str, str, Names]] = [
        ("hashlib", f'derive("{name}", password, salt, n)', {"derive": hashlib.pbkdf2_hmac}),
        (
            "cryptography",
            "PBKDF2HMAC(algorithm, length, salt, n).derive(password)",
            {"PBKDF2HMAC": PBKDF2HMAC, "algorithm": algorithm},
        ),
        (
            "pycryptodome",
            "PBKDF2(password, salt, length, n, hmac_hash_module=module)",
            {"PBKDF2": PBKDF2, "module": {"sha256": SHA256, "sha512": SHA512}[name]},
        ),
    ]
    one: Names = {"derive": keylane.pbkdf2_hmac}
    yield case(
        f"pbkdf2-{name}/{ITERATIONS}",
        shared,
        [("keylane", f'out = derive("{name}", password, salt, n)', one)]
        + [(library, f"out = {call}", names) for library, call, names in rivals],
    )
    many: Names = {"derive_many": keylane.pbkdf2_hmac_many}
    yield case(
        f"pbkdf2-{name}/batch-of-{PASSWORDS}/{ITERATIONS}",
        shared,
        [("keylane", f'out = derive_many("{name}", passwords, salts, n)', many)]
        + [(library, f"out = [{call} for password in passwords]", names) for library, call, names in rivals],
    )


# ---- ciphers; keys are prepared once if the library can do that

AEADS: dict[str, tuple[Any, Any]] = {
    "aes-256-gcm": (keylane.AESGCM, aead.AESGCM),
    "chacha20-poly1305": (keylane.ChaCha20Poly1305, aead.ChaCha20Poly1305),
}
PYNACL = {
    "aes-256-gcm": (nacl.crypto_aead_aes256gcm_encrypt, nacl.crypto_aead_aes256gcm_decrypt),
    "chacha20-poly1305": (
        nacl.crypto_aead_chacha20poly1305_ietf_encrypt,
        nacl.crypto_aead_chacha20poly1305_ietf_decrypt,
    ),
}
PYCRYPTODOME = {
    "aes-256-gcm": "c = AES.new(key, AES.MODE_GCM, nonce=nonce); c.update(aad)",
    "chacha20-poly1305": "c = ChaCha20_Poly1305.new(key=key, nonce=nonce); c.update(aad)",
}
SHARED: Names = {"key": KEY, "nonce": NONCE, "aad": AAD, "AES": AES, "ChaCha20_Poly1305": ChaCha20_Poly1305}


def encrypt_cases(name: str, size: str, text: bytes) -> Iterator[Case]:
    ours, theirs = (kind(KEY) for kind in AEADS[name])
    call = "out = encrypt(nonce, text, aad)"
    yield case(
        f"{name}/encrypt/{size}",
        SHARED | {"text": text},
        [
            ("keylane", call, {"encrypt": ours.encrypt}),
            ("cryptography", call, {"encrypt": theirs.encrypt}),
            ("pynacl", "out = encrypt(text, aad, nonce, key)", {"encrypt": PYNACL[name][0]}),
            (
                "pycryptodome",
                f"{PYCRYPTODOME[name]}; data, tag = c.encrypt_and_digest(text); out = data + tag",
                {},
            ),
        ],
    )
    call, out = "encrypt_into(nonce, text, aad, out)", bytearray(len(text) + TAG_LEN)
    yield case(
        f"{name}/encrypt-into/{size}",
        SHARED | {"text": text, "out": out, "data": memoryview(out)[:-TAG_LEN]},
        [
            ("keylane", call, {"encrypt_into": ours.encrypt_into}),
            ("cryptography", call, {"encrypt_into": theirs.encrypt_into}),
            (
                "pycryptodome",
                f"{PYCRYPTODOME[name]}; c.encrypt(text, data); out[-{TAG_LEN}:] = c.digest()",
                {},
            ),
        ],
    )


def decrypt_cases(name: str, size: str, text: bytes) -> Iterator[Case]:
    ours, theirs = (kind(KEY) for kind in AEADS[name])
    sealed = theirs.encrypt(NONCE, text, AAD)
    shared = SHARED | {"sealed": sealed, "data": sealed[:-TAG_LEN], "tag": sealed[-TAG_LEN:]}
    call = "out = decrypt(nonce, sealed, aad)"
    yield case(
        f"{name}/decrypt/{size}",
        shared,
        [
            ("keylane", call, {"decrypt": ours.decrypt}),
            ("cryptography", call, {"decrypt": theirs.decrypt}),
            ("pynacl", "out = decrypt(sealed, aad, nonce, key)", {"decrypt": PYNACL[name][1]}),
            ("pycryptodome", f"{PYCRYPTODOME[name]}; out = c.decrypt_and_verify(data, tag)", {}),
        ],
    )
    call = "decrypt_into(nonce, sealed, aad, out)"
    yield case(
        f"{name}/decrypt-into/{size}",
        shared | {"out": bytearray(len(text))},
        [
            ("keylane", call, {"decrypt_into": ours.decrypt_into}),
            ("cryptography", call, {"decrypt_into": theirs.decrypt_into}),
            ("pycryptodome", f"{PYCRYPTODOME[name]}; c.decrypt(data, out); c.verify(tag)", {}),
        ],
    )


def ctr_cases(size: str, text: bytes) -> Iterator[Case]:
    """With a new key stream for every text, as for messages."""
    shared: Names = {"key": KEY, "counter": bytes(16), "text": text, "algorithm": algorithms.AES(KEY)}
    cryptography: Names = {"Cipher": Cipher, "CTR": modes.CTR}
    pycryptodome = 'c = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=counter)'
    yield case(
        f"aes-256-ctr/{size}",
        shared,
        [
            ("keylane", "out = AESCTR(key, counter).update(text)", {"AESCTR": keylane.AESCTR}),
            ("cryptography", "out = Cipher(algorithm, CTR(counter)).encryptor().update(text)", cryptography),
            ("pycryptodome", f"{pycryptodome}; out = c.encrypt(text)", {"AES": AES}),
        ],
    )
    yield case(
        f"aes-256-ctr/into/{size}",
        shared | {"out": bytearray(len(text))},
        [
            ("keylane", "AESCTR(key, counter).update_into(text, out)", {"AESCTR": keylane.AESCTR}),
            (
                "cryptography",
                "Cipher(algorithm, CTR(counter)).encryptor().update_into(text, out)",
                cryptography,
            ),
            ("pycryptodome", f"{pycryptodome}; c.encrypt(text, out)", {"AES": AES}),
        ],
    )


def poly1305_case(size: str, text: bytes) -> Case:
    return case(
        f"poly1305/{size}",
        {"key": KEY, "text": text},
        [
            ("keylane", "out = generate_tag(key, text)", {"generate_tag": keylane.Poly1305.generate_tag}),
            (
                "cryptography",
                "out = generate_tag(key, text)",
                {"generate_tag": poly1305.Poly1305.generate_tag},
            ),
        ],
    )
