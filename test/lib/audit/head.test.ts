/** Tests that formatted heads are parsed, and everything else is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatHead, parseHead } from "#lib/audit/head.ts";
import { newId } from "#lib/base/ids.ts";

const test = suite("readHead");
const HASH = "0123456789abcdef".repeat(4);

test("reads what was written", () => {
  for (const chain of ["system", newId("fed")]) {
    const head = { chain, count: 12_345, hash: HASH };
    assert.is(formatHead(head), `${chain}:12345:${HASH}`);
    assert.equal(parseHead(formatHead(head)), head);
  }
});

test("refuses everything else", () => {
  const wrong = [
    "",
    "system",
    `system:0:${HASH}`,
    `system:01:${HASH}`,
    `system:-1:${HASH}`,
    `system:1:${HASH.toUpperCase()}`,
    `system:1:${HASH}0`,
    `system:1:${HASH} `,
    `north:1:${HASH}`,
    `fed_x:1:${HASH}`,
    `${newId("spk")}:1:${HASH}`,
    `system:9999999999999999:${HASH}`,
  ];
  assert.equal(wrong.filter((text) => parseHead(text) !== null), []);
});

test.run();
