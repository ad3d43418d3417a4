// The package beside WebCrypto and published answers, wherever JavaScript runs: `run` returns the number of tests.

import { allocated, has, hasStack } from "./memory.mjs";
import {
  Aead, Hash, Hmac, HmacKey, KeylaneError, digest, digestMany, generateKey, hkdf, pbkdf2, verifyAny,
} from "keylane";
import { streams } from "./streams.mjs";

const { subtle } = crypto;
const utf8 = new TextEncoder();
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const message = (len) => Uint8Array.from({ length: len }, (_, i) => i * 7 + (i >> 3));
const LENGTHS = [0, 1, 55, 64, 65, 127, 128, 300, 1000, 5000];
const HASHES = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

const equal = (left, right, what) => {
  if (hex(left) !== hex(right)) throw new Error(`${what}: ${hex(left)} is not ${hex(right)}`);
};
const throws = (call, text, Class = TypeError) => {
  try {
    call();
  } catch (error) {
    if (error instanceof Class && error.message.includes(text)) return;
    throw new Error(`another error than "${text}": ${error}`);
  }
  throw new Error(`no error: ${text}`);
};
/** Every failed verification throws the same, whose result nobody can forget to look at. */
const refuses = (call) => {
  let code;
  throws(() => {
    try {
      call();
    } catch (error) {
      ({ code } = error);
      throw error;
    }
  }, "authentication failed", KeylaneError);
  if (code !== "authentication-failed") throw new Error(`code ${code}`);
};

