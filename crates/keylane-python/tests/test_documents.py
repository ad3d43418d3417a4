"""The Python in the documents runs, and docs/migrating.md's two programs compute the same."""

import doctest
import inspect
import pathlib
import re
from typing import Any

import pytest

import keylane

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ["README.md", "docs/python.md", "docs/columns.md", "docs/migrating.md"]


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def run(program: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(program, names)
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page: str) -> None:
    sessions = [block for block in blocks(page) if block.startswith(">>> ")]
    programs = [block for block in blocks(page) if not block.startswith(">>> ")]
    assert sessions or programs
    for program in programs:
        assert run(program)
    result = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted >= sum(block.count(">>> ") for block in sessions)


def test_before_and_after_agree() -> None:
    before, after = (run(program) for program in blocks("docs/migrating.md"))
    values = {
        "key": bytes(range(32)),
        "nonce": bytes(12),
        "counter_block": bytes(16),
        "key_used_once": bytes(range(32)),
        "message": b"message",
        "tag": keylane.hmac.digest(bytes(range(32)), b"message", "sha256"),
        **{name: b"some " + name.encode() for name in ["aad", "data", "info", "password", "salt", "secret", "text"]},
    }
    functions = [name for name, value in before.items() if inspect.isfunction(value)]
    assert len(functions) == 7
    for name in functions:
        arguments = [values[argument] for argument in inspect.signature(before[name]).parameters]
        expected = before[name](*arguments)
        assert expected
        assert after[name](*arguments) == expected
    assert not after["check"](values["key"], b"massage", values["tag"])
