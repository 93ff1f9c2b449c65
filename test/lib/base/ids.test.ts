/** Tests the format, order and uniqueness of IDs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId, isId } from "#lib/base/ids.ts";

const test = suite("createId");

test("returns the prefix and 26 letters or digits", () => {
  assert.match(createId("spk"), /^spk_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.ok(isId("spk", createId("spk")));
  assert.not(isId("fed", createId("spk")));
  for (const bad of ["spk_", "spk", "", "spk_" + "i".repeat(26), createId("spk") + "0"]) {
    assert.not(isId("spk", bad), bad);
  }
});

test("returns IDs that sort by creation time", async () => {
  const first = createId("op"), from = Date.now();
  while (Date.now() === from) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(first < createId("op"));
});

test("returns ten thousand different IDs", () => {
  assert.is(new Set(Array.from({ length: 10_000 }, () => createId("evt"))).size, 10_000);
});

test.run();
