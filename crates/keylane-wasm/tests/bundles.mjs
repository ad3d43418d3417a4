// The tests as bundlers pack them: as modules and CommonJS in Node.js, and in Cloudflare's runtime. And the types beside
// what there is.

import assert from "node:assert";
import { build, buildSync } from "esbuild";
import { Miniflare } from "miniflare";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { rollup } from "rollup";
import resolve from "@rollup/plugin-node-resolve";
import { build as vite } from "vite";
import webpack from "webpack";

const require = createRequire(import.meta.url);
const { Module } = WebAssembly;
WebAssembly.Module = null;
assert.throws(() => require("keylane"), /cannot be compiled here: allow 'wasm-unsafe-eval'/);
WebAssembly.Module = Module;

const types = readFileSync("node_modules/keylane/keylane.d.ts", "utf8");
const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
const { initSync, ...slim } = await import("keylane/slim");
for (const there of [slim, await import("keylane"), require("keylane")]) {
  assert.deepEqual(Object.keys(there).sort(), declared.sort());
}
for (const Class of Object.values(slim).filter((it) => /^class/.test(it))) {
  const start = types.indexOf(`export class ${Class.name} `);
  const type = types.slice(start, types.indexOf("\n}", start));
  for (const name of Object.getOwnPropertyNames(Class.prototype))
    assert.match(type, new RegExp(`\\b${name}[(:]`));
}
assert.throws(() => slim.digest("sha256", new Uint8Array()), /initSync\(module\) has to be called first/);

const entry = "keylane.mjs";
const dir = `${import.meta.dirname}/bundles`;
const bundlers = {
  esbuild: (outfile) => build({ entryPoints: [entry], bundle: true, format: "esm", outfile }),
  // The package is then CommonJS.
  "esbuild-require": async (outfile) => {
    const alias = { keylane: "./node_modules/keylane/keylane.cjs" };
    await build({ entryPoints: [entry], bundle: true, format: "esm", alias, outfile });
  },
  rollup: async (file) => {
    const bundle = await rollup({ input: entry, plugins: [resolve()] });
    await bundle.write({ file });
  },
  vite: (file) => {
    const lib = { entry, formats: ["es"], fileName: () => file.replace(`${dir}/`, "") };
    return vite({ logLevel: "error", build: { lib, outDir: dir, emptyOutDir: false } });
  },
  webpack: async (file) => {
    const output = {
      path: dir,
      filename: file.replace(`${dir}/`, ""),
      library: { type: "module" },
      module: true,
    };
    const options = { mode: "production", entry: `./${entry}`, experiments: { outputModule: true }, output };
    const stats = await new Promise((done, failed) =>
      webpack(options, (error, it) => (error ? failed(error) : done(it))),
    );
    if (stats.hasErrors()) throw new Error(stats.toString());
  },
};
for (const [name, pack] of Object.entries(bundlers)) {
  const file = `${dir}/${name}.mjs`;
  await pack(file);
  const { run } = await import(file);
  console.log(`${name}: passed ${await run()} tests`);
}

// Neither compiles while it runs. `slim.js` is for those that have other ways to import a program.
const program = {
  type: "CompiledWasm",
  path: "keylane.wasm",
  contents: readFileSync("node_modules/keylane/keylane.wasm"),
};
const compiled = `import module from "./keylane.wasm"; import { initSync } from "keylane"; initSync(module);`;
for (const [name, conditions, first, alias] of [
  ["workerd", ["workerd"], "", {}],
  ["edge-light", ["edge-light"], "", {}],
  ["initSync", [], compiled, { keylane: "./node_modules/keylane/slim.js" }],
]) {
  const contents = `${first} import { run } from "./keylane.mjs";
    export default { fetch: () => run().then((passed) => new Response(passed), (error) => new Response(error.stack)) };`;
  const options = {
    bundle: true,
    format: "esm",
    external: ["*.wasm", "*.wasm?module"],
    conditions,
    write: false,
  };
  const { outputFiles } = buildSync({ ...options, stdin: { contents, resolveDir: "." }, alias });
  const script = outputFiles[0].text.replaceAll(".wasm?module", ".wasm");
  const modules = [{ type: "ESModule", path: "worker.mjs", contents: script }, program];
  const worker = new Miniflare({ modules, compatibilityDate: "2025-01-01" });
  const answer = await (await worker.dispatchFetch("http://localhost/")).text();
  await worker.dispose();
  if (!/^\d+$/.test(answer)) throw new Error(`${name}: ${answer}`);
  console.log(`${name}: passed ${answer} tests`);
}
