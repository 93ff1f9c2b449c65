/** Tests that formatted heads are parsed, and everything else is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatChainHead, parseChainHead } from "#lib/audit/chain.ts";
import { createId } from "#lib/base/ids.ts";

const test = suite("readHead");
const HASH = "0123456789abcdef".repeat(4);

test("reads what was written", () => {
  for (const chain of ["system", createId("fed")]) {
    const head = { chain, count: 12_345, hash: HASH };
    assert.is(formatChainHead(head), `${chain}:12345:${HASH}`);
    assert.equal(parseChainHead(formatChainHead(head)), head);
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
    `${createId("spk")}:1:${HASH}`,
    `system:9999999999999999:${HASH}`,
  ];
  assert.equal(wrong.filter((text) => parseChainHead(text) !== null), []);
});

test.run();