const tests = {
  "digests are those of WebCrypto": async () => {
    for (const [name, theirs] of Object.entries(HASHES)) {
      for (const len of LENGTHS) {
        const expected = await subtle.digest(theirs, message(len));
        equal(digest(name, message(len)), expected, `${name} of ${len} bytes`);
        const hash = new Hash(name);
        hash.update(message(len).subarray(0, len / 3));
        hash.update(message(len).subarray(len / 3));
        equal(hash.digest(), expected, `${name} in pieces`);
        equal(hash.digest(), expected, `${name}, asked again`);
        hash.update(message(9));
        const longer = Uint8Array.of(...message(len), ...message(9));
        equal(hash.digest(), digest(name, longer), `${name} of more`);
      }
      const many = digestMany(name, LENGTHS.map(message));
      for (const [i, len] of LENGTHS.entries()) equal(many[i], digest(name, message(len)), `${name} in lanes`);
    }
  },

  "a batch of no messages has no digests and no tags": () => {
    const key = new HmacKey("sha256", message(3));
    for (const none of [digestMany("sha256", []), key.macMany([])]) {
      if (!Array.isArray(none) || none.length !== 0) throw new Error(`not an empty array: ${none}`);
    }
    key.free();
  },

  "an array of a subclass of Uint8Array is taken, such as Node.js's Buffer": () => {
    class Bytes extends Uint8Array {}
    equal(digest("sha256", Bytes.from(message(50))), digest("sha256", message(50)), "a class of its own");
    const many = digestMany("sha256", [Bytes.from(message(50)).subarray(3)]);
    equal(many[0], digest("sha256", message(50).subarray(3)), "a part of one");
  },

  "digests that WebCrypto lacks are those of FIPS 180-4": () => {
    const abc = utf8.encode("abc");
    equal(digest("sha224", abc), bytes("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"), "SHA-224");
    const expected = bytes("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
    equal(digest("sha512-256", abc), expected, "SHA-512/256");
  },

  "what is no Uint8Array of its own is refused, of which nothing is left, and a key can be freed after that": () => {
    const [good, text] = [0, 1].map(() => crypto.getRandomValues(new Uint8Array(32)));
    const transferred = message(8);
    structuredClone(transferred, { transfer: [transferred.buffer] });
    const shrunk = new Uint8Array(new ArrayBuffer(9, { maxByteLength: 9 }), 1, 8);
    shrunk.buffer.resize?.(4);
    const fake = Object.create(Uint8Array.prototype, { length: { value: 5 }, buffer: { value: good.buffer } });
    const wrong = ["text", null, [1, 2], message(9).buffer, new Uint16Array(3), 7, {}, fake, transferred];
    if (shrunk.length === 0) wrong.push(shrunk);
    if (globalThis.SharedArrayBuffer) wrong.push(new Uint8Array(new SharedArrayBuffer(8)));
    const [nonce, before] = [message(24), allocated];
    for (const value of wrong) {
      const key = new HmacKey("sha256", good);
      const aead = new Aead("xchacha20-poly1305", good);
      const [hash, mac] = [new Hash("sha256"), key.start()];
      const calls = [
        ["data", () => digest("sha256", value)], ["messages", () => digestMany("sha256", [text, value])],
        ["data", () => hash.update(value)], ["key", () => new HmacKey("sha256", value)],
        ["message", () => key.mac(value)],
        ["messages", () => key.macMany([text, value])], ["message", () => key.verify(value, text)],
        ["tag", () => key.verify(text, value)], ["tag", () => key.verifyTruncated(text, value)],
        ["messages", () => key.verifyMany([value], [text])], ["tags", () => key.verifyMany([text], [value])],
        ["data", () => mac.update(value)], ["tag", () => mac.verify(value)],
        ["message", () => verifyAny([key], value, [])],
        ["tags", () => verifyAny([key], text, [text, value])], ["key", () => new Aead("aes-128-gcm", value)],
        ["nonce", () => aead.seal(value, text)], ["text", () => aead.seal(nonce, value)],
        ["nonce", () => aead.open(value, text)], ["sealed", () => aead.open(nonce, value)],
        ["text", () => aead.sealRandom(value)], ["sealed", () => aead.openRandom(value)],
        ["nonces", () => aead.sealMany([nonce, value], [text, text])], ["texts", () => aead.sealMany([nonce], [value])],
        ["sealed", () => aead.openMany([nonce], [value])], ["aads", () => aead.openMany([nonce], [text], [value])],
        ["password", () => pbkdf2("sha256", value, text, 1, 32)], ["salt", () => pbkdf2("sha256", text, value, 1, 32)],
        ["material", () => hkdf("sha256", value, text, text, 32)],
        ["salt", () => hkdf("sha256", text, value, text, 32)],
        ["info", () => hkdf("sha256", text, text, value, 32)],
      ];
      if (value !== null) calls.push(["aad", () => aead.seal(nonce, text, value)]);
      for (const [what, call] of calls) {
        throws(call, `${what} `);
        if (has(text)) throw new Error(`${what} was copied: ${call}`);
      }
      const again = new HmacKey("sha256", good);
      equal(key.mac(good), again.mac(good), "after errors");
      [key, again, aead, hash, mac].forEach((it) => it.free());
      if (has(good) || allocated > before) throw new Error("a secret is left in the memory");
    }
    for (const none of [undefined, "text", { length: 1 }, good]) throws(() => digestMany("sha256", none), "an array");
    throws(() => new Aead("aes-128-gcm", good), "key must have 16 bytes: it has 32");
    throws(() => new Aead("aes-256-gcm", good).seal(nonce, good), "nonce must have 12 bytes: it has 24");
  },

  "nothing is left on the stack by free, nor by a failed verification": () => {
    const [text, batch] = [message(300), Array.from({ length: 100 }, () => message(300))];
    for (const name of ["sha1", "sha256", "sha512"]) {
      const key = new HmacKey(name, text);
      const tags = key.macMany(batch);
      key.verifyMany(batch, tags);
      digestMany(name, batch);
      pbkdf2(name, text, text, 2, 300);
      const wrong = key.mac(text).reverse();
      for (const call of [() => key.verify(text, wrong), () => key.verifyMany(batch, tags.fill(wrong))]) {
        refuses(call);
        if (hasStack()) throw new Error(`after a failed verification: ${name}`);
      }
      key.mac(text);
      key.free();
      if (hasStack()) throw new Error(`after free: ${name}`);
    }
  },

  "a call that ends with JavaScript's stack leaves nothing, and later ones work": () => {
    const [text, key] = [crypto.getRandomValues(new Uint8Array(300)), new HmacKey("sha512", message(3))];
    const [before, expected, long] = [allocated, key.mac(text), message(9000)];
    let frames;
    const deep = () => {
      try {
        deep();
      } catch (error) {
        // Near the end only: there are thousands of frames.
        if (frames++ < 50) {
          key.mac(text);
          digest("sha256", long);
        }
        throw error;
      }
    };
    for (let round = 0; round < 30; round++) {
      frames = 0;
      try {
        deep();
      } catch (error) {
        if (!(error instanceof RangeError) && error.name !== "InternalError") throw error;
      }
    }
    equal(key.mac(text), expected, "after its end");
    if (has(text)) throw new Error("copies are left");
    if (allocated !== before) throw new Error(`${allocated - before} allocations are left`);
    key.free();
    if (hasStack()) throw new Error("the stack is not wiped");
  },

  "names are understood as WebCrypto spells them, and others are answered with those that there are": () => {
    equal(digest("SHA-256", message(3)), digest("sha256", message(3)), "SHA-256");
    equal(digest("SHA-512/256", message(3)), digest("sha512-256", message(3)), "SHA-512/256");
    for (const wrong of ["md5", "", "HMAC", undefined, 5, Symbol("sha256"), ["sha256"], { toString: () => "sha256" }]) {
      throws(() => digest(wrong, message(3)), "there are sha1, sha224, sha256, sha384, sha512, sha512-256");
      throws(() => new Aead(wrong, message(16)), "there are aes-128-gcm, aes-192-gcm, ");
    }
    for (const name of ["AES-GCM", "aes-gcm"]) throws(() => new Aead(name, message(16)), "there are aes-128-gcm");
  },

  "reading a list may run code of others, after which its items are checked": () => {
    const [victim, key] = [message(40), new HmacKey("sha256", message(3))];
    const tag = key.mac(victim);
    const tags = [tag];
    Object.defineProperty(tags, 0, { get: () => (structuredClone(victim, { transfer: [victim.buffer] }), tag) });
    throws(() => key.verifyMany([victim], tags), "messages has lost its memory");
    key.free();
  },

  "an object is freed once, by `using` as well, and says so": () => {
    const key = new HmacKey("sha256", message(3));
    const [hash, aead, mac] = [new Hash("sha1"), new Aead("aes-128-gcm", message(16)), key.start()];
    for (const it of [key, hash, aead, mac]) {
      it.free();
      it.free();
      if (Symbol.dispose) it[Symbol.dispose]();
    }
    const uses = [() => key.mac(message(3)), () => key.start(), () => key.macMany([])];
    for (const use of [...uses, () => aead.open(message(12), message(3))]) throws(use, "this key was freed");
    throws(() => hash.digest(), "this hash was freed");
    throws(() => mac.verify(message(32)), "this HMAC was freed");
    throws(() => verifyAny([key], message(3), []), "this key was freed");
    for (const other of [{}, new Hash("sha256"), null, Object.create(HmacKey.prototype)]) {
      throws(() => HmacKey.prototype.mac.call(other, message(3)), "");
      throws(() => new Hmac(other), "key must be an HmacKey");
    }
  },

  "what was forgotten is freed": async () => {
    if (!globalThis.gc) return;
    const before = allocated;
    for (let i = 0; i < 50; i++) new HmacKey("sha256", message(3)).start();
    for (let tries = 0; tries < 100 && allocated > before; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    if (allocated > before) throw new Error(`${allocated - before} are left`);
  },

  "tags of HMAC are those of WebCrypto": async () => {
    for (const [name, hash] of Object.entries(HASHES)) {
      for (const keyLen of [1, 64, 200]) {
        const theirs = await subtle.importKey("raw", message(keyLen), { name: "HMAC", hash }, false, ["sign"]);
        const key = new HmacKey(name, message(keyLen));
        const many = key.macMany(LENGTHS.map(message));
        for (const [i, len] of LENGTHS.entries()) {
          const tag = await subtle.sign("HMAC", theirs, message(len));
          equal(key.mac(message(len)), tag, `${name} of ${len} bytes`);
          equal(many[i], tag, `${name} in lanes`);
          const wrong = new Uint8Array(tag.slice(0));
          wrong[3] ^= 1;
          const mac = key.start();
          mac.update(message(len).subarray(0, len / 2));
          mac.update(message(len).subarray(len / 2));
          equal(mac.mac(), tag, `${name} in pieces`);
          for (const verify of [(it) => key.verify(message(len), it), (it) => mac.verify(it)]) {
            verify(new Uint8Array(tag));
            refuses(() => verify(wrong));
            refuses(() => verify(many[i].subarray(1)));
          }
          mac.free();
        }
        const all = LENGTHS.map(message);
        key.verifyMany(all, many);
        const [first, second, ...rest] = many;
        // The same bytes, cut elsewhere.
        const cut = [first.subarray(0, -1), Uint8Array.of(first.at(-1), ...second), ...rest];
        for (const other of [[second, first, ...rest], [first.subarray(1), second, ...rest], cut]) {
          refuses(() => key.verifyMany(all, other));
        }
        throws(() => key.verifyMany(all, many.slice(1)), "same length");
        key.free();
      }
    }
  },

  "the beginning of a tag is accepted from 10 bytes on": () => {
    for (const name of ["sha1", "sha256", "sha512-256"]) {
      const key = new HmacKey(name, message(3));
      const tag = key.mac(message(9));
      for (let len = 0; len <= tag.length + 1; len++) {
        const cut = Uint8Array.from({ length: len }, (_, i) => tag[i] ?? 0);
        if (len >= 10 && len <= tag.length) key.verifyTruncated(message(9), cut);
        else refuses(() => key.verifyTruncated(message(9), cut));
        if (len) cut[len - 1] ^= 1;
        refuses(() => key.verifyTruncated(message(9), cut));
      }
      key.free();
    }
  },

  "the key that made a tag is found": () => {
    const keys = [["sha256", 3], ["sha256", 4], ["sha1", 5]].map(([name, len]) => new HmacKey(name, message(len)));
    for (const [i, key] of keys.entries()) {
      const tag = key.mac(message(9));
      for (const tags of [[tag], [message(32), new Uint8Array(), tag]]) {
        if (verifyAny(keys, message(9), tags) !== i) throw new Error(`not key ${i}`);
        refuses(() => verifyAny(keys, message(8), tags));
        refuses(() => verifyAny(keys.filter((other) => other !== key), message(9), tags));
      }
      for (const tags of [[], [tag.subarray(1)]]) refuses(() => verifyAny(keys, message(9), tags));
    }
    for (const wrong of [keys[0], [message(3)], [{ verify: () => true }]]) {
      throws(() => verifyAny(wrong, message(9), [message(32)]), "keys must be an array");
    }
    keys.forEach((key) => key.free());
  },

  "a key of HMAC may be empty, which is a key of zeros": () => {
    const [empty, zeros] = [0, 64].map((len) => new HmacKey("sha256", new Uint8Array(len)));
    equal(empty.mac(message(9)), zeros.mac(message(9)), "the empty key");
    [empty, zeros].forEach((key) => key.free());
  },

  "derived keys are those of WebCrypto": async () => {
    const material = message(40);
    const import_ = (of) => subtle.importKey("raw", material, of, false, ["deriveBits"]);
    for (const [name, hash] of Object.entries(HASHES)) {
      const salt = message(16);
      for (const len of [16, 32, 100]) {
        const one = { name: "PBKDF2", hash, salt, iterations: 7 };
        const expected = await subtle.deriveBits(one, await import_("PBKDF2"), 8 * len);
        equal(pbkdf2(name, material, salt, 7, len), expected, `PBKDF2 of ${len} bytes by ${name}`);
        const other = { name: "HKDF", hash, salt, info: message(9) };
        const expanded = await subtle.deriveBits(other, await import_("HKDF"), 8 * len);
        equal(hkdf(name, material, salt, message(9), len), expanded, `HKDF of ${len} bytes by ${name}`);
      }
    }
    const iterations = 2 ** 16 + 5;
    const slow = { name: "PBKDF2", hash: "SHA-256", salt: message(16), iterations };
    const expected = await subtle.deriveBits(slow, await import_("PBKDF2"), 256);
    equal(pbkdf2("sha256", material, message(16), iterations, 32), expected, `${iterations} iterations`);
    const most = { name: "HKDF", hash: "SHA-256", salt: material, info: material };
    const longest = await subtle.deriveBits(most, await import_("HKDF"), 8 * 255 * 32);
    equal(hkdf("sha256", material, material, material, 255 * 32), longest, "HKDF of 255 digests");
    for (const wrong of [0, -1, 1.5, 2 ** 32 + 1, NaN, undefined]) {
      throws(() => pbkdf2("sha256", material, material, wrong, 32), "iterations must be");
      throws(() => pbkdf2("sha256", material, material, 1, wrong), "length must be");
      throws(() => hkdf("sha256", material, material, material, wrong), "length must be");
    }
    throws(() => hkdf("sha256", material, material, material, 255 * 32 + 1), "from 1 to 8160");
    throws(() => pbkdf2("sha256", material, material, 1, 2 ** 32 - 1), "has no room", KeylaneError);
  },

  "texts sealed by AES-GCM are those of WebCrypto": async () => {
    for (const [name, keyLen] of [["aes-128-gcm", 16], ["aes-256-gcm", 32]]) {
      const theirs = await subtle.importKey("raw", message(keyLen), "AES-GCM", false, ["encrypt"]);
      const aead = new Aead(name, message(keyLen));
      for (const len of LENGTHS) {
        const [iv, additionalData] = [message(12), message(len % 50)];
        const parameters = { name: "AES-GCM", iv, additionalData };
        const expected = await subtle.encrypt(parameters, theirs, message(len));
        equal(aead.seal(iv, message(len), additionalData), expected, `${name} of ${len} bytes`);
      }
    }
  },

  "ChaCha20-Poly1305 has the answer of RFC 8439": () => {
    const text = utf8.encode(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
    );
    const key = Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i);
    const aead = new Aead("chacha20-poly1305", key);
    const sealed = aead.seal(bytes("070000004041424344454647"), text, bytes("50515253c0c1c2c3c4c5c6c7"));
    equal(sealed.subarray(0, 16), bytes("d31a8d34648e60db7b86afbc53ef7ec2"), "the ciphertext");
    equal(sealed.subarray(text.length), bytes("1ae10b594f09e26a7e902ecbd0600691"), "the tag");
  },

  "every AEAD opens its own and refuses what was changed": () => {
    const NAMES = { "aes-128-gcm": 16, "aes-192-gcm": 24, "aes-256-gcm": 32, "aes-128-gcm-siv": 16 };
    const WIDE = { "aes-256-gcm-siv": 32, "xaes-256-gcm": 32, "chacha20-poly1305": 32, "xchacha20-poly1305": 32 };
    for (const [name, keyLen] of Object.entries({ ...NAMES, ...WIDE })) {
      const aead = new Aead(name, message(keyLen));
      const nonce = message(aead.nonceLength);
      for (const len of LENGTHS) {
        const sealed = aead.seal(nonce, message(len), message(20));
        equal(aead.open(nonce, sealed, message(20)), message(len), `${name} of ${len} bytes`);
        equal(aead.open(nonce, aead.seal(nonce, message(len))), message(len), `${name} without additional data`);
        const without = aead.seal(nonce, message(len), null);
        equal(aead.open(nonce, without, new Uint8Array()), message(len), `${name} with null for it`);
        refuses(() => aead.open(nonce, sealed, message(21)));
        sealed[len] ^= 1;
        refuses(() => aead.open(nonce, sealed, message(20)));
      }
      const [nonces, texts] = [LENGTHS.map(() => nonce), LENGTHS.map(message)];
      const aads = LENGTHS.map((len) => message(len % 40));
      const many = aead.sealMany(nonces, texts, aads);
      for (const [i, text] of texts.entries()) equal(many[i], aead.seal(nonce, text, aads[i]), `${name} in a batch`);
      for (const [i, text] of aead.openMany(nonces, many, aads).entries()) equal(text, texts[i], `${name} from a batch`);
      equal(aead.openMany([nonce], aead.sealMany([nonce], [texts[3]]))[0], texts[3], "a batch without additional data");
      many[2][0] ^= 1;
      refuses(() => aead.openMany(nonces, many, aads));
      throws(() => aead.openMany(nonces, many, []), "same length");
      if (generateKey(name).length !== keyLen || aead.name !== name) throw new Error(`the key of ${name}`);
      refuses(() => aead.open(nonce, message(15)));
      throws(() => aead.seal(message(5), message(1)), "nonce");
      throws(() => new Aead(name, message(7)), "key");
      if (/siv|^x/.test(name)) {
        const drawn = Array.from({ length: 128 }, () => aead.sealRandom(message(50)));
        const [first] = drawn;
        // Each bit is 0 once and 1 once. By chance, fewer than one of 2^110 runs fails.
        for (let at = 0; at < aead.nonceLength; at++) {
          const ones = drawn.reduce((sum, sealed) => sum | sealed[at], 0);
          const always = drawn.reduce((sum, sealed) => sum & sealed[at], 255);
          if (ones !== 255 || always !== 0) throw new Error(`${name}: byte ${at} of a nonce is not random`);
        }
        equal(aead.openRandom(first), message(50), `${name} under a random nonce`);
        refuses(() => aead.openRandom(first.subarray(1)));
        refuses(() => aead.openRandom(first.subarray(0, 5)));
      } else {
        throws(() => aead.sealRandom(message(50)), "random");
      }
    }
  },

  ...streams,
};

export async function run() {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
    } catch (error) {
      throw new Error(`${name}: ${error.message}`);
    }
  }
  return Object.keys(tests).length;
}
