"""Reads the files of the package cryptography_vectors, in NIST's format or a similar one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import cryptography_vectors

Case = dict[str, str]
"""The fields of one case by name, with those of the section that it stands in."""

ROOT = Path(os.path.dirname(cryptography_vectors.__file__))


def cases(path: str, first: str) -> Iterator[Case]:
    """Yields a file's cases. Each begins with the field `first`; fields before it apply to the following."""
    section: Case = {}
    case: Case | None = None
    with cryptography_vectors.open_vector_file(path, "r") as lines:
        for line in map(str.strip, lines):
            if not line or line.startswith("#"):
                continue
            name, _, value = (part.strip() for part in line.strip("[]").partition("="))
            if case and (name == first or line.startswith("[")):
                yield case
                case = None
            if name == first:
                case = dict(section)
            (section if case is None else case)[name] = value
    if case:
        yield case


def files_in(*folders: str) -> set[str]:
    """Returns every file of vectors in these folders."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if not fnmatch(path.name, "Readme*")}
