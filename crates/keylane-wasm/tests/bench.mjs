// Times the package beside @noble and WebCrypto, in µs: medians of 11 rounds, after 0.3 s of each. After `ci/npm.sh`, in
// target/npm: npm install --no-save --prefix rivals @noble/hashes @noble/ciphers; node bench.mjs

import { Aead, HmacKey, digest, digestMany, pbkdf2 } from "keylane";

const rival = (name) => import(new URL(`rivals/node_modules/@noble/${name}`, import.meta.url));
const { sha256 } = await rival("hashes/sha2.js");
const { hmac } = await rival("hashes/hmac.js");
const { pbkdf2: noblePbkdf2 } = await rival("hashes/pbkdf2.js");
const { gcm } = await rival("ciphers/aes.js");
const { chacha20poly1305 } = await rival("ciphers/chacha.js");
const { subtle } = crypto;

const bytes = (len) => new Uint8Array(len).fill(7);
const [key, short, nonce, aad] = [32, 16, 12, 13].map(bytes);
const raw = (of, usage, it = key) => subtle.importKey("raw", it, of, false, [usage]);
const theirHmac = await raw({ name: "HMAC", hash: "SHA-256" }, "sign");
const theirGcm = await raw("AES-GCM", "encrypt", short);
const theirPassword = await raw("PBKDF2", "deriveBits");
const [prepared, aes] = [new HmacKey("sha256", key), new Aead("aes-128-gcm", short)];
const chacha = new Aead("chacha20-poly1305", key);

async function time(call, repeats) {
  if (!call) return "–";
  const round = async () => {
    for (let i = 0; i < repeats; i++) {
      const result = call();
      if (result instanceof Promise) await result;
    }
  };
  const begin = performance.now();
  while (performance.now() - begin < 300) await round();
  const times = [];
  for (let i = 0; i < 11; i++) {
    const start = performance.now();
    await round();
    times.push(((performance.now() - start) * 1000) / repeats);
  }
  return times.sort((a, b) => a - b)[5].toFixed(2);
}

async function row(name, repeats, ...calls) {
  const times = [];
  for (const call of calls) times.push(await time(call, repeats));
  console.log(name.padEnd(32), ...times.map((figure) => figure.padStart(10)));
}

console.log("".padEnd(32), ...["keylane", "noble", "WebCrypto"].map((name) => name.padStart(10)));
for (const len of [64, 16384]) {
  const [text, repeats] = [bytes(len), len > 1000 ? 60 : 2000];
  const theirs = { name: "AES-GCM", iv: nonce, additionalData: aad };
  const it = (name) => `${name}, ${len} bytes`;
  await row(it("SHA-256"), repeats, () => digest("sha256", text), () => sha256(text), () => subtle.digest("SHA-256", text));
  const mac = [() => hmac(sha256, key, text), () => subtle.sign("HMAC", theirHmac, text)];
  await row(it("HMAC-SHA256"), repeats, () => prepared.mac(text), ...mac);
  const seal = [() => gcm(short, nonce, aad).encrypt(text), () => subtle.encrypt(theirs, theirGcm, text)];
  await row(it("AES-128-GCM"), repeats, () => aes.seal(nonce, text, aad), ...seal);
  const noble = () => chacha20poly1305(key, nonce, aad).encrypt(text);
  await row(it("ChaCha20-Poly1305"), repeats, () => chacha.seal(nonce, text, aad), noble);
}
const messages = Array.from({ length: 64 }, () => bytes(64));
const each = [(it) => digest("sha256", it), sha256].map((hash) => () => messages.map((it) => hash(it)));
await row("64 × SHA-256, 64 bytes", 50, () => digestMany("sha256", messages), each[1]);
await row("the same, one by one", 50, each[0]);
const parameters = { name: "PBKDF2", hash: "SHA-256", salt: short, iterations: 1000 };
await row(
  "PBKDF2, 1,000 iterations",
  10,
  () => pbkdf2("sha256", key, short, 1000, 32),
  () => noblePbkdf2(sha256, key, short, { c: 1000, dkLen: 32 }),
  () => subtle.deriveBits(parameters, theirPassword, 256),
);
