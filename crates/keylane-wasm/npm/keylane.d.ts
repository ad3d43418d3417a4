/// <reference lib="esnext.disposable" />

/** The name of a hash function. SHA-1 is only for HMAC and PBKDF2 in old protocols. */
export type HashName = "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sha512-256";

/** The name of an AEAD, with the bits of its key; ChaCha20 has 256. */
export type AeadName =
  | "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" | "aes-128-gcm-siv" | "aes-256-gcm-siv" | "xaes-256-gcm"
  | "chacha20-poly1305" | "xchacha20-poly1305";

/** The code of a {@link KeylaneError}. */
export type KeylaneErrorCode =
  /** A tag is wrong: the message was changed, or made with another key. */
  | "authentication-failed"
  /** An encrypted stream was cut off; inside a chunk, the code may be "authentication-failed" instead. */
  | "truncated"
  /** An encrypted stream has more than 4 PiB. */
  | "input-too-long"
  /** WebAssembly's memory cannot grow. */
  | "out-of-memory"
  /** There is no `crypto.getRandomValues`. */
  | "no-randomness"
  /** A defect of this package. */
  | "internal-error";

/** A failed verification, or a failure that no argument causes. A wrong argument is a `TypeError`. */
export class KeylaneError extends Error {
  private constructor();
  readonly name: "KeylaneError";
  readonly code: KeylaneErrorCode;
  /** The messages that `openMany` could not open. */
  readonly indexes?: number[];
}

/** Returns the digest of `data`. */
export function digest(hash: HashName, data: Uint8Array): Uint8Array<ArrayBuffer>;

/** Returns the digests of messages, computed in parallel. */
export function digestMany(hash: HashName, messages: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[];

/** Hash of data that arrives in pieces. */
export class Hash {
  constructor(hash: HashName);
  /** Absorbs `data`. */
  update(data: Uint8Array): void;
  /** Returns the digest of what was absorbed so far. More can be absorbed after it. */
  digest(): Uint8Array<ArrayBuffer>;
  /** Wipes it. */
  free(): void;
  [Symbol.dispose](): void;
}

/** Key of HMAC (RFC 2104), prepared once for any number of messages. */
export class HmacKey {
  /** Prepares a key of any length. */
  constructor(hash: HashName, key: Uint8Array);
  /** Returns the tag of a message. */
  mac(message: Uint8Array): Uint8Array<ArrayBuffer>;
  /** Returns the tags of messages, computed in parallel. */
  macMany(messages: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[];
  /** Throws a {@link KeylaneError} unless `tag` is the whole tag of the message. Compares in constant time. */
  verify(message: Uint8Array, tag: Uint8Array): void;
  /**
   * Throws a {@link KeylaneError} unless `tag` is the beginning of the message's tag, 10 bytes or more. The protocol
   * must fix the length, not the sender: check it first, or a forger will send 10 bytes.
   */
  verifyTruncated(message: Uint8Array, tag: Uint8Array): void;
  /** Throws a {@link KeylaneError} unless each tag is that of the message with the same index. */
  verifyMany(messages: readonly Uint8Array[], tags: readonly Uint8Array[]): void;
  /** Begins the MAC of a message that arrives in pieces. */
  start(): Hmac;
  /** Wipes the key. */
  free(): void;
  [Symbol.dispose](): void;
}

/** HMAC of a message that arrives in pieces. */
export class Hmac {
  /** The same as `key.start()`. You may free the key while this is in use. */
  constructor(key: HmacKey);
  /** Absorbs `data`. */
  update(data: Uint8Array): void;
  /** Returns the tag of what was absorbed so far. More can be absorbed after it. */
  mac(): Uint8Array<ArrayBuffer>;
  /** Throws a {@link KeylaneError} unless `tag` is that of what was absorbed so far. */
  verify(tag: Uint8Array): void;
  /** Wipes it. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * Returns the index of the first key that made one of the tags of the message: while a secret is rotated, or for a
 * sender that signs with the old and the new one. Throws a {@link KeylaneError} if no key made any. Each tag is
 * compared in constant time; the time reveals which key made which tag.
 */
export function verifyAny(keys: readonly HmacKey[], message: Uint8Array, tags: readonly Uint8Array[]): number;

/** Derives a key of `length` bytes from a password by PBKDF2-HMAC (RFC 8018 section 5.2). */
export function pbkdf2(
  hash: HashName, password: Uint8Array, salt: Uint8Array, iterations: number, length: number,
): Uint8Array<ArrayBuffer>;

/** Derives a key of `length` bytes, at most 255 digests, from key material by HKDF (RFC 5869). */
export function hkdf(
  hash: HashName, material: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number,
): Uint8Array<ArrayBuffer>;

/** Returns a random key of the AEAD's length, or for HMAC of the hash's digest length. */
export function generateKey(name: AeadName | HashName): Uint8Array<ArrayBuffer>;

/** Key of an AEAD: it encrypts and authenticates a text, and authenticates additional data, `aad`. */
export class Aead {
  /** Prepares a key, which must have the AEAD's length. */
  constructor(name: AeadName, key: Uint8Array);
  /** The name of the AEAD. */
  readonly name: AeadName;
  /** The length of a nonce in bytes. */
  readonly nonceLength: number;
  /**
   * Encrypts `text`. Returns the ciphertext and the tag of 16 bytes. A nonce that is used twice with a key reveals
   * texts and, except with AES-GCM-SIV, lets anyone forge.
   */
  seal(nonce: Uint8Array, text: Uint8Array, aad?: Uint8Array | null): Uint8Array<ArrayBuffer>;
  /** Decrypts what `seal` returned. Throws a {@link KeylaneError} if any of it was changed. */
  open(nonce: Uint8Array, sealed: Uint8Array, aad?: Uint8Array | null): Uint8Array<ArrayBuffer>;
  /**
   * Encrypts `text` under a random nonce, which the result begins with. Throws a `TypeError` for AES-GCM and
   * ChaCha20-Poly1305, whose nonces are too short to be random.
   */
  sealRandom(text: Uint8Array, aad?: Uint8Array | null): Uint8Array<ArrayBuffer>;
  /** Decrypts what `sealRandom` returned. Throws a {@link KeylaneError} if any of it was changed. */
  openRandom(sealed: Uint8Array, aad?: Uint8Array | null): Uint8Array<ArrayBuffer>;
  /** Encrypts texts, each with the nonce and the additional data of the same index. */
  sealMany(
    nonces: readonly Uint8Array[], texts: readonly Uint8Array[], aads?: readonly Uint8Array[] | null,
  ): Uint8Array<ArrayBuffer>[];
  /** Decrypts what `sealMany` returned. Throws a {@link KeylaneError} if any was changed; its `indexes` list them. */
  openMany(
    nonces: readonly Uint8Array[], sealed: readonly Uint8Array[], aads?: readonly Uint8Array[] | null,
  ): Uint8Array<ArrayBuffer>[];
  /** Wipes the key. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * Encrypts a stream of any length, for `pipeThrough`: C2SP's chunked encryption, which other programs open too. The
 * key is 16 or 32 random bytes; the context, which is not in the message, separates uses of one key.
 */
export class SealStream {
  constructor(key: Uint8Array, context?: Uint8Array);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * Decrypts what `SealStream` made, in authenticated chunks. The message is complete only when the stream ends without
 * an error: act on it only then.
 */
export class OpenStream {
  constructor(key: Uint8Array, context?: Uint8Array);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array>;
}
