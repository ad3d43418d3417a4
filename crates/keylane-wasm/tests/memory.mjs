// Imported before the package: shows the memory of its program, which the package hides.

export let memory;
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...args) {
  const instance = new Instance(...args);
  ({ memory } = instance.exports);
  return instance;
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
