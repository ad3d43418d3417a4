export * from "./keylane.js";

/**
 * Takes the compiled program, `keylane/keylane.wasm`, where this package cannot compile it. Call it before anything
 * else here; later calls do nothing.
 */
export declare function initSync(module: WebAssembly.Module): void;
