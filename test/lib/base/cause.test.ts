/** What is under way, as the log and others see it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { apart, because, inPlace, presentCause, presentTrace } from "#lib/base/cause.ts";
import { openLog } from "#lib/base/log.ts";
import { parseTrace, placeBelow, placeIn } from "#lib/base/trace.ts";
import type { Exchange } from "#lib/http/exchange.ts";
import { caused } from "#lib/http/middleware.ts";

const test = suite("because, apart");

const root = placeIn(null, () => true), about = { requestId: "req_1" };

test("work is done for its cause, also after it has waited, and nothing else is", async () => {
  const seen = because({ root, about }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return presentCause();
  });
  assert.is(presentCause(), null);
  assert.equal(await seen, { root, place: root, about });
});

test("two at once do not see each other", async () => {
  const other = placeIn(null, () => true);
  const ask = (each: typeof root) => because({ root: each, about }, () => Promise.resolve().then(presentCause));
  assert.equal((await Promise.all([ask(root), ask(other)])).map((cause) => cause!.root), [root, other]);
});

test("what is begun apart is done for nothing, however it was come to", () => {
  because({ root, about }, () => assert.equal([apart(presentCause), apart(presentTrace)], [null, null]));
});

test("a part has a place of its own, and what goes on later belongs to the whole", () => {
  const below = placeBelow(root);
  because({ root, about }, () =>
    inPlace(below, () => {
      assert.equal(presentCause(), { root, place: below, about });
      assert.is(parseTrace(presentTrace())!.spanId, root.spanId);
    }));
  inPlace(below, () => assert.is(presentCause(), null, "without a cause there are no parts"));
});

test("an answer that is made while it is sent is made for its request, whoever sends it", async () => {
  const seen: unknown[] = [];
  const flow = { run: () => Promise.resolve(void seen.push(presentCause()?.about)), cancel: () => {} };
  const answer = await caused(
    { id: "req_1", trace: root } as Exchange,
    () => Promise.resolve({ status: 200, headers: {}, body: flow }),
  );
  await (answer.body as typeof flow).run();
  assert.equal(seen, [{ requestId: "req_1" }]);
});

test("each line of the log has the ids of what it is written for", () => {
  const lines: string[] = [];
  const log = openLog({ level: "info", format: "json", write: (line) => lines.push(line) });
  because({ root, about }, () => log.info("Done", { n: 1 }));
  log.info("Idle");
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.equal([first.requestId, first.traceId, first.n], ["req_1", root.traceId, 1]);
  assert.not("traceId" in second);
});

test.run();
