// Times the package beside node:crypto, WebCrypto and @noble, in µs: the fastest of 200 rounds, each of a
// millisecond or one call. After `ci/npm.sh`, in target/npm-test: node bench.mjs

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { gcm } from "@noble/ciphers/aes.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2 as noblePbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Aead, HmacKey, digest, digestMany, pbkdf2 } from "keylane";
import * as node from "node:crypto";

const { subtle } = crypto;

const bytes = (len) => new Uint8Array(len).fill(7);
const [key, nonce, aad, salt] = [32, 12, 13, 16].map(bytes);
const raw = (of, usage) => subtle.importKey("raw", key, of, false, [usage]);
const theirHmac = await raw({ name: "HMAC", hash: "SHA-256" }, "sign");
const theirGcm = await raw("AES-GCM", "encrypt");
const theirPassword = await raw("PBKDF2", "deriveBits");
const [prepared, aes] = [new HmacKey("sha256", key), new Aead("aes-256-gcm", key)];
const chacha = new Aead("chacha20-poly1305", key);

/** Encrypts by node:crypto. */
function theirs(name, text) {
  const cipher = node.createCipheriv(name, key, nonce, { authTagLength: 16 });
  cipher.setAAD(aad, { plaintextLength: text.length });
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

async function time(call) {
  if (!call) return "–";
  const round = async (repeats) => {
    const start = performance.now();
    for (let i = 0; i < repeats; i++) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    return ((performance.now() - start) * 1000) / repeats;
  };
  const begin = performance.now();
  let fastest = Infinity;
  while (performance.now() - begin < 300) fastest = Math.min(fastest, await round(10));
  for (let i = 0; i < 200; i++) fastest = Math.min(fastest, await round(Math.ceil(1000 / fastest)));
  return fastest.toPrecision(fastest < 10 ? 2 : 3);
}

async function row(name, ...calls) {
  const times = [];
  for (const call of calls) times.push(await time(call));
  console.log(`| ${name} | ${times.join(" | ")} |`);
}

console.log("| µs | Keylane | node:crypto | WebCrypto | noble |\n|---|---|---|---|---|");
for (const len of [64, 16384]) {
  const text = bytes(len);
  const parameters = { name: "AES-GCM", iv: nonce, additionalData: aad };
  const it = (name) => `${name}, ${len} bytes`;
  await row(
    it("SHA-256"), () => digest("sha256", text), () => node.createHash("sha256").update(text).digest(),
    () => subtle.digest("SHA-256", text), () => sha256(text),
  );
  await row(
    it("HMAC-SHA256"), () => prepared.mac(text), () => node.createHmac("sha256", key).update(text).digest(),
    () => subtle.sign("HMAC", theirHmac, text), () => hmac(sha256, key, text),
  );
  await row(
    it("AES-256-GCM"), () => aes.seal(nonce, text, aad), () => theirs("aes-256-gcm", text),
    () => subtle.encrypt(parameters, theirGcm, text), () => gcm(key, nonce, aad).encrypt(text),
  );
  await row(
    it("ChaCha20-Poly1305"), () => chacha.seal(nonce, text, aad), () => theirs("chacha20-poly1305", text),
    undefined, () => chacha20poly1305(key, nonce, aad).encrypt(text),
  );
}
const messages = Array.from({ length: 64 }, () => bytes(64));
await row(
  "64 × SHA-256 of 64 bytes", () => digestMany("sha256", messages),
  () => messages.map((it) => node.createHash("sha256").update(it).digest()),
  () => Promise.all(messages.map((it) => subtle.digest("SHA-256", it))), () => messages.map((it) => sha256(it)),
);
const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 1000 };
await row(
  "PBKDF2-HMAC-SHA256, 1,000 iterations", () => pbkdf2("sha256", key, salt, 1000, 32),
  () => node.pbkdf2Sync(key, salt, 1000, 32, "sha256"), () => subtle.deriveBits(parameters, theirPassword, 256),
  () => noblePbkdf2(sha256, key, salt, { c: 1000, dkLen: 32 }),
);
