# The types of the extension module. The docstrings say what classes and functions do: help(keylane.AESGCM).
#
# Errors, the same everywhere:
#   TypeError      no buffer (a str, an int, None), a read-only output, a missing or unknown argument;
#   BufferError    a buffer that is not contiguous (the exporter raises it; numpy raises ValueError instead);
#   ValueError     a wrong length, number or name; an output that overlaps an input;
#   OverflowError  more than the cipher or the interface allows; lengths whose sum is too large;
#   InvalidTag     a wrong tag, or one of another length.

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Protocol, SupportsIndex, final

from _typeshed import ReadableBuffer, WriteableBuffer
from typing_extensions import TypeAlias, disjoint_base

__version__: str

# If the package `cryptography` is installed, these are the classes of `cryptography.exceptions`.
class InvalidTag(Exception):  # not a ValueError
    # Of decrypt_many(), decrypt_many_into() and verify_many() only: the indices of the messages that failed.
    failed: list[int]

class InvalidKey(Exception): ...
class AlreadyFinalized(Exception): ...

class _HashObject(Protocol):
    def digest(self) -> bytes: ...

class _HashAlgorithm(Protocol):  # cryptography.hazmat.primitives.hashes.SHA256()
    @property
    def name(self) -> str: ...

# A name; a constructor such as hashlib.sha256 or keylane.sha256; a module with new(); or a class of
# cryptography.hazmat.primitives.hashes or an instance of one.
_DigestMod: TypeAlias = (
    str | Callable[[], _HashObject] | ModuleType | _HashAlgorithm | Callable[[], _HashAlgorithm]
)

# ---- hashes: sha1, sha224, sha256, sha384, sha512, sha512_256, by their names in hashlib or in OpenSSL:
# "SHA256", "SHA-256", "SHA2-256", "SHA512-256", "SHA512/256". ValueError for another.

@disjoint_base
class _Function:
    @property
    def name(self) -> str: ...  # "sha256", "sha512_256"; "hmac-sha256" of HMAC and HmacKey
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...

@final
class Hash(_Function):  # made by new(), sha256() and so on, as in hashlib
    def update(self, data: ReadableBuffer, /) -> None: ...
    def digest(self) -> bytes: ...
    def digest_many(self, suffixes: Iterable[ReadableBuffer]) -> list[bytes]: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Hash: ...

