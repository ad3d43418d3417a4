"""Fast hashes, MACs, key derivation and encryption, with the CPU's vector instructions.

The names are those of `hashlib`, `hmac` and `cryptography`. Keylane adds prepared HMAC keys (`HmacKey`) and
calls that process many messages (`mac_many`, `digest_many`, `pbkdf2_hmac_many`).

Arguments that are bytes may be any object with a contiguous buffer: bytes, bytearray, memoryview, array,
numpy's arrays, mmap. Work on more than 2 KiB releases the GIL. Threads may share all objects
except those of `keylane.chunked`.
"""

import typing as _typing

from . import chunked, hmac
from ._keylane import (
    AESCTR,
    AESGCM,
    AESGCMSIV,
    HKDF,
    PBKDF2HMAC,
    XAES256GCM,
    Backend,
    ChaCha20,
    ChaCha20Poly1305,
    Hash,
    HKDFExpand,
    HmacKey,
    Poly1305,
    RandomNonces,
    XChaCha20Poly1305,
    __version__,
    backends,
    digest_many,
    hkdf,
    hkdf_expand,
    hkdf_extract,
    new,
    pbkdf2_hmac,
    pbkdf2_hmac_many,
    self_test,
    sha1,
    sha224,
    sha256,
    sha384,
    sha512,
    sha512_256,
    verify_any,
)

if _typing.TYPE_CHECKING:
    from ._keylane import AlreadyFinalized, InvalidKey, InvalidTag
else:
    # If cryptography is installed, these are its classes. It is imported when one of them is first looked up.
    from ._keylane import __getattr__


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "AESCTR",
    "AESGCM",
    "AESGCMSIV",
    "AlreadyFinalized",
    "Backend",
    "ChaCha20",
    "ChaCha20Poly1305",
    "HKDF",
    "HKDFExpand",
    "Hash",
    "HmacKey",
    "InvalidKey",
    "InvalidTag",
    "PBKDF2HMAC",
    "Poly1305",
    "RandomNonces",
    "XAES256GCM",
    "XChaCha20Poly1305",
    "__version__",
    "backends",
    "chunked",
    "digest_many",
    "hkdf",
    "hkdf_expand",
    "hkdf_extract",
    "hmac",
    "new",
    "pbkdf2_hmac",
    "pbkdf2_hmac_many",
    "self_test",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512_256",
    "verify_any",
]
