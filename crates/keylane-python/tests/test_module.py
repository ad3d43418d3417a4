"""The package as a whole: its names, and the implementations on this CPU."""

from __future__ import annotations

import importlib.metadata
import inspect
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import keylane
import pytest


def test_the_names_are_those_that_are_listed() -> None:
    looked_up = {"AlreadyFinalized", "InvalidKey", "InvalidTag"}
    public = {name for name in vars(keylane) if not name.startswith("_")} | {"__version__"} | looked_up
    # Another test may have imported `keylane.arrow`, which is in a wheel of its own.
    assert public - {"arrow"} == set(keylane.__all__)
    assert all(hasattr(keylane, name) for name in keylane.__all__)
    assert set(keylane.__all__) <= set(dir(keylane))
    for module in (keylane.chunked, keylane.hmac):
        assert set(module.__all__) <= vars(module).keys()
    assert keylane.__version__ == importlib.metadata.version("keylane")


def is_documented(thing: object) -> bool:
    """Whether help() says what a thing is, and what its arguments are by default."""
    return bool(inspect.getdoc(thing)) and "..." not in (getattr(thing, "__text_signature__", None) or "")


def test_everything_is_documented() -> None:
    """Classes also name the module that users import them from."""
    others = ("__version__", "chunked", "hmac")
    named = {name: getattr(keylane, name) for name in keylane.__all__ if name not in others}
    named |= {name: getattr(keylane.hmac, name) for name in ("HMAC", "new", "digest")}
    named |= {name: getattr(keylane.chunked, name) for name in ("Reader", "Writer", "decrypt", "encrypt")}
    for name, thing in named.items():
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue  # cryptography's
        assert is_documented(thing), name
        if inspect.isclass(thing):
            module = {"HMAC": "keylane.hmac", "Reader": "keylane.chunked", "Writer": "keylane.chunked"}
            assert thing.__module__ == module.get(name, "keylane")
            for member in (member for member in vars(thing) if not member.startswith("_")):
                assert is_documented(getattr(thing, member)), f"{name}.{member}"


class Broken:
    """An installation of keylane-arrow that lacks something else."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if name == "keylane_arrow":
            raise ImportError("no such library", name="arrow")
        return None


def test_an_import_of_arrow_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keylane.arrow", raising=False)
    monkeypatch.setitem(sys.modules, "keylane_arrow", None)
    with pytest.raises(ImportError, match="pip install it"):
        importlib.import_module("keylane.arrow")
    monkeypatch.delitem(sys.modules, "keylane_arrow")
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(ImportError, match="no such library"):
        importlib.import_module("keylane.arrow")


def test_the_self_test_passes() -> None:
    keylane.self_test()


def test_backends() -> None:
    backends = keylane.backends()
    for primitive in {backend.primitive for backend in backends}:
        of_it = [backend for backend in backends if backend.primitive == primitive]
        assert any(backend.chosen for backend in of_it), primitive
        assert of_it[-1].name.startswith("portable") and of_it[-1].usable
        for backend in of_it:
            assert backend.passes_self_test == backend.usable
            assert backend.usable or not backend.chosen
            assert backend.from_messages >= 1
            state = "chosen" if backend.chosen else "usable" if backend.usable else "not usable"
            assert repr(backend) == f"<keylane.Backend {backend.primitive} {backend.name}: {state}>"
    assert {"sha1", "sha256", "sha512", "aes", "aes-gcm", "aes-ctr", "poly1305", "chacha20"} <= {
        backend.primitive for backend in backends
    }


def test_required_implementations_are_usable() -> None:
    required = {name for name in os.environ.get("KEYLANE_REQUIRE_BACKENDS", "").split(",") if name}
    assert required <= {backend.name for backend in keylane.backends() if backend.usable}
