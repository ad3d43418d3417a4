"""Running hashes and MACs, compared with the standard library's: the same calls, in any order."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Union

import keylane
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import HASHES, messages, short

Ours = Union[keylane.Hash, keylane.hmac.HMAC]


@dataclass
class Twins:
    ours: Ours
    theirs: hashlib._Hash | hmac.HMAC

    def copy(self) -> Twins:
        return Twins(self.ours.copy(), self.theirs.copy())

    def update(self, data: bytes) -> None:
        self.ours.update(data)
        self.theirs.update(data)

    def check(self) -> None:
        ours, theirs = self.ours, self.theirs
        assert ours.digest() == theirs.digest()
        assert ours.hexdigest() == theirs.hexdigest()
        # Not block_size: a copied hmac.HMAC has none.
        assert (ours.name, ours.digest_size) == (theirs.name, theirs.digest_size)


def new_hash(name: str, data: bytes) -> Twins:
    return Twins(keylane.new(name, data), hashlib.new(name, data))


def new_hash_by_its_name(name: str) -> Twins:
    return Twins(getattr(keylane, name)(), hashlib.new(name))


def new_hmac(name: str, key: bytes, data: bytes | None) -> Twins:
    return Twins(keylane.hmac.new(key, data, name), hmac.new(key, data, name))


def start_from_key(name: str, key: bytes, data: bytes) -> Twins:
    return Twins(keylane.HmacKey(key, name).start(data), hmac.new(key, data, name))


def beginnings(name: str) -> st.SearchStrategy[Twins]:
    named = st.just(name)
    return st.one_of(
        st.builds(new_hash, named, messages),
        st.builds(new_hash_by_its_name, named),
        st.builds(new_hmac, named, short, st.none() | messages),
        st.builds(start_from_key, named, short, messages),
    )


# The calls: each is applied to one of the existing objects, chosen by a number modulo their number.
steps = st.tuples(st.integers(0, 10), st.sampled_from(["copy", "check"]) | messages)


@pytest.mark.parametrize("name", HASHES)
@given(data=st.data(), calls=st.lists(steps, min_size=5, max_size=25))
def test_side_by_side(name: str, data: st.DataObject, calls: list[tuple[int, str | bytes]]) -> None:
    twins = [data.draw(beginnings(name))]
    for number, step in calls:
        twin = twins[number % len(twins)]
        if step == "copy":
            twins.append(twin.copy())
        elif isinstance(step, bytes):
            twin.update(step)
        else:
            twin.check()
    for twin in twins:
        twin.check()
