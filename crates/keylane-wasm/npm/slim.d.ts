export * from "./keylane.js";

/**
 * Takes the compiled program, `keylane/keylane.wasm`, where something else than this package compiles it: it must be
 * called before anything else here. Only the first call does something.
 */
export declare function initSync(module: WebAssembly.Module): void;
