export {
  Aead, Hash, HmacKey, digest, digestMany, hkdf, pbkdf2, type AeadName, type HashName,
} from "./wasm.js";
