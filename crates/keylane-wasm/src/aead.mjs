// Authenticated encryption.

import {
  AEADS,
  EMPTY,
  HASHES,
  KeylaneError,
  Place,
  bytes,
  c,
  concat,
  disposable,
  each,
  failed,
  lengthOf,
  list,
  numberOf,
  random,
  run,
} from "./core.mjs";

const TAG_LEN = 16;

export class Aead {
  #key;
  #number;

  constructor(name, key) {
    this.#number = numberOf(AEADS, name, "AEAD");
    bytes(key, "key", c.keylane_aead_key_len(this.#number));
    this.#key = new Place("key", 1536, (at) => run(c.keylane_aead_init, [at, this.#number, key]), this);
  }

  get name() {
    return AEADS[this.#number - 1];
  }

  get nonceLength() {
    return c.keylane_aead_nonce_len(this.#number);
  }

  seal(nonce, text, aad) {
    const args = [bytes(nonce, "nonce", this.nonceLength), bytes(aad ?? EMPTY, "aad"), bytes(text, "text")];
    return run(c.keylane_aead_seal_to, [this.#key.at, ...args], lengthOf(text) + TAG_LEN, true);
  }

  open(nonce, sealed, aad) {
    const args = [
      bytes(nonce, "nonce", this.nonceLength),
      bytes(aad ?? EMPTY, "aad"),
      bytes(sealed, "sealed"),
    ];
    const key = this.#key.at;
    if (lengthOf(sealed) < TAG_LEN) throw failed();
    return run(c.keylane_aead_open_to, [key, ...args], lengthOf(sealed) - TAG_LEN, true);
  }

  sealRandom(text, aad) {
    const nonce = random(this.#randomNonceLength);
    return concat(nonce, this.seal(nonce, text, aad));
  }

  openRandom(sealed, aad) {
    const [length, all] = [this.#randomNonceLength, concat(bytes(sealed, "sealed"))];
    bytes(aad ?? EMPTY, "aad");
    if (all.length < length) throw failed();
    return this.open(all.subarray(0, length), all.subarray(length), aad);
  }

  sealMany(nonces, texts, aads) {
    return this.#many(nonces, texts, "texts", aads).map((args) => this.seal(...args));
  }

  openMany(nonces, sealed, aads) {
    const indexes = [];
    const texts = this.#many(nonces, sealed, "sealed", aads).map((args, index) => {
      try {
        return this.open(...args);
      } catch (error) {
        if (error.code !== "authentication-failed") throw error;
        indexes.push(index);
      }
    });
    if (indexes.length) throw Object.assign(failed(), { indexes });
    return texts;
  }

  free() {
    this.#key.free();
  }

  get #randomNonceLength() {
    if (/siv|^x/.test(this.name)) return this.nonceLength;
    throw new TypeError(`the nonces of ${this.name} are too short to be random`);
  }

  /** Checks the messages of a batch before one of them is processed. */
  #many(nonces, texts, what, aads) {
    void this.#key.at; // Throws if it was freed.
    const lists = [list(nonces, "nonces"), list(texts, what), list(aads ?? [], "aads")];
    each(lists[0], "nonces", this.nonceLength);
    each(lists[1], what);
    each(lists[2], "aads");
    if (lists[0].length !== lists[1].length || (aads && lists[2].length !== lists[1].length)) {
      throw new TypeError(`nonces, ${what} and aads must have the same length`);
    }
    return lists[0].map((nonce, i) => [nonce, lists[1][i], lists[2][i]]);
  }
}

disposable(Aead);

/** Returns random bytes for a key of an AEAD, or for one of HMAC that is as long as the tags. */
export function generateKey(name) {
  const number = numberOf([...AEADS, ...HASHES], name, "AEAD or hash");
  const hash = number - AEADS.length;
  return random(hash > 0 ? c.keylane_hash_output_len(hash) : c.keylane_aead_key_len(number));
}
