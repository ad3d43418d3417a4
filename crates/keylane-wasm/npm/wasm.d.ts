/** The compiled program, where an import of a `.wasm` file returns one. */
declare const module: WebAssembly.Module;
export default module;
