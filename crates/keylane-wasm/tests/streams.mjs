// Encrypted streams, beside messages of the Rust library's, and what becomes of them when they break.

import { allocated } from "./memory.mjs";
import { KeylaneError, OpenStream, SealStream, digest } from "keylane";

const message = (len) => Uint8Array.from({ length: len }, (_, i) => i * 7 + (i >> 3));
const context = new TextEncoder().encode("context");
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const check = (holds, what) => {
  if (!holds) throw new Error(what);
};

/** Sends pieces of `length` bytes through a stream. Returns what came before an error, and the error. */
async function through(stream, bytes, length = 1000) {
  const source = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length));
      controller.close();
    },
  });
  const [reader, parts] = [source.pipeThrough(stream).getReader(), []];
  try {
    for (let read; !(read = await reader.read()).done;) parts.push(...read.value);
  } catch (error) {
    return [Uint8Array.from(parts), error];
  }
  return [Uint8Array.from(parts)];
}

/** Makes `crypto` draw the salt of the messages of Rust's. */
function withSalt(make) {
  const own = Object.getOwnPropertyDescriptor(crypto, "getRandomValues");
  Object.defineProperty(crypto, "getRandomValues", {
    configurable: true,
    value: (array) => (array.set(message(24)), array),
  });
  const made = make();
  if (own) Object.defineProperty(crypto, "getRandomValues", own);
  else delete crypto.getRandomValues;
  return made;
}

/** SHA-256 of the messages that `keylane::chunked::seal_to` makes, by the lengths of key and text. */
const MESSAGES = {
  16: {
    0: "0d2b7e76c508a0bcbdd21b41a0cf30299e7dd883d95e5bda56d994880231d73c",
    5: "55e491b40ac1cd0bf830c32e211df390983afbaa3c5cc2bb34a7ad992f6d8b2a",
    16384: "9bd0f949e3cd9429ec97b55696cbefa3a5e7fe8b45f26a573b269a408f060222",
    40000: "d24cae55475f729b89ba037c2cacaf8fd8e332def472fb3605c4801d058d321c",
  },
  32: {
    0: "774335493df834883185107fb12894b6ded32a4a7ba4dc6437499b38136e871c",
    5: "eaecc6ddcd53e9c99d49b0c25e98d3899aeacb0849013351c508213f1bf911fd",
    16384: "a468c0bd9930c302fb1adc3da76c1c8b27f27e0a8792c67b493616bb50b8a035",
    40000: "4b5f6d2662bef46e739b5d3bba2041a38d6c1e0bf4d134990b0f0ec22ca7b607",
  },
};

export const streams = {
  "streams make and open the messages of the Rust library": async () => {
    for (const [keyLen, messages] of Object.entries(MESSAGES)) {
      for (const [len, expected] of Object.entries(messages)) {
        for (const pieces of [1000, 16384, 50000]) {
          const [key, text] = [message(Number(keyLen)), message(Number(len))];
          const [sealed] = await through(
            withSalt(() => new SealStream(key, context)),
            text,
            pieces,
          );
          check(hex(digest("sha256", sealed)) === expected, `${keyLen}, ${len}, ${pieces}: another message`);
          const [opened, error] = await through(new OpenStream(key, context), sealed, pieces);
          check(
            !error && hex(opened) === hex(text),
            `${keyLen}, ${len}, ${pieces}: ${error ?? "another text"}`,
          );
        }
      }
    }
  },

  "a stream that was cut or changed ends with an error, before which only authentic text comes": async () => {
    const [key, text] = [message(32), message(40000)];
    const [sealed] = await through(new SealStream(key), text);
    const ends = async (bytes, code, opened, of = key, under = undefined) => {
      const [came, error] = await through(new OpenStream(of, under), bytes);
      check(error instanceof KeylaneError && error.code === code, `not ${code}: ${error}`);
      check(hex(came) === hex(text.subarray(0, opened)), `${code} after ${came.length} bytes`);
    };
    for (const cut of [0, 30, 56, 60]) await ends(sealed.slice(0, cut), "truncated", 0);
    await ends(sealed.slice(0, 56 + 16400), "truncated", 16384);
    await ends(sealed.slice(0, 56 + 2 * 16400 + 100), "authentication-failed", 32768);
    await ends(Uint8Array.of(...sealed, 1), "authentication-failed", 32768);
    const [first, second] = [sealed.slice(56, 56 + 16400), sealed.slice(56 + 16400, 56 + 2 * 16400)];
    await ends(Uint8Array.of(...sealed.slice(0, 56), ...second, ...first), "authentication-failed", 0);
    for (const [at, opened] of [
      [3, 0],
      [40, 0],
      [56, 0],
      [20000, 16384],
      [sealed.length - 1, 32768],
    ]) {
      const changed = sealed.slice();
      changed[at] ^= 1;
      await ends(changed, "authentication-failed", opened);
    }
    await ends(sealed, "authentication-failed", 0, message(16));
    await ends(sealed, "authentication-failed", 0, key, context);
  },

  "a stream takes bytes only, and needs a key of 16 or 32": async () => {
    for (const Stream of [SealStream, OpenStream]) {
      for (const wrong of ["key", message(24), undefined]) {
        try {
          new Stream(wrong);
          check(false, "no error");
        } catch (error) {
          check(error instanceof TypeError && error.message.startsWith("key must "), error);
        }
      }
      const [, error] = await through(new Stream(message(16)), ["text"], 1);
      check(error instanceof TypeError && error.message.includes("a chunk must be"), error);
    }
  },

  "a writer waits for a reader": async () => {
    const { readable, writable } = new SealStream(message(16));
    const [writer, reader] = [writable.getWriter(), readable.getReader()];
    let written = false;
    const write = writer.write(message(40000)).then(() => (written = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    check(!written, "it does not wait");
    // The header and two chunks; then it asks for more.
    for (let i = 0; i < 3; i++) await reader.read();
    const last = reader.read();
    await write;
    await writer.close();
    check((await last).value.length === 40000 - 32768 + 16, "another last chunk");
  },

  "the key of a stream is wiped when it ends, is canceled or is aborted, also while a writer waits":
    async () => {
      const before = allocated;
      for (const end of ["close", "cancel", "abort", "abort before"]) {
        const { readable, writable } = new SealStream(message(16));
        const writer = writable.getWriter();
        const caught = (promise) => promise.catch((error) => error);
        if (end === "close") {
          const all = new Response(readable).arrayBuffer();
          await writer.write(message(9));
          await writer.close();
          check((await all).byteLength === 56 + 9 + 16, "another length");
        } else {
          const writes =
            end === "abort before" ? [] : [0, 1, 2].map(() => caught(writer.write(message(40000))));
          // The first write begins, and waits for a reader.
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (end === "cancel") await readable.cancel("enough");
          else await writer.abort("enough");
          await Promise.all(writes);
          check(
            (await caught(end === "cancel" ? writer.closed : readable.getReader().read())) === "enough",
            `after ${end}`,
          );
        }
        // What other tests forgot may be freed here.
        check(allocated <= before, `${end}: the key is left`);
      }
    },
};
