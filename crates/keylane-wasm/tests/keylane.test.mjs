// In vitest with jsdom, whose Uint8Array is another than that of Node.js and of the package.

import { run } from "./keylane.mjs";
import { digest } from "keylane";

test("the package", run, 60_000);
for (const bytes of [new Uint8Array([97]), new TextEncoder().encode("a"), Buffer.from("a")]) {
  test(`a ${bytes.constructor.name}`, () => expect(digest("sha256", bytes).length).toBe(32));
}
