// The page docs/try.md: the file goes through Keylane in pieces, and whole through WebCrypto.

const WEB = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };
const PIECE = 4 << 20;
const WHOLE = 512 << 20;

const form = document.getElementById("try");
const output = form.querySelector("output");
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// Only the computing is timed, not the reading. A browser's clock can have steps of a millisecond.
const speed = (size, took) => (took < 20 ? "too short to measure" : `${Math.round(size / took / 1000)} MB/s`);

async function byKeylane({ Hash, HmacKey }, file, name, key) {
  const prepared = key.length ? new HmacKey(name, key) : undefined;
  const hash = prepared ? prepared.start() : new Hash(name);
  let took = 0;
  try {
    for (let at = 0; at < file.size; at += PIECE) {
      const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
      const start = performance.now();
      hash.update(piece);
      took += performance.now() - start;
      output.value = `${Math.floor((100 * at) / file.size)} %`;
    }
    return [hex(prepared ? hash.mac() : hash.digest()), took];
  } finally {
    hash.free();
    prepared?.free();
  }
}

async function byWebCrypto(file, name, key) {
  const { subtle } = crypto;
  const algorithm = { name: "HMAC", hash: WEB[name] };
  const imported = key.length && (await subtle.importKey("raw", key, algorithm, false, ["sign"]));
  const whole = await file.arrayBuffer();
  const start = performance.now();
  const digest = await (imported ? subtle.sign("HMAC", imported, whole) : subtle.digest(WEB[name], whole));
  return [hex(new Uint8Array(digest)), performance.now() - start];
}

async function compute(keylane) {
  const { file, hash, key } = form.elements;
  const chosen = file.files[0];
  const input = [chosen, hash.value, new TextEncoder().encode(key.value)];
  const [digest, took] = await byKeylane(keylane, ...input);
  const lines = [digest, `Keylane: ${speed(chosen.size, took)}`];
  if (chosen.size > WHOLE) {
    lines.push("WebCrypto: left out, since it needs the whole file in memory");
  } else {
    const [other, took] = await byWebCrypto(...input);
    const agrees = other === digest ? "the same result" : `NOT THE SAME: ${other}`;
    lines.push(`WebCrypto: ${speed(chosen.size, took)}, ${agrees}`);
  }
  return lines.join("\n");
}

try {
  const keylane = await import("./keylane.js");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.elements.compute.disabled = true;
    output.value = await compute(keylane).catch((error) => `${error}`);
    form.elements.compute.disabled = false;
  });
  form.elements.compute.disabled = false;
  output.value = "";
} catch (error) {
  output.value = `Keylane's package is not beside this page, or this browser cannot run it: ${error}`;
}
