"""An implementation of docs/format.md with `cryptography` alone. It and the command `keylane` read what the
other writes. What the command refuses is in the tests of keylane-file.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

ROOT = Path(__file__).resolve().parents[3]

MAGIC = b"\x8ckeylane"
VERSION = 1
CHUNK_LEN = 1 << 16
TAG_LEN = 16

ALGORITHMS: dict[str, tuple[int, type[AESGCM] | type[ChaCha20Poly1305]]] = {
    "aes-256-gcm": (1, AESGCM),
    "chacha20-poly1305": (2, ChaCha20Poly1305),
}
# The sources of keys; for passphrases, the command's options and the header's parameters.
KEY_FILE, PBKDF2, ARGON2ID = 1, 2, 3
KDFS: dict[int, tuple[str, bytes]] = {
    PBKDF2: ("--kdf pbkdf2 --iterations 600000", (600_000).to_bytes(4, "big")),
    ARGON2ID: ("--kdf argon2id", bytes([0, 64, 3, 4])),
}


@dataclass(frozen=True)
class Secret:
    source: int
    octets: bytes


@dataclass(frozen=True)
class Header:
    """A header without its commitment."""

    algorithm: int
    source: int
    salt: bytes
    version: int = VERSION
    chunk_bits: int = 16
    parameters: bytes = bytes(4)

    @classmethod
    def parse(cls, octets: bytes) -> Header:
        assert len(octets) == 48 and octets[:8] == MAGIC
        version, algorithm, source, chunk_bits = octets[8:12]
        assert version == VERSION and chunk_bits == 16
        parameters = octets[12:16]
        if source == KEY_FILE:
            assert parameters == bytes(4)
        elif source == PBKDF2:
            assert 600_000 <= int.from_bytes(parameters, "big") <= 10_000_000
        else:
            assert source == ARGON2ID
            memory, passes, lanes = struct.unpack(">HBB", parameters)
            assert 64 <= memory <= 1024 and 1 <= passes <= 10 and 1 <= lanes <= 16
        return cls(algorithm, source, octets[16:], version, chunk_bits, parameters)

    def octets(self) -> bytes:
        fields = bytes([self.version, self.algorithm, self.source, self.chunk_bits])
        return MAGIC + fields + self.parameters + self.salt


@dataclass(frozen=True)
class Keys:
    commitment: bytes
    key: bytes
    prefix: bytes


def derive(header: Header, secret: Secret) -> Keys:
    assert header.source == secret.source
    keying = secret.octets
    if secret.source == PBKDF2:
        iterations = int.from_bytes(header.parameters, "big")
        keying = PBKDF2HMAC(hashes.SHA512(), 64, header.salt, iterations).derive(keying)
    elif secret.source == ARGON2ID:
        memory, passes, lanes = struct.unpack(">HBB", header.parameters)
        kib = memory * 1024
        argon2id = Argon2id(salt=header.salt, length=64, iterations=passes, lanes=lanes, memory_cost=kib)
        keying = argon2id.derive(keying)
    extract = hmac.HMAC(header.salt, hashes.SHA512())
    extract.update(keying)
    okm = HKDFExpand(hashes.SHA512(), 71, b"keylane file 1" + header.octets()).derive(extract.finalize())
    return Keys(okm[:32], okm[32:64], okm[64:])


def cipher(header: Header, keys: Keys) -> AESGCM | ChaCha20Poly1305:
    (aead,) = (aead for number, aead in ALGORITHMS.values() if number == header.algorithm)
    return aead(keys.key)


def nonce(keys: Keys, index: int, last: bool) -> bytes:
    return keys.prefix + index.to_bytes(4, "big") + bytes([last])


def encrypt(header: Header, secret: Secret, text: bytes) -> bytes:
    keys = derive(header, secret)
    head, aead = header.octets() + keys.commitment, cipher(header, keys)
    chunks = [text[at : at + CHUNK_LEN] for at in range(0, len(text), CHUNK_LEN)] or [b""]
    for index, chunk in enumerate(chunks):
        chunks[index] = aead.encrypt(nonce(keys, index, index == len(chunks) - 1), chunk, head)
    return head + b"".join(chunks)


def decrypt(secret: Secret, file: bytes) -> bytes:
    header = Header.parse(file[:48])
    keys = derive(header, secret)
    head, sealed = file[:80], file[80:]
    assert head[48:] == keys.commitment
    aead = cipher(header, keys)

    def chunks() -> Iterator[bytes]:
        for index in count():
            at = index * (CHUNK_LEN + TAG_LEN)
            chunk = sealed[at : at + CHUNK_LEN + TAG_LEN]
            last = at + len(chunk) == len(sealed)
            text = aead.decrypt(nonce(keys, index, last), chunk, head)
            assert text or index == 0
            yield text
            if last:
                return

    return b"".join(chunks())


class Command:
    """The command, in a folder with its secrets."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.key = Secret(KEY_FILE, os.urandom(32))
        self.passphrases = [Secret(source, "a pässphrase, two words".encode()) for source in KDFS]

    def run(self, arguments: str, secret: Secret, data: bytes) -> subprocess.CompletedProcess[bytes]:
        name = "key" if secret.source == KEY_FILE else "passphrase"
        (self.folder / name).touch(mode=0o600)  # otherwise the command warns that others can read it
        (self.folder / name).write_bytes(secret.octets)
        command = [self.program, *arguments.split(), f"--{name}-file", name]
        return subprocess.run(command, cwd=self.folder, input=data, capture_output=True, check=False)

    def encrypt(self, algorithm: str, secret: Secret, text: bytes) -> bytes:
        kdf, _ = KDFS.get(secret.source, ("", b""))
        return done(self.run(f"encrypt --algorithm {algorithm} {kdf}", secret, text))

    def decrypt(self, secret: Secret, file: bytes) -> bytes:
        return done(self.run("decrypt", secret, file))



