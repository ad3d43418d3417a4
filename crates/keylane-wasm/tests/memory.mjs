// Imported before the package: shows the memory of its program, which the package hides.

let memory;
/** How many pieces of it are allocated. */
export let allocated = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...args) {
  const { exports } = new Instance(...args);
  ({ memory } = exports);
  const keylane_allocate = (len) => ((allocated += 1), exports.keylane_allocate(len));
  const keylane_free = (at, len) => ((allocated -= 1), exports.keylane_free(at, len));
  return { exports: { ...exports, keylane_allocate, keylane_free } };
};

/** Whether the memory has eight bytes of `bytes` anywhere. */
export function has(bytes) {
  const all = new Uint8Array(memory.buffer);
  for (let part = 0; part + 8 <= bytes.length; part += 8) {
    for (let at = all.indexOf(bytes[part]); at >= 0; at = all.indexOf(bytes[part], at + 1)) {
      let same = 1;
      while (same < 8 && all[at + same] === bytes[part + same]) same++;
      if (same === 8) return true;
    }
  }
  return false;
}
