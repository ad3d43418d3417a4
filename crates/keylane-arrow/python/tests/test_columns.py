"""The functions, on columns of pyarrow and nanoarrow."""

import base64
import ctypes
import datetime
import hashlib
import importlib.metadata
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nanoarrow
import polars
import pyarrow as pa
import pytest
from data import KEY, mac, strings, token

import keylane
from keylane import arrow

ROWS = strings(3000)


def test_hmac_of_every_type_is_that_of_the_standard_library(ring: arrow.KeyRing) -> None:
    text = pa.array(ROWS)
    types = [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
    ]
    columns = [text.cast(type) for type in types]
    columns += [text.dictionary_encode(), pa.concat_arrays([pa.nulls(5, pa.string()), text])[5:]]
    for column in columns:
        macs = pa.array(arrow.hmac(column, ring["customers"]))
        assert macs.type == pa.binary(32)
        assert macs.to_pylist() == [mac(row) for row in ROWS], column.type


def test_a_stream_becomes_a_stream(ring: arrow.KeyRing) -> None:
    column = pa.chunked_array([ROWS[:10], [], ROWS[10:]])
    macs = arrow.hmac(column, ring["customers"])
    assert isinstance(macs, arrow.ChunkedArray)
    assert len(macs) == len(ROWS)
    assert pa.chunked_array(macs).to_pylist() == [mac(row) for row in ROWS]
    empty = arrow.hmac(pa.chunked_array([], pa.string()), ring["customers"])
    assert pa.chunked_array(empty).type == pa.binary(32)
    assert repr(macs) == "<keylane.arrow.ChunkedArray: 3000 rows of FixedSizeBinary(32)>"


def test_nanoarrow(ring: arrow.KeyRing) -> None:
    column = nanoarrow.Array(["a", None, "b"], nanoarrow.string())
    assert pa.array(arrow.hmac(column, ring["customers"])).to_pylist() == [mac("a"), None, mac("b")]


def test_other_hashes_and_digests(ring: arrow.KeyRing) -> None:
    column = pa.array(["a", None])
    assert pa.array(arrow.digest(column)).to_pylist() == [hashlib.sha256(b"a").digest(), None]
    assert pa.array(arrow.digest(column, hash="sha512")).type == pa.binary(64)
    assert len(pa.array(arrow.hmac(column, ring["customers"], hash="sha384"))[0].as_py()) == 48
    with pytest.raises(ValueError, match="unknown hash `md5`: use one of sha1, .*, sha512, sha512_256$"):
        arrow.digest(column, hash="md5")  # type: ignore[call-overload]


def test_tokens(ring: arrow.KeyRing) -> None:
    key, column = ring["customers"], pa.array(["a", None])
    tag = mac("a")
    assert tag is not None
    assert pa.array(arrow.token(column, key)).to_pylist() == [token("a"), None]
    text = base64.urlsafe_b64encode(tag[:12]).decode()
    assert pa.array(arrow.token(column, key, form="base64url", length=12)).to_pylist() == [text, None]
    number = int.from_bytes(tag[:8], "big", signed=True)
    assert pa.array(arrow.token(column, key, form="int64")).to_pylist() == [number, None]
    with pytest.raises(ValueError, match="8 to 32 bytes, not 7"):
        arrow.token(column, key, length=7)


def test_a_cast_makes_no_nulls(ring: arrow.KeyRing) -> None:
    sealed = arrow.seal(pa.array(ROWS), ring["customers"], "a")
    with pytest.raises(ValueError, match="values that are not of the type Utf8"):
        pa.array(sealed, pa.string())
    assert pa.array(sealed, pa.large_binary()).type == pa.large_binary()
    tokens = arrow.token(pa.chunked_array([ROWS]), ring["customers"], form="int64")
    with pytest.raises(ValueError, match="values that are not of the type Int32"):
        pa.chunked_array(tokens, pa.int32())


