"""The Python in the documents runs and fits the types, and docs/migrating.md's two programs compute the same."""

import doctest
import inspect
import pathlib
import re
import subprocess
import sys
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


# Examples have no annotations, and use a name again.
MYPY = ["mypy", "--strict", "--allow-untyped-defs", "--allow-untyped-calls", "--allow-redefinition"]
CHECKERS = {
    "mypy": [*MYPY, "--disable-error-code=no-redef", f"--cache-dir={sys.prefix}/mypy-cache", "."],
    # Pyright, in a package that needs nothing else from the network.
    "pyright": ["basedpyright", "--level=error", "--pythonpath", sys.executable, "."],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_every_block_fits_the_types(checker: str, tmp_path: pathlib.Path) -> None:
    for other in ("duckdb", "pandas", "polars", "pyarrow"):
        (tmp_path / f"{other}.pyi").write_text("from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n")
    for page in PAGES:
        examples = doctest.DocTestParser().get_examples((ROOT / page).read_text("utf-8"))
        programs = [block for block in blocks(page) if not block.startswith(">>> ")]
        for i, program in enumerate(["".join(example.source for example in examples), *programs]):
            (tmp_path / f"{pathlib.Path(page).stem.lower()}_{i}.py").write_text(program, "utf-8")
    (tmp_path / "planted.py").write_text("import keylane\n\nkeylane.sha256().fingerprint\n")
    command = [sys.executable, "-m", *CHECKERS[checker]]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    # The planted attribute is the only one that there is not.
    assert re.search(r"planted\.py:3.* error: ", output), output
    assert len(re.findall(r": error: | - error: ", output)) == 1, output


def test_before_and_after_agree() -> None:
    before, after = (run(program) for program in blocks("docs/migrating.md"))
    values = {
        "key": bytes(range(32)),
        "nonce": bytes(12),
        "counter": 3,
        "message": b"message",
        "tag": keylane.hmac.digest(bytes(range(32)), b"message", "sha256"),
        **{name: b"some " + name.encode() for name in ["data", "info", "salt", "secret"]},
    }
    functions = [name for name, value in before.items() if inspect.isfunction(value)]
    assert len(functions) == 3
    for name in functions:
        arguments = [values[argument] for argument in inspect.signature(before[name]).parameters]
        expected = before[name](*arguments)
        assert expected
        assert after[name](*arguments) == expected
    assert not after["check"](values["key"], b"massage", values["tag"])
