/** Tests the context of the current request or job. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  formatCurrentTrace,
  getCurrentContext,
  runInContext,
  runInSpan,
  runWithoutContext,
} from "#lib/base/work-context.ts";
import { createLog } from "#lib/base/log.ts";
import { createChildSpanContext, parseTrace, startSpanContext } from "#lib/base/trace.ts";
import type { HttpExchange } from "#lib/http/exchange.ts";
import { setWorkContext } from "#lib/http/middleware.ts";

const test = suite("runInContext, runDetached");

const root = startSpanContext(null, () => true), about = { requestId: "req_1" };

test("keeps the context across await, and only inside the work", async () => {
  const contexts = runInContext({ rootSpan: root, logFields: about }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return getCurrentContext();
  });
  assert.is(getCurrentContext(), null);
  assert.equal(await contexts, { rootSpan: root, span: root, logFields: about });
});

test("separates simultaneous contexts", async () => {
  const other = startSpanContext(null, () => true);
  const ask = (each: typeof root) =>
    runInContext({ rootSpan: each, logFields: about }, () => Promise.resolve().then(getCurrentContext));
  assert.equal((await Promise.all([ask(root), ask(other)])).map((cause) => cause!.rootSpan), [root, other]);
});

test("has no context in detached work", () => {
  runInContext(
    { rootSpan: root, logFields: about },
    () => assert.equal([runWithoutContext(getCurrentContext), runWithoutContext(formatCurrentTrace)], [null, null]),
  );
});

test("has the inner span in runInSpan, and restores the root span", () => {
  const below = createChildSpanContext(root);
  runInContext({ rootSpan: root, logFields: about }, () =>
    runInSpan(below, () => {
      assert.equal(getCurrentContext(), { rootSpan: root, span: below, logFields: about });
      assert.is(parseTrace(formatCurrentTrace())!.spanId, root.spanId);
    }));
  runInSpan(below, () => assert.is(getCurrentContext(), null, "without a cause there are no parts"));
});

test("has the request's context while the response is streamed", async () => {
  const contexts: unknown[] = [];
  const flow = { run: () => Promise.resolve(void contexts.push(getCurrentContext()?.logFields)), cancel: () => {} };
  const answer = await setWorkContext(
    { id: "req_1", trace: root } as HttpExchange,
    () => Promise.resolve({ status: 200, headers: {}, body: flow }),
  );
  await (answer.body as typeof flow).run();
  assert.equal(contexts, [{ requestId: "req_1" }]);
});

test("adds the context's IDs to each log line", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
  runInContext({ rootSpan: root, logFields: about }, () => log.info("Done", { n: 1 }));
  log.info("Idle");
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.equal([first.requestId, first.traceId, first.n], ["req_1", root.traceId, 1]);
  assert.not("traceId" in second);
});

test.run();