@pytest.mark.parametrize("deterministic", [False, True])
def test_what_is_sealed_opens(ring: arrow.KeyRing, deterministic: bool) -> None:
    key = ring["customers"]
    born = pa.array([datetime.date(1985, 3, 2), None, datetime.date(1985, 3, 2)])
    sealed = pa.array(arrow.seal(born, key, "born", deterministic=deterministic))
    assert sealed.type == pa.binary()
    assert (sealed[0] == sealed[2]) == deterministic
    for type in ("Date32", pa.date32()):
        opened = pa.array(arrow.open(sealed, key, "born", type=type, deterministic=deterministic))
        assert opened == born
    for name, changed in (("died", sealed), ("born", pa.array([bytes(48)]))):
        with pytest.raises(keylane.InvalidTag, match=f"column `{name}`, row 0"):
            arrow.open(changed, key, name, deterministic=deterministic)
    column = pa.chunked_array([ROWS[:9], ROWS[9:]])
    sealed = pa.chunked_array(arrow.seal(column, key, "email", deterministic=deterministic))
    assert pa.chunked_array(arrow.open(sealed, key, "email", deterministic=deterministic)) == column
    changed = pa.chunked_array([*sealed.chunks, pa.array([bytes(48)])])
    with pytest.raises(keylane.InvalidTag, match=f"row {len(ROWS)}: "):
        arrow.open(changed, key, "email", deterministic=deterministic)


def test_errors_say_the_column_and_not_its_values(ring: arrow.KeyRing) -> None:
    key = ring["customers"]
    with pytest.raises(TypeError, match="a column has the type Float64"):
        arrow.hmac(pa.array([1.5]), key)
    table = nanoarrow.Array(pa.record_batch({"height": [1.5]})["height"])
    with pytest.raises(TypeError, match="Float64"):
        arrow.hmac(table, key)
    secret = pa.array(arrow.seal(pa.array([b"\xff secret"]), key, "a"))
    with pytest.raises(ValueError, match="column `a` holds values that are not of the type Utf8$"):
        arrow.open(secret, key, "a")
    with pytest.raises(ValueError, match="unknown Arrow type `Text`"):
        arrow.open(secret, key, "a", type="Text")
    with pytest.raises(ValueError, match="hex, base64url or int64"):
        arrow.token(pa.array(["a"]), key, form="octal")  # type: ignore[call-overload]


def test_what_is_no_column_is_named(ring: arrow.KeyRing) -> None:
    """Also a whole table, which has the interface of Arrow."""
    table = pa.table({"email": ["a"]})
    things: list[Any] = [["a"], "a", None, {"email": ["a"]}, table, table.to_batches()[0], table.to_pandas()]
    for thing in [*things, polars.DataFrame({"email": ["a"]}), polars.LazyFrame({"email": ["a"]})]:
        expected = f"a column is expected, not an object of the type {type(thing).__name__}: .* df"
        with pytest.raises(TypeError, match=expected):
            arrow.hmac(thing, ring["customers"])
    with pytest.raises(TypeError, match="column has the type Struct"):
        arrow.hmac(pa.array([{"email": "a"}]), ring["customers"])


def test_numbers_of_extension_types_are_refused(ring: arrow.KeyRing) -> None:
    """They stand for something else. Bytes and strings of extension types are hashed as what they are."""
    key, number = ring["customers"], pa.array([1], pa.int8())
    places = number.dictionary_encode()
    for type, storage in (
        (pa.bool8(), number),
        (pa.opaque(pa.int8(), "enum", "vendor"), number),
        (pa.opaque(places.type, "enum", "vendor"), places),
    ):
        column = pa.ExtensionArray.from_storage(type, storage)
        for call in (arrow.digest, lambda c: arrow.token(c, key), lambda c: arrow.seal(c, key, "a")):
            for given in (column, pa.chunked_array([column])):
                with pytest.raises(TypeError, match=f"extension type {type.extension_name}: convert it"):
                    call(given)
    uuid = pa.array([bytes(16)], pa.uuid())
    assert pa.array(arrow.hmac(uuid, key)) == pa.array(arrow.hmac(uuid.storage, key))


def test_an_error_says_what_a_key_is(ring: arrow.KeyRing) -> None:
    calls: list[Callable[[Any], object]] = [
        lambda key: arrow.hmac(pa.array(["a"]), key),
        lambda key: arrow.token(pa.array(["a"]), key),
        lambda key: arrow.seal(pa.array(["a"]), key, "a"),
        lambda key: arrow.open(pa.array([b"a"]), key, "a"),
    ]
    for wrong in (KEY, "customers", ring, None):
        message = f"a key is one of a keylane.arrow.KeyRing, .* of the type {type(wrong).__name__}"
        for call in calls:
            with pytest.raises(TypeError, match=message):
                call(wrong)


