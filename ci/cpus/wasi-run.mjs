// wasi-run.mjs PROGRAM.wasm ARGS: runs a WASI preview-1 program. emulate.sh has the node for it.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [file, ...args],
  env: process.env,
  // Tests read their files by the absolute paths that cargo gives them.
  preopens: { "/": "/" },
  returnOnExit: true,
});
const env = {
  // There are no threads. The standard library imports these functions, which return an error: 58 is ENOTSUP.
  pthread_create: () => 58,
  pthread_join: () => 58,
  pthread_detach: () => 58,
  // What a panic throws.
  __cpp_exception: new WebAssembly.Tag({ parameters: ["i32"] }),
};
const module = await WebAssembly.compile(await readFile(file));
process.exit(wasi.start(await WebAssembly.instantiate(module, { ...wasi.getImportObject(), env })));
