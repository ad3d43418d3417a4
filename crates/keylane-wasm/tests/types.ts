// What `tsc --strict` accepts, and what it refuses.

import { Aead, Hash, HmacKey, digest, digestMany, hkdf, pbkdf2, verifyAny, type AeadName, type HashName } from "keylane";

const [hash, aead]: [HashName, AeadName] = ["sha256", "aes-128-gcm-siv"];
const bytes: Uint8Array = digest(hash, new Uint8Array(3));
const many: Uint8Array[] = digestMany(hash, [bytes, bytes]);
const valid: boolean = new HmacKey(hash, bytes).verify(bytes, new HmacKey(hash, bytes).macMany(many)[0]!);
const length: number = new Aead(aead, pbkdf2(hash, bytes, bytes, 1000, 16)).nonceLength;
const key: Uint8Array = hkdf(hash, bytes, bytes, bytes, valid ? length : 32);
new Hash(hash).update(key);
const index: number = verifyAny([new HmacKey(hash, key)], bytes, many);
const whole: boolean = new HmacKey(hash, key).verifyTruncated(bytes, many[index]!);

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