def done(run: subprocess.CompletedProcess[bytes]) -> bytes:
    assert (run.returncode, run.stderr) == (0, b"")
    return run.stdout


@pytest.fixture
def command(tmp_path: Path) -> Command:
    program = os.environ.get("KEYLANE_COMMAND")
    if not program:
        pytest.fail("KEYLANE_COMMAND must be the path of the command keylane")
    return Command(str(Path(program).resolve()), tmp_path)


def header_for(algorithm: str, secret: Secret) -> Header:
    _, parameters = KDFS.get(secret.source, ("", bytes(4)))
    return Header(ALGORITHMS[algorithm][0], secret.source, os.urandom(32), parameters=parameters)


@dataclass(frozen=True)
class Vector:
    """A whole file from docs/format.md."""

    algorithm: str
    secret: Secret
    file: bytes


def vectors() -> list[Vector]:
    section = (ROOT / "docs/format.md").read_text().partition("## Test vectors\n")[2].partition("\n## ")[0]
    secrets = {
        "key file": Secret(KEY_FILE, bytes(range(32))),
        "passphrase by PBKDF2": Secret(PBKDF2, b"passphrase"),
        "passphrase by Argon2id": Secret(ARGON2ID, b"passphrase"),
    }
    blocks = re.findall(
        r"^(\S+), a (key file|passphrase by \w+)\n\n((?: {4}[0-9a-f]+\n)+)", section + "\n", re.MULTILINE
    )
    return [Vector(name.lower(), secrets[kind], bytes.fromhex(lines)) for name, kind, lines in blocks]


LENGTHS = [0, 1] + [chunks * CHUNK_LEN + more for chunks in (1, 16) for more in (-1, 0, 1)]


def test_the_vectors_of_the_documentation(command: Command) -> None:
    text, salt = b"attack at dawn", bytes(range(32, 64))
    found = vectors()
    assert {(vector.algorithm, vector.secret.source) for vector in found} >= {
        ("aes-256-gcm", KEY_FILE),
        ("chacha20-poly1305", KEY_FILE),
        ("chacha20-poly1305", PBKDF2),
        ("aes-256-gcm", ARGON2ID),
    }
    for vector in found:
        header = replace(header_for(vector.algorithm, vector.secret), salt=salt)
        assert encrypt(header, vector.secret, text) == vector.file
        assert command.decrypt(vector.secret, vector.file) == text


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_reads_what_the_other_wrote(command: Command, algorithm: str) -> None:
    passphrases = [(secret, CHUNK_LEN + 1) for secret in command.passphrases]
    for secret, length in [*((command.key, length) for length in LENGTHS), *passphrases]:
        text = os.urandom(length)
        ours = command.encrypt(algorithm, secret, text)
        assert len(ours) == 80 + length + TAG_LEN * max(1, -(-length // CHUNK_LEN))
        assert decrypt(secret, ours) == text
        theirs = encrypt(header_for(algorithm, secret), secret, text)
        assert command.decrypt(secret, theirs) == text


def test_other_parameters_of_argon2id(command: Command) -> None:
    """The command reads parameters that it does not write."""
    secret = Secret(ARGON2ID, b"passphrase")
    for memory, passes, lanes in [(65, 1, 1), (100, 2, 3), (64, 1, 16)]:
        parameters = struct.pack(">HBB", memory, passes, lanes)
        header = replace(header_for("aes-256-gcm", secret), parameters=parameters)
        assert command.decrypt(secret, encrypt(header, secret, b"text")) == b"text"
