/** Tests that every mismatch of a chain is reported, in all combinations. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ChainCheckInput, checkChain } from "#lib/audit/check-chain.ts";

const test = suite("judge");

const CHAIN = "system";
const hashes = (events: number) => new Map(Array.from({ length: events }, (_, i) => [i + 1, `hash ${i + 1}`]));

/** Returns heads at each of these counts, right and wrong, and undefined. */
const heads = (counts: number[]) => [
  undefined,
  ...counts.flatMap((count) => [`hash ${count}`, "other"].map((hash) => ({ chain: CHAIN, count, hash }))),
];

function* everything(): Generator<ChainCheckInput> {
  const counts = [1, 2, 3, 4, 5];
  for (const events of [0, 1, 3, 5]) {
    for (const seal of heads(counts)) {
      for (const one of heads(counts)) {
        for (const two of heads(counts)) {
          const exported = [one, two].filter((head) => head !== undefined);
          for (let covered = 0; covered <= events; covered++) {
            yield { seal, exported, events, covered, written: events, hashes: hashes(events) };
          }
        }
      }
    }
  }
}

test("is a problem exactly when a mark does not fit, the seal lags or lacks, or covers another number", () => {
  let seen = 0;
  for (const findings of everything()) {
    const { seal, exported, covered } = findings;
    const fits = [...exported, ...(seal ? [seal] : [])].every(({ count, hash }) => findings.hashes.get(count) === hash);
    const known = exported.every(({ count }) => count <= (seal?.count ?? 0));
    const fine = fits && known && (!seal || covered === seal.count);
    const { problems, differs } = checkChain(findings);
    assert.is(problems.length === 0, fine, JSON.stringify(findings));
    if (fits) assert.is(differs, null);
    seen++;
  }
  assert.ok(seen > 10_000);
});

test("gives as the place what lies behind the last exported head that fits", () => {
  for (const findings of everything()) {
    const { differs } = checkChain(findings);
    if (!differs) continue;
    const { seal, exported, hashes } = findings;
    const right = exported.filter(({ count, hash }) => hashes.get(count) === hash).map(({ count }) => count);
    assert.is(differs.after, Math.max(0, ...right));
    assert.ok(differs.through > differs.after);
    const wrong = [...exported, ...(seal ? [seal] : [])].filter(({ count, hash }) => hashes.get(count) !== hash);
    assert.ok(wrong.some(({ count }) => count === differs.through));
    assert.not.ok(wrong.some(({ count }) => count > differs.after && count < differs.through));
  }
});

test("is a problem where another number of events exists than was written", () => {
  for (const [written, left] of [[5, 4], [4, 5], [1, 0]] as const) {
    const findings = { seal: undefined, exported: [], events: left, covered: 0, written, left, hashes: hashes(left) };
    assert.is(checkChain(findings).problems.length, 1);
  }
});

test("takes the heads of years", () => {
  const exported = Array.from({ length: 300_000 }, (_, i) => ({ chain: CHAIN, count: i + 1, hash: `hash ${i + 1}` }));
  const counts = { events: 300_000, covered: 300_000, written: 300_000, left: 300_000 };
  const findings = { seal: exported.at(-1), exported, ...counts, hashes: hashes(300_000) };
  assert.equal(checkChain(findings), { problems: [], differs: null });
});

test.run();
