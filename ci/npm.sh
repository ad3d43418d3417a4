#!/bin/bash
# npm.sh [OUT]: builds the npm package by crates/keylane-wasm/build.mjs, without rustup's target. Puts its tarball into
# the folder OUT, or tests it: its types, and its functions in Node.js, Deno, Bun, Cloudflare's runtime, jsdom and
# Chromium, and as bundlers pack them. For that it installs packages into target/npm-test, and Chromium on this
# machine, after a question; none where CI is set.
. "$(dirname "${BASH_SOURCE[0]}")/cpus/packages.sh"
cd "$HERE/../.."
crate=crates/keylane-wasm tests=target/npm-test
PATH=$(ci/cpus/fetch.sh node):$PATH
XFLAGS=-Dwarnings node $crate/build.mjs ci/cpus/cargo.sh web
(cd target/npm/keylane && wc -c keylane.js keylane.wasm && echo "by gzip: $(gzip -9 <keylane.js | wc -c)")
[ $# = 0 ] || exec cp target/npm/keylane-*.tgz "$1"

if [ -z "${CI:-}" ]; then
  echo "This installs npm packages (600 MB) in $tests, and Debian's Chromium if there is none. Go on? [y/N]"
  read -r answer
  [ "$answer" = y ]
fi
mkdir -p $tests
cp -r $crate/tests/* $tests
npm install --silent --prefix $tests
rm -rf $tests/node_modules/keylane
cp -r target/npm/keylane $tests/node_modules
for page in README.md crates/keylane-wasm/README.md; do
  awk '/^```js$/ { inside = 1; next } /^```/ { inside = 0 } inside' $page >"$tests/${page//\//-}.mjs"
done
cd $tests
PATH=$PWD/node_modules/.bin:$PATH
for module in "nodenext" "esnext --moduleResolution bundler" "commonjs --moduleResolution node10"; do
  # Several words.
  # shellcheck disable=SC2086
  tsc --noEmit --strict --noUncheckedIndexedAccess --target es2022 --lib es2022,dom --typeRoots none \
    --module $module types.ts
done
for page in *README.md.mjs; do node "$page"; done
# Of docs/migrating.md.
node migrating.mjs
run='import { run } from "./keylane.mjs"; console.log(`passed ${await run()} tests`);'
echo "$run" >run.mjs
node --expose-gc run.mjs
deno run --quiet --allow-read run.mjs
bun run.mjs
node bundles.mjs
vitest run --environment jsdom --globals keylane.test.mjs
for environment in node jsdom; do jest --env $environment --testMatch '**/keylane.test.cjs'; done

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
