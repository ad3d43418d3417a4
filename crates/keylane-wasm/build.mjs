// Builds the npm package: node build.mjs [CARGO...]. The package is then the folder target/npm/keylane, and its tarball
// lies beside it. Needs rustup's target wasm32-unknown-unknown and Node.js with npm; CARGO is what to call for cargo.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const out = join(root, "target/npm/keylane");
const read = (...path) => readFileSync(join(here, ...path), "utf8");

const [cargo = "cargo", ...first] = process.argv.slice(2);
const settings = {
  CARGO_PROFILE_RELEASE_LTO: "fat",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "1",
  CARGO_PROFILE_RELEASE_STRIP: "true",
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: "-Ctarget-feature=+simd128",
};
const target = ["--target", "wasm32-unknown-unknown", "--target-dir", "target/npm-build"];
const only = [
  "--quiet",
  "--release",
  "--locked",
  "--package",
  "keylane-ffi",
  "--lib",
  "--crate-type",
  "cdylib",
];
const run = (program, args) =>
  execFileSync(program, args, { cwd: root, env: { ...process.env, ...settings }, stdio: "inherit" });
try {
  run(cargo, [...first, "rustc", ...only, ...target, "--", "-Clink-arg=--export=__stack_pointer"]);
} catch {
  console.error("cargo failed. Is the target there? rustup target add wasm32-unknown-unknown");
  process.exit(1);
}
const wasm = readFileSync(join(root, "target/npm-build/wasm32-unknown-unknown/release/keylane.wasm"));

const names = [
  ...["Aead", "Hash", "Hmac", "HmacKey", "KeylaneError", "OpenStream", "SealStream"],
  ...["digest", "digestMany", "generateKey", "hkdf", "pbkdf2", "verifyAny"],
].join(", ");
// One file: each uses only what is above it.
const library = ["core", "hash", "aead", "stream"]
  .map((name) => read(`src/${name}.mjs`))
  .join("\n")
  .replace(/^import [^;]*;\n/gm, "")
  .replace(/^export /gm, "");
const load = `initText("${wasm.toString("base64")}");\n`;
// Runtimes that compile nothing have their own ways to import a program.
const compiled = (from) =>
  `import module from "${from}";
import { initSync } from "./slim.js";
initSync(module);
export { ${names} } from "./slim.js";
`;
const types = read("npm/keylane.d.ts");
const files = {
  "keylane.js": `${library}${load}export { ${names} };\n`,
  "keylane.cjs": `"use strict";\n${library}${load}module.exports = { ${names} };\n`,
  "slim.js": `${library}export { initSync, ${names} };\n`,
  "workerd.js": compiled("./keylane.wasm"),
  "edge.js": compiled("./keylane.wasm?module"),
  "keylane.wasm": wasm,
  "keylane.d.ts": types,
  "keylane.d.cts": types,
  "slim.d.ts": read("npm/slim.d.ts"),
  "wasm.d.ts": read("npm/wasm.d.ts"),
  "package.json": read("npm/package.json"),
  "README.md": read("README.md"),
};
rmSync(join(root, "target/npm"), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(root, name), join(out, name));
// Windows runs npm's script by its shell.
const pack = ["pack", "--silent", "--pack-destination", "target/npm", "./target/npm/keylane"];
if (process.platform === "win32") run("cmd", ["/c", "npm", ...pack]);
else run("npm", pack);
