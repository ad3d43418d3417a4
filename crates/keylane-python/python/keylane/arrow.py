"""HMAC, tokens and encryption of Arrow columns, many rows at a time.

Columns are any objects of the Arrow PyCapsule interface: arrays and chunked arrays of pyarrow, series of
Polars and pandas, nanoarrow's arrays. Their rows are not copied. An array is returned for an array, a chunked
array for a stream of arrays, such as a series of Polars, and a series with the same index for one of pandas.

Needs the package `keylane-arrow`: ``pip install . ./crates/keylane-arrow/python`` in a clone of Keylane.
"""

try:
    from keylane_arrow import Array, ChunkedArray, Key, KeyRing, digest, hmac, open, seal, token
except ImportError as error:
    if error.name != "keylane_arrow":
        raise
    message = "keylane.arrow needs the package in crates/keylane-arrow/python of a clone of Keylane: pip install it"
    raise ImportError(message, name="keylane_arrow") from None

__all__ = ["Array", "ChunkedArray", "Key", "KeyRing", "digest", "hmac", "open", "seal", "token"]
