// Imported before the package: shows the memory of its program, which the package hides.

let memory, stackPointer;
/** How many pieces of it are allocated. */
export let allocated = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...args) {
  const { exports } = new Instance(...args);
  ({ memory, __stack_pointer: stackPointer } = exports);
  const keylane_allocate = (len) => {
    const at = exports.keylane_allocate(len);
    allocated += 1;
    return at;
  };
  const keylane_free = (at, len) => {
    exports.keylane_free(at, len);
    allocated -= 1;
  };
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

/** Whether calls have left something on the stack, which grows down to address 0. */
export const hasStack = () => new Uint8Array(memory.buffer, 0, stackPointer.value).some((byte) => byte !== 0);
