// What `tsc --strict` accepts, and what it refuses.

import {
  Aead, Hash, HmacKey, KeylaneError, OpenStream, SealStream, digest, digestMany, generateKey, hkdf, pbkdf2, verifyAny,
  type AeadName, type HashName,
} from "keylane";

const [hash, aead]: [HashName, AeadName] = ["sha256", "aes-128-gcm-siv"];
const bytes: Uint8Array<ArrayBuffer> = digest(hash, new Uint8Array(3));
const many: Uint8Array[] = digestMany(hash, [bytes, bytes]);
const nothing: void = new HmacKey(hash, bytes).verify(bytes, new HmacKey(hash, bytes).macMany(many)[0]!);
const length: number = new Aead(aead, pbkdf2(hash, bytes, bytes, 1000, 16)).nonceLength;
const key: Uint8Array = hkdf(hash, bytes, bytes, bytes, length);
new Hash(hash).update(key);
const index: number = verifyAny([new HmacKey(hash, key)], bytes, many);
new HmacKey(hash, key).start().verify(many[index]!);
try {
  new Aead(aead, generateKey(aead)).openRandom(bytes, null);
} catch (error) {
  if (error instanceof KeylaneError && error.code === "authentication-failed") error.indexes?.length;
}

// Results go where only bytes that no other thread writes to do.
export const imported = crypto.subtle.importKey("raw", hkdf(hash, key, key, key, 32), "AES-GCM", false, ["encrypt"]);
export const response = fetch("https://example.org", { method: "POST", body: digest(hash, key) });
export const blob = new Blob([new Aead("aes-256-gcm", key).seal(key, key), nothing ?? ""]);
export const piped = blob.stream().pipeThrough(new SealStream(key)).pipeThrough(new OpenStream(key, bytes));

// @ts-expect-error: no such hash
digest("md5", bytes);
// @ts-expect-error: a string is no bytes
digest("sha1", "text");
// @ts-expect-error: a key, not several
verifyAny(new HmacKey(hash, key), bytes, many);
// @ts-expect-error: no such AEAD
new Aead("aes-gcm", bytes);
// @ts-expect-error: the nonce is missing
new Aead(aead, bytes).seal(bytes);
// @ts-expect-error: only the package makes one
new KeylaneError();
