// A function in Rust that takes an array of keys would free them.
export function verifyAny(keys, message, tags) {
  if (!Array.isArray(keys) || !keys.every((key) => key instanceof HmacKey)) {
    throw new Error("keys must be an array of HmacKey");
  }
  if (!(message instanceof Uint8Array)) throw new Error("message must be a Uint8Array");
  if (!Array.isArray(tags) || !tags.every((tag) => tag instanceof Uint8Array)) {
    throw new Error("tags must be an array of Uint8Array");
  }
  const index = keys.findIndex((key) => key.verifyOneOf(message, tags));
  if (index < 0) throw new Error("authentication failed");
  return index;
}
