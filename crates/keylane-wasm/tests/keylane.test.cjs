// In jest, which loads CommonJS into a realm of its own, with and without jsdom.

const { Aead, digest, generateKey } = require("keylane");

test("CommonJS", () => {
  expect([...digest("sha256", Buffer.from("abc"))].slice(0, 4)).toEqual([0xba, 0x78, 0x16, 0xbf]);
  const aead = new Aead("xchacha20-poly1305", generateKey("xchacha20-poly1305"));
  const text = Uint8Array.of(1, 2, 3);
  expect([...aead.openRandom(aead.sealRandom(text))]).toEqual([1, 2, 3]);
  expect(() => aead.openRandom(text)).toThrow("authentication failed");
});
