"""Published vectors: every case of every file of cryptography_vectors for Keylane's algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial

import keylane
import pytest
from vector_files import Case, cases, files_in

Check = Callable[[Case], str]
"""Checks a case. Returns CHECKED, or why Keylane refuses such a case, after checking that it does."""

CHECKED = "checked"


@dataclass(frozen=True)
class File:
    path: str
    first: str
    """The field that every case begins with."""
    found: dict[str, int]
    """The number of cases, by the result of their check."""
    check: Check


def octets(case: Case, *names: str) -> bytes:
    """Returns the first of these fields that the case has: hexadecimal, or a text in quotation marks."""
    value = next(case[name] for name in names if name in case)
    return value[1:-1].encode() if value.startswith('"') else bytes.fromhex(value)


def check_hash(name: str, case: Case) -> str:
    message = octets(case, "Msg")[: int(case["Len"]) // 8]
    assert keylane.new(name, message).digest() == octets(case, "MD")
    return CHECKED


def check_inner_hash(name: str, case: Case) -> str:
    """Checks a step of the Monte Carlo test in a .txt file."""
    assert keylane.new(name, octets(case, "M")).digest() == octets(case, "MDi")
    return CHECKED


def check_hmac(name: str, case: Case) -> str:
    key, message, tag = octets(case, "Key"), octets(case, "Msg"), octets(case, "MD")
    assert len(message) * 8 == int(case["Len"])
    assert keylane.hmac.digest(key, message, name) == tag
    keylane.HmacKey(key, name).verify(message, tag)
    return CHECKED


def check_kbkdf(case: Case) -> str:
    """SP 800-108 in counter mode consists of HMACs of a counter within fixed bytes, so it tests HMAC."""
    prf, _, name = case["PRF"].partition("_")
    if prf == "CMAC":
        return "CMAC"
    if case["CTRLOCATION"] == "BEFORE_FIXED":
        before, after = b"", octets(case, "FixedInputData")
    elif case["CTRLOCATION"] == "AFTER_FIXED":
        before, after = octets(case, "FixedInputData"), b""
    else:
        before, after = octets(case, "DataBeforeCtrData"), octets(case, "DataAfterCtrData")
    counter_len = int(case["RLEN"].removesuffix("_BITS")) // 8
    expected = octets(case, "KO")
    assert len(expected) * 8 == int(case["L"])
    key = keylane.HmacKey(octets(case, "KI"), name.lower())
    blocks = range(1, 1 + -(-len(expected) // key.digest_size))
    macs = key.mac_many(before + i.to_bytes(counter_len, "big") + after for i in blocks)
    assert b"".join(macs)[: len(expected)] == expected
    return CHECKED


def check_pbkdf2(case: Case) -> str:
    password, salt = (case[field].replace(r"\0", "\0").encode() for field in ("PASSWORD", "SALT"))
    derived = keylane.pbkdf2_hmac("sha1", password, salt, int(case["ITERATIONS"]), int(case["LENGTH"]))
    assert derived == octets(case, "DERIVED_KEY")
    return CHECKED


def check_hkdf(case: Case) -> str:
    name, length = case["Hash"], int(case["L"])
    ikm, salt, info, okm = (octets(case, field) for field in ("IKM", "salt", "info", "OKM"))
    assert keylane.hkdf(name, ikm, salt, info, length) == okm
    if "PRK" in case:
        prk = octets(case, "PRK")
        assert keylane.hkdf_extract(name, ikm, salt) == prk
        assert keylane.hkdf_expand(name, prk, info, length) == okm
    return CHECKED


def check_ctr(case: Case) -> str:
    key, counter = octets(case, "KEY"), octets(case, "IV")
    plaintext, ciphertext = octets(case, "PLAINTEXT"), octets(case, "CIPHERTEXT")
    assert keylane.AESCTR(key, counter).update(plaintext) == ciphertext
    assert keylane.AESCTR(key, counter).update(ciphertext) == plaintext
    return CHECKED


def check_chacha20(case: Case) -> str:
    stream = keylane.ChaCha20(octets(case, "KEY"), octets(case, "NONCE"))
    stream.seek(64 * int(case["INITIAL_BLOCK_COUNTER"]))
    assert stream.update(octets(case, "PLAINTEXT")) == octets(case, "CIPHERTEXT")
    return CHECKED


def check_gcm(case: Case) -> str:
    aead = keylane.AESGCM(octets(case, "Key"))
    nonce, aad, ciphertext, tag = (octets(case, field) for field in ("IV", "AAD", "CT", "Tag"))
    assert len(nonce) * 8 == int(case["IVlen"]) and len(tag) * 8 == int(case["Taglen"])
    if len(nonce) == 1:
        with pytest.raises(ValueError):
            aead.decrypt(nonce, ciphertext + tag, aad)
        return "nonce of 1 byte"
    failing = "FAIL" in case
    if failing or len(tag) < 16:
        with pytest.raises(keylane.InvalidTag):
            aead.decrypt(nonce, ciphertext + tag, aad)
    else:
        assert aead.decrypt(nonce, ciphertext + tag, aad) == octets(case, "PT")
    if failing:
        key_stream = aead.encrypt(nonce, bytes(len(ciphertext)), aad)
        plaintext = bytes(a ^ b for a, b in zip(ciphertext, key_stream))
    else:
        plaintext = octets(case, "PT")
    # A shorter tag is the beginning of the whole one.
    assert aead.encrypt(nonce, plaintext, aad).startswith(ciphertext + tag) != failing
    return CHECKED


def check_chacha20poly1305(case: Case) -> str:
    aead = keylane.ChaCha20Poly1305(octets(case, "KEY", "Key"))
    nonce, aad, plaintext = (
        octets(case, "NONCE", "IV"),
        octets(case, "AD", "AAD"),
        octets(case, "IN", "Plaintext"),
    )
    sealed = octets(case, "CT", "Ciphertext") + octets(case, "TAG", "Tag")
    if "Result" in case:
        with pytest.raises(keylane.InvalidTag):
            aead.decrypt(nonce, sealed, aad)
    else:
        assert aead.encrypt(nonce, plaintext, aad) == sealed
        assert aead.decrypt(nonce, sealed, aad) == plaintext
    return CHECKED


def check_poly1305(case: Case) -> str:
    key, message, tag = octets(case, "KEY"), octets(case, "MSG"), octets(case, "TAG")
    assert keylane.Poly1305.generate_tag(key, message) == tag
    keylane.Poly1305.verify_tag(key, message, tag)
    return CHECKED


SHA = [("SHA1/SHA1", "sha1", 64)] + [
    (f"SHA2/SHA{size}", f"sha{size}", count)
    for size, count in [("224", 64), ("256", 64), ("384", 128), ("512", 128), ("512_256", 128)]
]

GCM = [f"gcm{direction}{bits}.rsp" for direction in ("EncryptExtIV", "Decrypt") for bits in (128, 192, 256)]

FILES = [
    *(
        File(f"hashes/{stem}LongMsg.rsp", "Len", {CHECKED: n}, partial(check_hash, name))
        for stem, name, n in SHA
    ),
    *(
        File(f"hashes/{stem}ShortMsg.rsp", "Len", {CHECKED: n + 1}, partial(check_hash, name))
        for stem, name, n in SHA
    ),
    *(
        File(f"hashes/{stem}Monte.txt", "i", {CHECKED: 500}, partial(check_inner_hash, name))
        for stem, name, _ in SHA
    ),
    File("HMAC/rfc-2202-sha1.txt", "Len", {CHECKED: 7}, partial(check_hmac, "sha1")),
    *(
        File(f"HMAC/rfc-4231-{name}.txt", "Len", {CHECKED: 6}, partial(check_hmac, name))
        for name in ("sha224", "sha256", "sha384", "sha512")
    ),
    File("KDF/nist-800-108-KBKDF-CTR.txt", "COUNT", {CHECKED: 2400, "CMAC": 2400}, check_kbkdf),
    File("KDF/rfc-6070-PBKDF2-SHA1.txt", "COUNT", {CHECKED: 6}, check_pbkdf2),
    File("KDF/rfc-5869-HKDF-SHA1.txt", "COUNT", {CHECKED: 4}, check_hkdf),
    File("KDF/rfc-5869-HKDF-SHA256.txt", "COUNT", {CHECKED: 3}, check_hkdf),
    File("KDF/hkdf-generated.txt", "COUNT", {CHECKED: 1}, check_hkdf),
    *(
        File(f"ciphers/AES/CTR/aes-{bits}-ctr.txt", "COUNT", {CHECKED: 3}, check_ctr)
        for bits in (128, 192, 256)
    ),
    *(
        File(f"ciphers/AES/GCM/{name}", "Count", {CHECKED: 5250, "nonce of 1 byte": 2625}, check_gcm)
        for name in GCM
    ),
    File("ciphers/ChaCha20/rfc7539.txt", "COUNT", {CHECKED: 3}, check_chacha20),
    File("ciphers/ChaCha20Poly1305/boringssl.txt", "COUNT", {CHECKED: 66}, check_chacha20poly1305),
    File("ciphers/ChaCha20Poly1305/openssl.txt", "COUNT", {CHECKED: 5}, check_chacha20poly1305),
    File("poly1305/rfc7539.txt", "COUNT", {CHECKED: 11}, check_poly1305),
]

# The folders with files for Keylane's algorithms, and the files among them that do not apply.
FOLDERS = [
    "HMAC",
    "KDF",
    "ciphers/AES/CTR",
    "ciphers/AES/GCM",
    "ciphers/ChaCha20",
    "ciphers/ChaCha20Poly1305",
    "hashes",
    "poly1305",
]
NOT_OFFERED = {
    "hashes/SHA2/SHA512_224*": "SHA-512/224",
    "hashes/SHA3/*": "SHA-3",
    "hashes/SHAKE/*": "SHAKE",
    "hashes/MD5/*": "MD5",
    "hashes/SM3/*": "SM3",
    "hashes/blake2/*": "BLAKE2",
    "hashes/ripemd160/*": "RIPEMD-160",
    "HMAC/rfc-2202-md5.txt": "MD5",
    "HMAC/rfc-2286-ripemd160.txt": "RIPEMD-160",
    "KDF/ansx963_2001.txt": "the KDF of ANSI X9.63",
    "KDF/argon2*.txt": "Argon2",
    "KDF/scrypt.txt": "scrypt",
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_every_case(file: File) -> None:
    assert Counter(map(file.check, cases(file.path, file.first))) == file.found


@pytest.mark.parametrize("stem, name", [(stem, name) for stem, name, _ in SHA])
def test_monte_carlo(stem: str, name: str) -> None:
    """SHAVS, section 6.4: 100 times a chain of 1000 hashes of the last three digests."""
    rounds = list(cases(f"hashes/{stem}Monte.rsp", "COUNT"))
    assert len(rounds) == 100
    seed = octets(rounds[0], "Seed")
    for round in rounds:
        a = b = c = seed
        for _ in range(1000):
            a, b, c = b, c, keylane.new(name, a + b + c).digest()
        seed = c
        assert seed == octets(round, "MD")


def test_no_file_is_forgotten() -> None:
    used = {file.path for file in FILES} | {f"hashes/{stem}Monte.rsp" for stem, _, _ in SHA}
    left = files_in(*FOLDERS) - used
    assert {path for path in left if not any(fnmatch(path, pattern) for pattern in NOT_OFFERED)} == set()
    assert {pattern for pattern in NOT_OFFERED if not any(fnmatch(path, pattern) for path in left)} == set()
