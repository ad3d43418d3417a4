"""Running hashes and MACs beside the standard library's: the same calls in any order give the same results."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

import keylane
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule
from subjects import HASHES, messages, short

hashes = st.sampled_from(HASHES)


@dataclass
class Twins:
    ours: keylane.Hash | keylane.hmac.HMAC
    theirs: hashlib._Hash | hmac.HMAC


class SideBySide(RuleBasedStateMachine):
    twins = Bundle[Twins]("twins")

    @rule(target=twins, name=hashes, data=messages)
    def new_hash(self, name: str, data: bytes) -> Twins:
        return Twins(keylane.new(name, data), hashlib.new(name, data))

    @rule(target=twins, name=hashes)
    def new_hash_by_its_name(self, name: str) -> Twins:
        return Twins(getattr(keylane, name)(), hashlib.new(name))

    @rule(target=twins, name=hashes, key=short, data=st.none() | messages)
    def new_hmac(self, name: str, key: bytes, data: bytes | None) -> Twins:
        return Twins(keylane.hmac.new(key, data, name), hmac.new(key, data, name))

    @rule(target=twins, name=hashes, key=short, data=messages)
    def start_from_key(self, name: str, key: bytes, data: bytes) -> Twins:
        return Twins(keylane.HmacKey(key, name).start(data), hmac.new(key, data, name))

    @rule(target=twins, twin=twins)
    def copy(self, twin: Twins) -> Twins:
        return Twins(twin.ours.copy(), twin.theirs.copy())

    @rule(twin=twins, data=messages)
    def update(self, twin: Twins, data: bytes) -> None:
        twin.ours.update(data)
        twin.theirs.update(data)

    @rule(twin=twins)
    def digest(self, twin: Twins) -> None:
        assert twin.ours.digest() == twin.theirs.digest()

    @rule(twin=twins)
    def hexdigest(self, twin: Twins) -> None:
        assert twin.ours.hexdigest() == twin.theirs.hexdigest()

    @rule(twin=twins)
    def describe(self, twin: Twins) -> None:
        ours, theirs = twin.ours, twin.theirs
        # Not block_size: a copied hmac.HMAC has none.
        assert (ours.name, ours.digest_size) == (theirs.name, theirs.digest_size)


TestSideBySide = SideBySide.TestCase
TestSideBySide.settings = settings(stateful_step_count=30)
