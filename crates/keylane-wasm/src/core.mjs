// Errors, the checks of arguments, and the one way into WebAssembly's memory.

/** The error of a failed verification, and of what no argument causes. A wrong argument is a `TypeError`. */
export class KeylaneError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "KeylaneError";
    this.code = code;
  }
}

export const failed = () => new KeylaneError("authentication-failed", "authentication failed");

// These read what an array is, not what it says it is, and know the arrays of other realms.
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const kindOf = getter(TypedArray, Symbol.toStringTag);
const bufferOf = getter(TypedArray, "buffer");
const lengthIn = getter(TypedArray, "length");
const unsharedLength = getter(ArrayBuffer.prototype, "byteLength");
const { at: element } = TypedArray;

export const lengthOf = (array) => lengthIn.call(array);
export const EMPTY = new Uint8Array();

/** Returns `value` if it is an array whose bytes can be copied, and are `length` if that is given. */
export function bytes(value, what, length) {
  if (kindOf.call(value) !== "Uint8Array") {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    throw new TypeError(`${what} must be a Uint8Array: it is of the kind ${kind}`);
  }
  try {
    unsharedLength.call(bufferOf.call(value));
  } catch {
    throw new TypeError(`${what} must not be in shared memory, which may change during a call: pass a copy`);
  }
  if (lengthOf(value) === 0) {
    try {
      element.call(value, 0);
    } catch {
      throw new TypeError(`${what} has lost its memory: its buffer was transferred or is shorter now`);
    }
  }
  if (length !== undefined && lengthOf(value) !== length) {
    throw new TypeError(`${what} must have ${length} bytes: it has ${lengthOf(value)}`);
  }
  return value;
}

/** Returns a copy of an array. Reading it may run the user's code, so the items are checked after this. */
export function list(value, what) {
  if (!Array.isArray(value)) throw new TypeError(`${what} must be an array`);
  return [...value];
}

export const each = (items, what, length) => items.map((item) => bytes(item, what, length));

export function count(value, what, max = 2 ** 32 - 1) {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new TypeError(`${what} must be a whole number from 1 to ${max}`);
}

// In the order of their numbers in keylane.h.
export const HASHES = ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"];
export const AEADS = [
  "aes-128-gcm",
  "aes-192-gcm",
  "aes-256-gcm",
  "aes-128-gcm-siv",
  "aes-256-gcm-siv",
  "chacha20-poly1305",
  "xchacha20-poly1305",
  "xaes-256-gcm",
];

/** Returns the number of a name. Other spellings of it are understood, such as WebCrypto's `SHA-256`. */
export function numberOf(names, name, what) {
  const exact = names.indexOf(name);
  if (exact >= 0) return exact + 1;
  const there = `there are ${names.join(", ")}`;
  if (typeof name !== "string") throw new TypeError(`the name of the ${what} must be a string: ${there}`);
  const plain = (spelling) => spelling.toLowerCase().replace(/[^a-z0-9]/g, "");
  const number = names.findIndex((known) => plain(known) === plain(name)) + 1;
  if (number === 0) throw new TypeError(`no ${what} is named ${name}: ${there}`);
  return number;
}

/** The functions of keylane.h. */
export let c = new Proxy(
  {},
  {
    get() {
      throw new Error("initSync(module) has to be called first");
    },
  },
);
let heap;
/** Where short calls have their copies. */
let area;
const AREA_LEN = 4096;
/** Where WebAssembly's stack begins: it grows down to address 0. */
let stackTop;
/** More than the deepest call takes: a batch of `verifyMany` took 6592 bytes. */
const STACK_LEN = 16384;
/** The copies of a call that has not ended, and their length. */
let [copies, copiesLen] = [0, 0];

/** Takes the compiled program. Only the first call does something. */
export function initSync(module) {
  if (heap) return;
  c = new WebAssembly.Instance(module).exports;
  heap = new Uint8Array(c.memory.buffer);
  stackTop = c.__stack_pointer.value;
  area = allocate(AREA_LEN);
}

/** Compiles the program that is in the text of this package. */
export function initText(base64) {
  const program = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  let module;
  try {
    module = new WebAssembly.Module(program);
  } catch (cause) {
    const how =
      "allow 'wasm-unsafe-eval', bundle with the condition workerd or edge-light, or use keylane/slim";
    throw new Error(`keylane cannot be compiled here: ${how}`, { cause });
  }
  initSync(module);
}

/** Returns the memory, whose array is another one after it has grown. */
function memory() {
  if (heap.length === 0) heap = new Uint8Array(c.memory.buffer);
  return heap;
}

function allocate(len) {
  finish();
  // Its numbers are signed for JavaScript.
  const at = len < 2 ** 31 ? c.keylane_allocate(len) >>> 0 : 0;
  if (at === 0) throw new KeylaneError("out-of-memory", `WebAssembly's memory has no room for ${len} bytes`);
  return at;
}

