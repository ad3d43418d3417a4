/** The compiled program, where importing a `.wasm` file returns one. */
declare const module: WebAssembly.Module;
export default module;
