/** Tests the format, order and uniqueness of IDs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isId, newId } from "#lib/base/ids.ts";

const test = suite("newId");

test("returns the prefix and 26 letters or digits", () => {
  assert.match(newId("spk"), /^spk_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.ok(isId("spk", newId("spk")));
  assert.not(isId("fed", newId("spk")));
  for (const bad of ["spk_", "spk", "", "spk_" + "i".repeat(26), newId("spk") + "0"]) assert.not(isId("spk", bad), bad);
});

test("returns IDs that sort by creation time", async () => {
  const first = newId("op"), from = Date.now();
  while (Date.now() === from) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(first < newId("op"));
});

test("returns ten thousand different IDs", () => {
  assert.is(new Set(Array.from({ length: 10_000 }, () => newId("evt"))).size, 10_000);
});

test.run();