/** Overwrites what calls have left on the stack. None runs: what each had there is free. */
function wipeStack(len = STACK_LEN) {
  c.__stack_pointer.value = stackTop;
  memory().fill(0, stackTop - len, stackTop);
}

/**
 * Wipes and frees the copies of a call. Where JavaScript's stack came to its end in the middle of one, WebAssembly's
 * stack is still as deep as it was then, and this may have failed too: the next call does it.
 */
function finish() {
  if (c.__stack_pointer.value !== stackTop) wipeStack(stackTop);
  if (copies === 0) return;
  memory().fill(0, copies, copies + copiesLen);
  if (copies !== area) c.keylane_free(copies, copiesLen);
  copies = 0;
}

const offsetsLen = (batch) => 4 * (batch.length + 1);
const sum = (lengths) => lengths.reduce((left, right) => left + right, 0);

/**
 * Calls a function of keylane.h. Numbers are passed as they are, an array of bytes as the pointer to a copy and
 * its length, a list of them as a batch: pointers to the bytes and to their offsets, and how many there are. If
 * there is an `outLength`, an output follows, which is returned; `inPlace`, it begins where the last input does.
 * The user's code does not run in here, and no copy is left.
 */
export function run(call, args, outLength, inPlace = false) {
  let len = outLength ?? 0;
  if (inPlace) len -= Math.min(len, lengthOf(args.at(-1)));
  for (const arg of args) {
    if (Array.isArray(arg)) len += sum(arg.map(lengthOf)) + offsetsLen(arg);
    else if (typeof arg === "object") len += lengthOf(arg);
  }
  finish();
  [copies, copiesLen] = [len <= AREA_LEN ? area : allocate(len), len];
  try {
    const [bytes, words] = [memory(), []];
    let at = copies;
    const copy = (array) => {
      bytes.set(array, at);
      at += lengthOf(array);
    };
    for (const arg of args) {
      if (typeof arg === "number") words.push(arg);
      else if (Array.isArray(arg)) {
        // The first is 0, as the memory is.
        const offsets = new DataView(bytes.buffer, at, offsetsLen(arg));
        at += offsetsLen(arg);
        const first = at;
        words.push(first, offsets.byteOffset, arg.length);
        for (const [i, array] of arg.entries()) {
          copy(array);
          offsets.setUint32(4 * (i + 1), at - first, true);
        }
      } else {
        words.push(at, lengthOf(arg));
        copy(arg);
      }
    }
    if (inPlace) at -= lengthOf(args.at(-1));
    if (outLength !== undefined) words.push(at, outLength);
    const code = call(...words);
    // A tag of another length is no better than a wrong one.
    if (code === -1 || code === -3) throw failed();
    if (code !== 0) throw new KeylaneError("internal-error", `keylane.h's error ${code}`);
    return outLength === undefined ? undefined : memory().slice(at, at + outLength);
  } catch (error) {
    finish();
    // The right tag may lie there.
    wipeStack();
    throw error;
  } finally {
    finish();
  }
}

/** Calls a function for a batch, and returns a result of `length` bytes for each item. */
export function runMany(call, args, items, length) {
  const all = run(call, [...args, items], length * items.length);
  return items.map((_, i) => all.slice(length * i, length * (i + 1)));
}

// `free` may be forgotten.
const forgotten = globalThis.FinalizationRegistry && new FinalizationRegistry((place) => place.free());

/** A struct of keylane.h's that belongs to an object of JavaScript's. */
export class Place {
  #at;
  #len;
  #what;

  constructor(what, len, init, owner) {
    [this.#at, this.#len, this.#what] = [allocate(len), len, what];
    try {
      init(this.#at);
    } catch (error) {
      this.free();
      throw error;
    }
    if (!owner) return;
    wipeStack();
    forgotten?.register(owner, this, this);
  }

  get at() {
    if (this.#at === 0) throw new TypeError(`this ${this.#what} was freed`);
    return this.#at;
  }

  /** Returns what `use` does with a copy of the struct. */
  withCopy(use) {
    const from = this.at;
    const copy = new Place(this.#what, this.#len, (at) => memory().copyWithin(at, from, from + this.#len));
    try {
      return use(copy.at);
    } finally {
      copy.free();
    }
  }

  /** Wipes and frees it, once. */
  free() {
    if (this.#at === 0) return;
    finish();
    c.keylane_free(this.#at, this.#len);
    this.#at = 0;
    wipeStack();
    forgotten?.unregister(this);
  }
}

/** Lets `using` free the objects of a class. */
export function disposable(Class) {
  if (Symbol.dispose) Object.defineProperty(Class.prototype, Symbol.dispose, { value: Class.prototype.free });
}

export function random(len) {
  const { crypto } = globalThis;
  if (!crypto?.getRandomValues) throw new KeylaneError("no-randomness", "there is no crypto.getRandomValues");
  return crypto.getRandomValues(new Uint8Array(len));
}

export function concat(...arrays) {
  const all = new Uint8Array(sum(arrays.map(lengthOf)));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += lengthOf(array);
  }
  return all;
}
