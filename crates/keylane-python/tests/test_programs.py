"""PyJWT, itsdangerous and Django on Keylane: each makes what it makes without, and reads it, either way."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import pathlib
import re
from typing import Any

import itsdangerous
import jwt
import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, identify_hasher, make_password
from django.core.signing import BadSignature, TimestampSigner, b64_encode
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.utils.encoding import force_bytes
from itsdangerous import URLSafeTimedSerializer
from itsdangerous.signer import SigningAlgorithm
from jwt.algorithms import HMACAlgorithm

import keylane

CLAIMS = {"sub": "ada", "scope": ["read", "write"]}
SECRET = "a secret of more than sixty-four bytes, as HMAC with SHA-512 should have one"

settings.configure(SECRET_KEY=SECRET)


class KeylaneJWT(HMACAlgorithm):
    def sign(self, msg: bytes, key: bytes) -> bytes:
        return keylane.hmac.digest(key, msg, self.hash_alg)


class KeylaneSigning(SigningAlgorithm):
    def get_signature(self, key: bytes, value: bytes) -> bytes:
        return keylane.hmac.digest(key, value, "sha256")


class KeylaneHasher(PBKDF2PasswordHasher):  # type: ignore[misc]
    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        self._check_encode_args(password, salt)
        rounds = iterations or self.iterations
        derived = keylane.pbkdf2_hmac("sha256", force_bytes(password), force_bytes(salt), rounds)
        return f"{self.algorithm}${rounds}${salt}${base64.b64encode(derived).decode()}"


class KeylaneSigner(TimestampSigner):  # type: ignore[misc]
    def signature(self, value: str, key: str | bytes | None = None) -> str:
        derived = keylane.sha256(force_bytes(self.salt + "signer") + force_bytes(key or self.key)).digest()
        return str(b64_encode(keylane.hmac.digest(derived, force_bytes(value), "sha256")).decode())


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of Keylane's functions that have been called since."""
    names: list[str] = []
    for module, name in [(keylane.hmac, "digest"), (keylane, "sha256"), (keylane, "pbkdf2_hmac")]:

        def noted(*args: Any, name: str = name, function: Any = getattr(module, name)) -> Any:
            names.append(name)
            return function(*args)

        monkeypatch.setattr(module, name, noted)
    return names


@pytest.mark.parametrize("hash", [hashlib.sha256, hashlib.sha384, hashlib.sha512])
def test_pyjwt(hash: Any, calls: list[str]) -> None:
    name = hash().name.replace("sha", "HS")
    stock = jwt.PyJWT()
    jwt.unregister_algorithm(name)
    jwt.register_algorithm(name, KeylaneJWT(hash))
    token = jwt.encode(CLAIMS, SECRET, name)
    assert token == stock.encode(CLAIMS, SECRET, name)
    assert stock.decode(token, SECRET, [name]) == jwt.decode(token, SECRET, [name]) == CLAIMS
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(token, SECRET.upper(), [name])
    assert calls == ["digest"] * 3


def test_itsdangerous(calls: list[str]) -> None:
    stock = URLSafeTimedSerializer(SECRET, signer_kwargs={"digest_method": hashlib.sha256})
    by_algorithm = {"digest_method": hashlib.sha256, "algorithm": KeylaneSigning()}
    for kwargs in (by_algorithm, {"digest_method": keylane.sha256}):
        ours = URLSafeTimedSerializer(SECRET, signer_kwargs=kwargs)
        assert stock.loads(ours.dumps(CLAIMS)) == ours.loads(stock.dumps(CLAIMS)) == CLAIMS
        with pytest.raises(itsdangerous.BadSignature):
            ours.loads(URLSafeTimedSerializer(SECRET.upper(), signer_kwargs=kwargs).dumps(CLAIMS))
    # By the algorithm; by the standard library's HMAC over Keylane's hash.
    assert calls[:4] == ["digest"] * 4
    assert len(calls) > 8 and set(calls[4:]) == {"sha256"}


def test_django_passwords(calls: list[str]) -> None:
    for password in ("correct horse", "\u7532\U0001d306"):
        stock = make_password(password, "a salt")
        with override_settings(PASSWORD_HASHERS=[f"{__name__}.KeylaneHasher"]):
            assert isinstance(identify_hasher(stock), KeylaneHasher)
            ours = make_password(password, "a salt")
            assert ours == stock
            assert check_password(password, stock)
            assert not check_password(password + "!", stock)
        assert check_password(password, ours)
    assert calls == ["pbkdf2_hmac"] * 6


def test_django_signing(calls: list[str]) -> None:
    ours, stock = KeylaneSigner(salt="login"), TimestampSigner(salt="login")
    assert stock.unsign_object(ours.sign_object(CLAIMS), max_age=60) == CLAIMS
    assert ours.unsign_object(stock.sign_object(CLAIMS), max_age=60) == CLAIMS
    with pytest.raises(BadSignature):
        ours.unsign_object(TimestampSigner(salt="logout").sign_object(CLAIMS))
    assert calls == ["sha256", "digest"] * 3


@pytest.mark.parametrize("signs", [True, False])
def test_django_cookies(signs: bool, calls: list[str]) -> None:
    """One end signs by Keylane, the other without."""
    backend = override_settings(SIGNING_BACKEND=f"{__name__}.KeylaneSigner")
    response, request = HttpResponse(), HttpRequest()
    with backend if signs else contextlib.nullcontext():
        response.set_signed_cookie("user", "ada", salt="login")
    request.COOKIES["user"] = response.cookies["user"].value
    with contextlib.nullcontext() if signs else backend:
        assert request.get_signed_cookie("user", salt="login") == "ada"
        assert request.get_signed_cookie("user", None, salt="logout") is None
    assert set(calls) == {"sha256", "digest"}


def test_lines_of_the_document() -> None:
    source = pathlib.Path(__file__).read_text("utf-8")
    page = (pathlib.Path(__file__).parents[3] / "docs/migrating.md").read_text("utf-8")
    blocks = re.findall(r"^```python,ignore\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        assert block in source