class NotReadable:
    """A stream whose second array cannot be read (the Arrow C stream interface)."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        capsule = pa.chunked_array([["a"], ["b"]]).__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        # get_schema, get_next, get_last_error, release, private_data
        members = (ctypes.c_void_p * 5).from_address(pointer(capsule, b"arrow_array_stream"))
        get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        get_last_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        good, codes = get_next(members[1] or 0), iter([0, 5])
        reason = ctypes.create_string_buffer(b"the reason")
        self.kept = (
            get_next(lambda stream, array: next(codes) or good(stream, array)),
            get_last_error(lambda stream: ctypes.addressof(reason)),
        )
        for place, function in zip((1, 2), self.kept):
            members[place] = ctypes.cast(function, ctypes.c_void_p)
        return capsule


def test_a_stream_that_fails_is_not_at_its_end(ring: arrow.KeyRing) -> None:
    with pytest.raises(ValueError, match="the reason"):
        arrow.hmac(NotReadable(), ring["customers"])


class Failing:
    """A column that cannot be passed."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        raise ZeroDivisionError("the reason")


def test_the_error_of_a_column_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError, match="the reason"):
        arrow.digest(Failing())
    monkeypatch.setitem(sys.modules, "pandas", None)  # blocked
    assert isinstance(arrow.digest(pa.array(["a"])), arrow.Array)


def test_packages_are_not_installed_by_names_that_others_may_register() -> None:
    """Until both are published: keylane is installed beside, from the same clone."""
    assert importlib.metadata.requires("keylane-arrow") is None
    assert importlib.metadata.requires("keylane") is None


def test_rings_are_pickled_by_where_their_keys_are(
    key_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", base64.b64encode(KEY).decode())
    ring = arrow.KeyRing(MappingProxyType({"customers": key_path}), {"other": "OTHER_KEY"})
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps((ring, ring["customers"]), protocol)
        for secret in (KEY, KEY.hex().encode(), base64.b64encode(KEY), KEY[:8]):
            assert secret not in data
        again, key = pickle.loads(data)
        assert again.names() == ["customers", "other"]
        column = pa.array(["a"])
        for key in (key, again["other"]):
            assert pa.array(arrow.hmac(column, key)).to_pylist() == [mac("a")]
    path = tmp_path / "moved.key"
    path.write_bytes(KEY)
    moved = pickle.dumps(arrow.KeyRing({"moved": path}))
    path.write_bytes(KEY[::-1])
    with pytest.raises(ValueError, match="the key `moved` is not that of the process which pickled the ring"):
        pickle.loads(moved)
    monkeypatch.setenv("OTHER_KEY", base64.b64encode(KEY[::-1]).decode())
    with pytest.raises(ValueError, match="the key `other` is not that of the process which pickled the ring"):
        pickle.loads(data)
    assert str(ring) == "<keylane.arrow.KeyRing: customers, other>"
    assert repr(ring["other"]) == "<keylane.arrow.Key: other>"
    assert ("customers" in ring, "x" in ring, len(ring)) == (True, False, 2)
    with pytest.raises(KeyError, match="no key named `custmers`"):
        ring["custmers"]
    with pytest.raises(TypeError, match="the key `a` is in memory only"):
        pickle.dumps(arrow.KeyRing(keys={"a": KEY}))
    monkeypatch.setenv("OTHER_KEY", "\ufeff" + base64.b64encode(KEY).decode() + "\n")
    key = arrow.KeyRing(env={"other": "OTHER_KEY"})["other"]
    assert pa.array(arrow.hmac(column, key)).to_pylist() == [mac("a")]
    monkeypatch.setenv("OTHER_KEY", KEY.decode())
    with pytest.raises(ValueError, match="^no key in the variable OTHER_KEY: it is not Base64$"):
        arrow.KeyRing(env={"other": "OTHER_KEY"})
    with pytest.raises(ValueError, match="two keys are named `a`"):
        arrow.KeyRing({"a": key_path}, {"a": "OTHER_KEY"})
    with pytest.raises(ValueError, match="at least 32 bytes, not 5"):
        arrow.KeyRing(keys={"a": b"short"})
    with pytest.raises(ValueError, match="no-such-file"):
        arrow.KeyRing({"a": tmp_path / "no-such-file"})


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_key_file_that_others_can_read_gets_a_warning(key_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "open.key"
    path.write_bytes(KEY)
    path.chmod(0o640)
    with pytest.warns(UserWarning, match=r"open\.key \(mode 640\) is readable by others"):
        ring = arrow.KeyRing({"a": path})
    assert ring.names() == ["a"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arrow.KeyRing({"a": key_path})
        with pytest.raises(UserWarning, match="readable by others"):
            arrow.KeyRing({"a": path})
