// Hashes, HMAC, and what derives keys.

import {
  HASHES,
  Place,
  bytes,
  c,
  concat,
  count,
  disposable,
  each,
  failed,
  lengthOf,
  list,
  numberOf,
  run,
  runMany,
} from "./core.mjs";

const numberOfHash = (name) => numberOf(HASHES, name, "hash");

export function digest(hash, data) {
  const number = numberOfHash(hash);
  return run(c.keylane_hash_digest, [number, bytes(data, "data")], c.keylane_hash_output_len(number));
}

export function digestMany(hash, messages) {
  const number = numberOfHash(hash);
  const items = each(list(messages, "messages"), "messages");
  return runMany(c.keylane_hash_digest_many, [number], items, c.keylane_hash_output_len(number));
}

export class Hash {
  #state;
  #len;

  constructor(hash) {
    const number = numberOfHash(hash);
    this.#len = c.keylane_hash_output_len(number);
    this.#state = new Place("hash", 256, (at) => run(c.keylane_hash_init, [at, number]), this);
  }

  update(data) {
    run(c.keylane_hash_update, [this.#state.at, bytes(data, "data")]);
  }

  digest() {
    return this.#state.withCopy((at) => run(c.keylane_hash_finalize, [at], this.#len));
  }

  free() {
    this.#state.free();
  }
}

/** Where a key lies, and the length of its tags. */
let keyAt, tagLength;

export class HmacKey {
  #key;
  #len;

  static {
    keyAt = (key) => key.#key.at;
    tagLength = (key) => (typeof key === "object" && key && #len in key ? key.#len : undefined);
  }

  constructor(hash, key) {
    const number = numberOfHash(hash);
    bytes(key, "key");
    this.#len = c.keylane_hash_output_len(number);
    this.#key = new Place("key", 192, (at) => run(c.keylane_hmac_key_init, [at, number, key]), this);
  }

  mac(message) {
    return run(c.keylane_hmac_key_mac, [this.#key.at, bytes(message, "message")], this.#len);
  }

  macMany(messages) {
    const items = each(list(messages, "messages"), "messages");
    return runMany(c.keylane_hmac_key_mac_many, [this.#key.at], items, this.#len);
  }

  verify(message, tag) {
    run(c.keylane_hmac_key_verify, [this.#key.at, bytes(message, "message"), bytes(tag, "tag")]);
  }

  verifyTruncated(message, tag) {
    run(c.keylane_hmac_key_verify_truncated, [this.#key.at, bytes(message, "message"), bytes(tag, "tag")]);
  }

  verifyMany(messages, tags) {
    const lists = [list(messages, "messages"), list(tags, "tags")];
    const [items, expected] = [each(lists[0], "messages"), each(lists[1], "tags")];
    if (items.length !== expected.length) throw new TypeError("messages and tags must have the same length");
    if (expected.some((tag) => lengthOf(tag) !== this.#len)) throw failed();
    run(c.keylane_hmac_key_verify_many, [this.#key.at, items, concat(...expected)]);
  }

  start() {
    return new Hmac(this);
  }

  free() {
    this.#key.free();
  }
}

export class Hmac {
  #state;
  #len;

  constructor(key) {
    this.#len = tagLength(key);
    if (!this.#len) throw new TypeError("key must be an HmacKey");
    this.#state = new Place("HMAC", 448, (at) => run(c.keylane_hmac_start, [at, keyAt(key)]), this);
  }

  update(data) {
    run(c.keylane_hmac_update, [this.#state.at, bytes(data, "data")]);
  }

  mac() {
    return this.#state.withCopy((at) => run(c.keylane_hmac_finalize, [at], this.#len));
  }

  verify(tag) {
    bytes(tag, "tag");
    this.#state.withCopy((at) => run(c.keylane_hmac_verify, [at, tag]));
  }

  free() {
    this.#state.free();
  }
}

[Hash, HmacKey, Hmac].forEach(disposable);

export function verifyAny(keys, message, tags) {
  const [keyList, tagList] = [list(keys, "keys"), list(tags, "tags")];
  const lengths = keyList.map(tagLength);
  if (!lengths.every(Boolean)) throw new TypeError("keys must be an array of HmacKey");
  bytes(message, "message");
  each(tagList, "tags");
  const places = keyList.map(keyAt);
  for (const [index, at] of places.entries()) {
    const fitting = tagList.filter((tag) => lengthOf(tag) === lengths[index]);
    try {
      run(c.keylane_hmac_verify_any, [at, 1, message, concat(...fitting)], 4);
      return index;
    } catch (error) {
      if (error.code !== "authentication-failed") throw error;
    }
  }
  throw failed();
}

export function pbkdf2(hash, password, salt, iterations, length) {
  const args = [
    numberOfHash(hash),
    bytes(password, "password"),
    bytes(salt, "salt"),
    count(iterations, "iterations"),
  ];
  return run(c.keylane_pbkdf2_derive, args, count(length, "length"));
}

export function hkdf(hash, material, salt, info, length) {
  const number = numberOfHash(hash);
  bytes(material, "material");
  bytes(salt, "salt");
  bytes(info, "info");
  count(length, "length", 255 * c.keylane_hash_output_len(number));
  const extract = (at) => run(c.keylane_hkdf_extract, [at, number, salt, material]);
  const secret = new Place("secret", 192, extract);
  try {
    return run(c.keylane_hkdf_expand, [secret.at, info], length);
  } finally {
    secret.free();
  }
}
