// The programs in JavaScript of docs/migrating.md, before and after, compute the same.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { managedNonce } from "@noble/ciphers/utils.js";
import { Aead } from "keylane";

const page = readFileSync(new URL("../../docs/migrating.md", import.meta.url), "utf8");
const programs = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program], i) => {
  const file = new URL(`migrating${i}.mjs`, import.meta.url);
  writeFileSync(file, program);
  return import(file);
});
const utf8 = (text) => new TextEncoder().encode(text);
const key = Uint8Array.from({ length: 32 }, (_, i) => i);
const nonce = key.subarray(0, 12);
const [aad, text, salt, message] = ["aad", "text", "salt", "message"].map(utf8);
const tag = new Uint8Array(createHmac("sha256", key).update(message).digest());

const results = [];
for (const { check, seal, open, fromPassword, fromSecret } of await Promise.all(programs)) {
  assert.equal(await check(key, message, tag), true);
  assert.equal(await check(key, utf8("massage"), tag), false);
  assert.equal(await check(key, message, tag.subarray(1)), false);
  const sealed = await seal(key, nonce, aad, text);
  await assert.rejects(async () => open(key, nonce, text, sealed));
  const opened = open(key, nonce, aad, sealed);
  const computed = await Promise.all([sealed, opened, fromPassword(text, salt), fromSecret(key, salt, aad)]);
  results.push(computed.map((bytes) => Buffer.from(bytes).toString("hex")));
}
assert.equal(results.length, 2);
assert.deepEqual(results[1], results[0]);

// The format of random nonces is the same.
const [theirs, ours] = [managedNonce(xchacha20poly1305)(key, aad), new Aead("xchacha20-poly1305", key)];
assert.deepEqual(theirs.decrypt(ours.sealRandom(text, aad)), text);
assert.deepEqual(ours.openRandom(theirs.encrypt(text), aad), text);
