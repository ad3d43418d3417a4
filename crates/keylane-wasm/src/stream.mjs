// C2SP's chunked encryption (https://c2sp.org/chunked-encryption) over the streams of the Web, as `keylane::chunked`.

import { Aead } from "./aead.mjs";
import { EMPTY, KeylaneError, bytes, concat, failed, lengthOf, random } from "./core.mjs";
import { HmacKey } from "./hash.mjs";

const [SALT_LEN, COMMITMENT_LEN, NONCE_LEN, CHUNK_LEN, CHUNK_TAG_LEN] = [24, 32, 12, 16384, 16];
const HEADER_LEN = SALT_LEN + COMMITMENT_LEN;
const ascii = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** The key and the nonces of one message. */
class Cipher {
  #secret;
  #info;
  #aead;
  #nonce;
  #chunks = 0;

  constructor(key, context) {
    bytes(key, "key");
    bytes(context, "context");
    const bits = 8 * lengthOf(key);
    if (bits !== 128 && bits !== 256)
      throw new TypeError(`key must have 16 or 32 bytes: it has ${lengthOf(key)}`);
    this.#info = [ascii(`c2sp.org/chunked-encryption@v1+AEAD_AES_${bits}_GCM\0`), concat(context), bits];
    this.#secret = new HmacKey("sha512", key);
  }

  /** Derives the message's own key from the input key by the second half of HKDF. Returns the header. */
  begin(salt) {
    const [label, context, bits] = this.#info;
    const info = concat(label, salt, context);
    const first = this.#secret.mac(concat(info, Uint8Array.of(1)));
    const derived = concat(first, this.#secret.mac(concat(first, info, Uint8Array.of(2))));
    this.#secret.free();
    const nonceAt = bits / 8;
    this.#aead = new Aead(`aes-${bits}-gcm`, derived.subarray(0, nonceAt));
    this.#nonce = derived.slice(nonceAt, nonceAt + NONCE_LEN);
    const commitmentAt = nonceAt + NONCE_LEN;
    const header = concat(salt, derived.subarray(commitmentAt, commitmentAt + COMMITMENT_LEN));
    [first, derived].forEach((secret) => secret.fill(0));
    return header;
  }

  seal(text) {
    return this.#aead.seal(this.#next(), text);
  }

  open(sealed) {
    return this.#aead.open(this.#next(), sealed);
  }

  free() {
    this.#secret.free();
    this.#aead?.free();
  }

  #next() {
    if (this.#chunks === 2 ** 38)
      throw new KeylaneError("input-too-long", "a message has at most 2^38 chunks");
    const nonce = concat(this.#nonce);
    const last = new DataView(nonce.buffer, NONCE_LEN - 8);
    last.setUint32(0, last.getUint32(0) ^ Math.floor(this.#chunks / 2 ** 32));
    last.setUint32(4, last.getUint32(4) ^ this.#chunks);
    this.#chunks += 1;
    return nonce;
  }
}

/**
 * Makes a pair of streams. `piece` makes the output of the next `size()` bytes of the input, `last` that of the
 * rest, which is shorter. The key is wiped when the streams end, however they do.
 */
function streams(cipher, size, piece, last, first = EMPTY) {
  let [held, filled, ended] = [new Uint8Array(size()), 0, false];
  let input, output, wake;
  const end = () => {
    ended = true;
    cipher.free();
    held.fill(0);
    wake?.();
  };
  const fail = (reason) => {
    end();
    output.error(reason);
  };
  const enqueue = (part) => part.length && output.enqueue(part);
  const attempt = (make) => {
    try {
      make();
    } catch (error) {
      fail(error);
      throw error;
    }
  };
  const absorb = (chunk) => {
    const copy = concat(bytes(chunk, "a chunk"));
    for (let at = 0; at < copy.length;) {
      const part = copy.subarray(at, at + held.length - filled);
      held.set(part, filled);
      [at, filled] = [at + part.length, filled + part.length];
      if (filled < held.length) continue;
      enqueue(piece(held));
      held.fill(0);
      [held, filled] = [held.length === size() ? held : new Uint8Array(size()), 0];
    }
    copy.fill(0);
  };
  const readable = new ReadableStream({
    start(controller) {
      output = controller;
      enqueue(first);
    },
    pull: () => wake?.(),
    cancel(reason) {
      end();
      input.error(reason);
    },
  });
  const writable = new WritableStream({
    start(controller) {
      input = controller;
      // A write that waits for a reader would delay `abort`.
      controller.signal.addEventListener("abort", end);
    },
    async write(chunk) {
      attempt(() => absorb(chunk));
      while (!ended && output.desiredSize <= 0) await new Promise((resolve) => (wake = resolve));
    },
    close() {
      attempt(() => enqueue(last(held.subarray(0, filled))));
      end();
      output.close();
    },
    abort: fail,
  });
  return { readable, writable };
}

export class SealStream {
  constructor(key, context = EMPTY) {
    const cipher = new Cipher(key, context);
    const seal = (text) => cipher.seal(text);
    Object.assign(
      this,
      streams(cipher, () => CHUNK_LEN, seal, seal, cipher.begin(random(SALT_LEN))),
    );
  }
}

export class OpenStream {
  constructor(key, context = EMPTY) {
    const cipher = new Cipher(key, context);
    let begun = false;
    const begin = (header) => {
      const own = cipher.begin(header.slice(0, SALT_LEN));
      if (own.reduce((differences, byte, i) => differences | (byte ^ header[i]), 0)) throw failed();
      begun = true;
      return EMPTY;
    };
    const last = (sealed) => {
      if (begun && sealed.length >= CHUNK_TAG_LEN) return cipher.open(sealed);
      throw new KeylaneError("truncated", "the message was cut off");
    };
    const size = () => (begun ? CHUNK_LEN + CHUNK_TAG_LEN : HEADER_LEN);
    Object.assign(
      this,
      streams(cipher, size, (it) => (begun ? cipher.open(it) : begin(it)), last),
    );
  }
}
