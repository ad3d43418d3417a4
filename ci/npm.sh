#!/bin/bash
# npm.sh [OUT]: builds the npm package, target/npm/node_modules/keylane, from crates/keylane-wasm, and packs it
# into the folder OUT, or tests it: its types by TypeScript, its functions in Node.js and in Chromium.
. "$(dirname "${BASH_SOURCE[0]}")/cpus/packages.sh"
cd "$HERE/../.."
crate=crates/keylane-wasm package=target/npm/node_modules/keylane
PATH=$(ci/cpus/fetch.sh node):$PATH

# The program has to be of the crate's version.
version=$(grep -A1 '^name = "wasm-bindgen"$' $crate/Cargo.lock | sed -n 's/version = "\(.*\)"/\1/p')
tool=$CROSS/wasm-bindgen-$version
[ -x "$tool/bin/wasm-bindgen" ] ||
  locked cargo install --quiet --root "$tool" --version "$version" wasm-bindgen-cli

XFLAGS=-Dwarnings ci/cpus/cargo.sh web build --quiet --release --locked --manifest-path $crate/Cargo.toml \
  --target-dir target/npm-build
rm -rf target/npm
mkdir -p $package
"$tool/bin/wasm-bindgen" --target web --out-dir $package --out-name wasm --omit-default-module-path \
  --remove-name-section --remove-producers-section \
  target/npm-build/wasm32-unknown-unknown/release/keylane_wasm.wasm
# One file without requests, so that an import is all: the program is in the text.
{
  cat $package/wasm.js $crate/src/verify_any.js
  printf 'initSync({ module: Uint8Array.from(atob("%s"), (byte) => byte.charCodeAt(0)) });\n' \
    "$(base64 -w0 $package/wasm_bg.wasm)"
} >$package/keylane.js
rm $package/wasm.js $package/wasm_bg.wasm*
cp $crate/npm/* $crate/README.md LICENSE-APACHE LICENSE-MIT $package
echo "$(wc -c <$package/keylane.js) bytes, by gzip $(gzip -9 <$package/keylane.js | wc -c)"
[ $# = 0 ] || exec npm pack --silent --pack-destination "$1" ./$package

cp $crate/tests/* target/npm
cd target/npm
echo '{ "type": "module" }' >package.json
npm install --silent --no-save --prefix tools typescript@5.9.3
tools/node_modules/.bin/tsc --noEmit --strict --noUncheckedIndexedAccess --target esnext --module nodenext types.ts
awk '/^```js$/ { inside = 1; next } /^```/ { inside = 0 } inside' ../../crates/keylane-wasm/README.md >readme.mjs
node readme.mjs
node --input-type=module \
  --eval 'import { run } from "./keylane.mjs"; console.log(`Node.js: passed ${await run()} tests`);'

command -v chromium >/dev/null || apt-get -q install -y --no-install-recommends chromium
trap 'kill $(jobs -p)' EXIT
python3 -u -m http.server --bind 127.0.0.1 0 >server.log 2>&1 &
for ((tenth = 0; tenth < 300; tenth++)); do
  port=$(grep -o 'port [0-9]*' server.log) && break
  sleep 0.1
done
# The page asks for what it has to say.
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
  "http://127.0.0.1:${port#port }/page.html" >/dev/null 2>&1 &
for ((second = 0; second < 60; second++)); do
  said=$(grep -o 'GET /said/[^ ]*' server.log) && break
  sleep 1
done
echo "Chromium: ${said#GET /said/}"
[[ "$said" == */passed-[1-9]* ]]