# `string` is the name of `data` in hashlib until Python 3.13. TypeError for both.
def new(
    name: _DigestMod,
    data: ReadableBuffer = b"",
    *,
    usedforsecurity: bool = True,
    string: ReadableBuffer | None = None,
) -> Hash: ...
def sha1(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def sha224(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def sha256(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def sha384(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def sha512(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def sha512_256(
    data: ReadableBuffer = b"", *, usedforsecurity: bool = True, string: ReadableBuffer | None = None
) -> Hash: ...
def digest_many(name: _DigestMod, messages: Iterable[ReadableBuffer]) -> list[bytes]: ...

# ---- HMAC

@final
class HMAC(_Function):  # keylane.hmac.HMAC
    # TypeError without digestmod, ValueError for an unknown hash.
    def __new__(
        cls, key: ReadableBuffer, msg: ReadableBuffer | None = None, digestmod: _DigestMod = ""
    ) -> HMAC: ...
    def update(self, msg: ReadableBuffer) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> HMAC: ...

# keylane.hmac.new and keylane.hmac.digest
def hmac_new(
    key: ReadableBuffer, msg: ReadableBuffer | None = None, digestmod: _DigestMod = ""
) -> HMAC: ...
def hmac_digest(key: ReadableBuffer, msg: ReadableBuffer, digest: _DigestMod) -> bytes: ...

@final
class HmacKey(_Function):
    def __new__(cls, key: ReadableBuffer, digestmod: _DigestMod) -> HmacKey: ...
    def mac(self, msg: ReadableBuffer) -> bytes: ...
    def mac_many(self, msgs: Iterable[ReadableBuffer]) -> list[bytes]: ...
    # ValueError if there are not as many messages as keys, or for keys of different hashes.
    @staticmethod
    def mac_each(keys: Iterable[HmacKey], msgs: Iterable[ReadableBuffer]) -> list[bytes]: ...
    def verify(self, msg: ReadableBuffer, tag: ReadableBuffer) -> None: ...  # InvalidTag
    # At least 10 bytes. InvalidTag also for another length.
    def verify_truncated(self, msg: ReadableBuffer, tag: ReadableBuffer) -> None: ...
    # ValueError if there are not as many tags as messages. InvalidTag.failed: the indices of the messages
    # whose tags are wrong.
    def verify_many(self, msgs: Iterable[ReadableBuffer], tags: Iterable[ReadableBuffer]) -> None: ...
    def start(self, msg: ReadableBuffer | None = None) -> HMAC: ...

# The index of the first key that made one of the tags. InvalidTag if none did.
def verify_any(keys: Iterable[HmacKey], message: ReadableBuffer, tags: Iterable[ReadableBuffer]) -> int: ...

# ---- key derivation

# ValueError if iterations or dklen is below 1; OverflowError above 2**32 - 1 iterations or a dklen of
# 2**31 - 1.
def pbkdf2_hmac(
    hash_name: _DigestMod,
    password: ReadableBuffer,
    salt: ReadableBuffer,
    iterations: SupportsIndex,
    dklen: SupportsIndex | None = None,
) -> bytes: ...

# ValueError if there are not as many salts as passwords.
def pbkdf2_hmac_many(
    hash_name: _DigestMod,
    passwords: Iterable[ReadableBuffer],
    salts: Iterable[ReadableBuffer],
    iterations: SupportsIndex,
    dklen: SupportsIndex | None = None,
) -> list[bytes]: ...

# ValueError if length is negative or above 255 digests, or if prk is shorter than a digest. Without a salt,
# pass None or b"".
def hkdf(
    hash_name: _DigestMod,
    key: ReadableBuffer,
    salt: ReadableBuffer | None,
    info: ReadableBuffer | None,
    length: SupportsIndex,
) -> bytes: ...
def hkdf_extract(hash_name: _DigestMod, key: ReadableBuffer, salt: ReadableBuffer | None) -> bytes: ...
def hkdf_expand(
    hash_name: _DigestMod, prk: ReadableBuffer, info: ReadableBuffer | None, length: SupportsIndex
) -> bytes: ...

# As in cryptography.hazmat.primitives.kdf: an object derives once, and raises AlreadyFinalized after that.
# verify() raises InvalidKey for another key. The constructors raise what hkdf() and pbkdf2_hmac() do.

@disjoint_base
class _Derivation:
    def derive(self, key_material: ReadableBuffer) -> bytes: ...
    def verify(self, key_material: ReadableBuffer, expected_key: ReadableBuffer) -> None: ...

@final
class HKDF(_Derivation):
    def __new__(
        cls,
        algorithm: _DigestMod,
        length: SupportsIndex,
        salt: ReadableBuffer | None,
        info: ReadableBuffer | None,
        backend: object = None,
    ) -> HKDF: ...

@final
class HKDFExpand(_Derivation):  # derive() and verify(): ValueError for a key shorter than the digest
    def __new__(
        cls, algorithm: _DigestMod, length: SupportsIndex, info: ReadableBuffer | None, backend: object = None
    ) -> HKDFExpand: ...

@final
class PBKDF2HMAC(_Derivation):
    def __new__(
        cls,
        algorithm: _DigestMod,
        length: SupportsIndex,
        salt: ReadableBuffer,
        iterations: SupportsIndex,
        backend: object = None,
    ) -> PBKDF2HMAC: ...

# ---- authenticated encryption, as in cryptography.hazmat.primitives.ciphers.aead
#
# encrypt() returns the encrypted text followed by the tag, which decrypt() takes. The *_into()
# methods write to `buf` and return its length, which must be that of the result (ValueError). `buf` may begin
# where `data` begins. Any other overlap of `buf` with data, nonce or associated_data is a ValueError; nothing
# is written then. When decrypt_into() raises InvalidTag, `buf` holds zeros, unless data was shorter than a
# tag.

@disjoint_base
class _Aead:
    def encrypt(
        self, nonce: ReadableBuffer, data: ReadableBuffer, associated_data: ReadableBuffer | None
    ) -> bytes: ...
    def decrypt(
        self, nonce: ReadableBuffer, data: ReadableBuffer, associated_data: ReadableBuffer | None
    ) -> bytes: ...
    def encrypt_into(
        self,
        nonce: ReadableBuffer,
        data: ReadableBuffer,
        associated_data: ReadableBuffer | None,
        buf: WriteableBuffer,
    ) -> int: ...
    def decrypt_into(
        self,
        nonce: ReadableBuffer,
        data: ReadableBuffer,
        associated_data: ReadableBuffer | None,
        buf: WriteableBuffer,
    ) -> int: ...
    # As many nonces, texts and associated data. The nonces may be in one buffer, one after the other.
    def encrypt_many(
        self,
        nonces: Iterable[ReadableBuffer] | ReadableBuffer,
        texts: Iterable[ReadableBuffer],
        associated_data: Iterable[ReadableBuffer] | None = None,
    ) -> list[bytes]: ...
    # InvalidTag.failed: the indices of the messages that are not authentic.
    def decrypt_many(
        self,
        nonces: Iterable[ReadableBuffer] | ReadableBuffer,
        texts: Iterable[ReadableBuffer],
        associated_data: Iterable[ReadableBuffer] | None = None,
    ) -> list[bytes]: ...
    # In place: message i is buf[offsets[i]:offsets[i + 1]], and its tag tags[16 * i:16 * i + 16].
    def encrypt_many_into(
        self,
        nonces: Iterable[ReadableBuffer] | ReadableBuffer,
        buf: WriteableBuffer,
        offsets: Iterable[SupportsIndex],
        tags: WriteableBuffer,
        associated_data: Iterable[ReadableBuffer] | None = None,
    ) -> None: ...
    def decrypt_many_into(
        self,
        nonces: Iterable[ReadableBuffer] | ReadableBuffer,
        buf: WriteableBuffer,
        offsets: Iterable[SupportsIndex],
        tags: ReadableBuffer,
        associated_data: Iterable[ReadableBuffer] | None = None,
    ) -> None: ...

@final
class AESGCM(_Aead):  # nonces of 8 to 128 bytes; use 12
    # A key of 16, 24 or 32 bytes. tag_length is 4 to 16 bytes; the *_many*() methods refuse another than 16.
    def __new__(cls, key: ReadableBuffer, tag_length: SupportsIndex = 16) -> AESGCM: ...
    @staticmethod
    def generate_key(bit_length: SupportsIndex) -> bytes: ...  # 128, 192 or 256

@final
class ChaCha20Poly1305(_Aead):  # nonces of 12 bytes
    def __new__(cls, key: ReadableBuffer) -> ChaCha20Poly1305: ...  # 32 bytes
    @staticmethod
    def generate_key() -> bytes: ...

@final
class XChaCha20Poly1305(_Aead):  # nonces of 24 bytes
    def __new__(cls, key: ReadableBuffer) -> XChaCha20Poly1305: ...  # 32 bytes
    @staticmethod
    def generate_key() -> bytes: ...

@final
class AESGCMSIV(_Aead):  # nonces of 12 bytes
    def __new__(cls, key: ReadableBuffer) -> AESGCMSIV: ...  # 16 or 32 bytes
    @staticmethod
    def generate_key(bit_length: SupportsIndex) -> bytes: ...  # 128 or 256

@final
class XAES256GCM(_Aead):  # nonces of 24 bytes
    def __new__(cls, key: ReadableBuffer) -> XAES256GCM: ...  # 32 bytes
    @staticmethod
    def generate_key() -> bytes: ...

# encrypt() returns a random nonce, what the AEAD encrypts, and the tag. TypeError for an AEAD whose nonces
# are too short to be random.
@final
class RandomNonces:
    def __new__(cls, aead: AESGCMSIV | XAES256GCM | XChaCha20Poly1305) -> RandomNonces: ...
    def encrypt(self, data: ReadableBuffer, associated_data: ReadableBuffer | None = None) -> bytes: ...
    def decrypt(self, data: ReadableBuffer, associated_data: ReadableBuffer | None = None) -> bytes: ...

# ---- keylane.chunked: C2SP's chunked encryption. ValueError unless a key has 16 or 32 bytes.

def chunked_encrypt(key: ReadableBuffer, data: ReadableBuffer, context: ReadableBuffer = ...) -> bytes: ...
def chunked_decrypt(key: ReadableBuffer, message: ReadableBuffer, context: ReadableBuffer = ...) -> bytes: ...
@final
class _ChunkedReader:
    def __new__(cls, file: object, key: ReadableBuffer, context: ReadableBuffer) -> _ChunkedReader: ...
    def read(self, size: int) -> bytes: ...
    def seek(self, offset: int, whence: int) -> int: ...
    def tell(self) -> int: ...

@final
class _ChunkedWriter:
    def __new__(cls, file: object, key: ReadableBuffer, context: ReadableBuffer) -> _ChunkedWriter: ...
    def write(self, data: ReadableBuffer) -> int: ...
    def finish(self) -> None: ...

# ---- key streams: update() encrypts and decrypts, in pieces of any length. update_into() writes to the
# beginning of `buf`, which must be at least as long as `data` (ValueError), and returns len(data). Overlaps
# as above.

@disjoint_base
class _KeyStream:
    @property
    def position(self) -> int: ...  # in the key stream, in bytes
    def update(self, data: ReadableBuffer) -> bytes: ...
    def update_into(self, data: ReadableBuffer, buf: WriteableBuffer) -> int: ...
    # ValueError if negative, OverflowError above 2**64 - 1
    def seek(self, position: SupportsIndex) -> None: ...

@final
class AESCTR(_KeyStream):
    # 16, 24 or 32 bytes; 16 bytes
    def __new__(cls, key: ReadableBuffer, counter_block: ReadableBuffer) -> AESCTR: ...

# RFC 8439, from block 0. OverflowError beyond 2**38 bytes of key stream, and of seek() above that.
@final
class ChaCha20(_KeyStream):
    def __new__(cls, key: ReadableBuffer, nonce: ReadableBuffer) -> ChaCha20: ...  # 32 bytes; 12 bytes

# ---- Poly1305, as in cryptography.hazmat.primitives.poly1305 (InvalidTag instead of InvalidSignature)

@final
class Poly1305:
    def __new__(cls, key: ReadableBuffer) -> Poly1305: ...  # 32 bytes
    @staticmethod
    def generate_tag(key: ReadableBuffer, data: ReadableBuffer) -> bytes: ...
    @staticmethod
    def verify_tag(key: ReadableBuffer, data: ReadableBuffer, tag: ReadableBuffer) -> None: ...
    # All three: AlreadyFinalized after finalize() or verify().
    def update(self, data: ReadableBuffer) -> None: ...
    def finalize(self) -> bytes: ...
    def verify(self, tag: ReadableBuffer) -> None: ...

# ---- what runs here

@final
class Backend:
    @property
    def primitive(self) -> str: ...  # "sha256", "aes-gcm"
    @property
    def name(self) -> str: ...  # "sha-ni", "avx2"
    @property
    def usable(self) -> bool: ...  # whether this CPU can run it
    @property
    def passes_self_test(self) -> bool: ...  # whether it can run and passes its self-test
    @property
    def chosen(self) -> bool: ...  # whether it runs when a call has from_messages messages
    @property
    def from_messages(self) -> int: ...  # the smallest number of messages in a call that it is chosen for

def backends() -> list[Backend]: ...
def self_test() -> None: ...  # RuntimeError if an implementation computes a wrong result
