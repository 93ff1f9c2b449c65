import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Figure, renderSummary } from "#test/bench/summary.ts";

const test = suite("benchmark summary");
const RUN = { commit: "abc1234", date: "2026-11-27", runtime: "Node.js 26", cores: 2, load: [0.5, 12] } as const;
const render = (figure: Partial<Figure>) =>
  renderSummary(RUN, [{ name: "an install", unit: "ms", values: [90, 100, 140], ...figure }]).split("\n").at(-1);

test("states commit, date, load and the meaning of the parentheses", () => {
  assert.match(
    renderSummary(RUN, []),
    /^Commit abc1234, 2026-11-27, Node.js 26, 2 cores, load average 0.50 to 12.0\. /,
  );
});

test("compares a value with its goal", () => {
  assert.is(render({ goal: 100 }), "|an install | 100 (90.0–140) ms |  |  | ≤ 100");
  assert.is(render({ goal: 99 }), "|an install | 100 (90.0–140) ms |  |  | ≤ 99, missed");
  assert.is(render({}), "|an install | 100 (90.0–140) ms |  |  |");
});

test("compares each round with the same round of each peer", () => {
  const bare = { name: "bare hono", values: [45, 100, 70], goal: 1.5 },
    fastify = { name: "Fastify", values: [180, 200, 280] };
  assert.is(
    render({ peers: [bare] }),
    "|an install | 100 (90.0–140) ms | bare hono | 2.00 (1.00–2.00) | ≤ 1.5, missed",
  );
  assert.is(
    render({ peers: [{ ...bare, goal: 2 }] }),
    "|an install | 100 (90.0–140) ms | bare hono | 2.00 (1.00–2.00) | ≤ 2",
  );
  assert.is(render({ peers: [bare, fastify] }), "| |  | Fastify | 0.50 (0.50–0.50) |");
});

test.run();
