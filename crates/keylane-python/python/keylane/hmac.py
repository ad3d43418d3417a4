"""HMAC (RFC 2104), with the names of the standard library's `hmac`.

For many messages under one key, `keylane.HmacKey` is faster.
"""

from hmac import compare_digest

from ._keylane import HMAC, hmac_digest as digest, hmac_new as new

__all__ = ["HMAC", "compare_digest", "digest", "new"]
