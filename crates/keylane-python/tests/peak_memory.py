"""Prints how much each call raises this process's peak memory, as a multiple of the call's data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keylane

LENGTH = 16 << 20


def in_kib(field: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1])


def growth(call: Callable[[], object]) -> float:
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the memory in use
    before = in_kib("VmRSS")
    call()
    return (in_kib("VmHWM") - before) * 1024 / LENGTH


data = memoryview(bytearray(b"\xaa" * LENGTH))
sealed = bytearray(b"\xaa" * (LENGTH + 16))
tag_text = memoryview(sealed)[:LENGTH]
nonce, wide_nonce = bytes(12), bytes(24)
gcm, chacha = keylane.AESGCM(bytes(32)), keylane.ChaCha20Poly1305(bytes(32))
xchacha = keylane.XChaCha20Poly1305(bytes(32))
key = keylane.HmacKey(b"key", "sha256")


def refused(associated_data: bytes) -> bool:
    try:
        gcm.decrypt(nonce, sealed, associated_data)
    except keylane.InvalidTag:
        return True
    raise AssertionError


CALLS: dict[str, Callable[[], object]] = {
    "AESGCM.encrypt_into": lambda: gcm.encrypt_into(nonce, data, None, sealed),
    "AESGCM.decrypt_into": lambda: gcm.decrypt_into(nonce, sealed, None, data),
    "ChaCha20Poly1305.encrypt_into": lambda: chacha.encrypt_into(nonce, data, None, sealed),
    "ChaCha20Poly1305.decrypt_into": lambda: chacha.decrypt_into(nonce, sealed, None, data),
    "XChaCha20Poly1305.encrypt_into, in place": lambda: xchacha.encrypt_into(
        wide_nonce, tag_text, None, sealed
    ),
    "XChaCha20Poly1305.decrypt_into, in place": lambda: xchacha.decrypt_into(
        wide_nonce, sealed, None, tag_text
    ),
    "AESCTR.update_into": lambda: keylane.AESCTR(bytes(16), bytes(16)).update_into(data, tag_text),
    "ChaCha20.update_into": lambda: keylane.ChaCha20(bytes(32), bytes(12)).update_into(data, tag_text),
    "HmacKey.mac": lambda: key.mac(data),
    "HmacKey.mac_many": lambda: key.mac_many([data, tag_text]),
    "sha256": lambda: keylane.sha256(data),
    "Poly1305.generate_tag": lambda: keylane.Poly1305.generate_tag(bytes(32), data),
    "AESGCM.encrypt, 10 times": lambda: [len(gcm.encrypt(nonce, data, None)) for _ in range(10)],
    "AESGCM.decrypt of forgeries, 10 times": lambda: [refused(bytes([i])) for i in range(10)],
}

if __name__ == "__main__":
    for name, call in CALLS.items():
        print(name, growth(call), sep="\t")
