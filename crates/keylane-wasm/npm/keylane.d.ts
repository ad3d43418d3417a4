export {
  Aead, Hash, HmacKey, digest, digestMany, hkdf, pbkdf2, type AeadName, type HashName,
} from "./wasm.js";
import type { HmacKey } from "./wasm.js";

/**
 * Returns the index of the first key that made one of the tags of the message: while a secret is rotated, or for a
 * sender that signs with the old and the new one. Throws if no key made any. Each tag is compared in constant time;
 * the time shows which key matched, as the result does.
 */
export function verifyAny(keys: readonly HmacKey[], message: Uint8Array, tags: readonly Uint8Array[]): number;
