/**
 * Repeats every recorded request to a real cluster, in order, and compares the answers field by field. Ignores fields
 * that differ between runs.
 */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { sleep } from "#lib/base/time.ts";
import { type Json, likeness, Names } from "#test/lib/dev/simulator/compare-answers.ts";

interface Exchange {
  name: string;
  request: { method: string; path: string; contentType?: string; body?: Json; watchForMs?: number };
  response: { status: number; body?: Json; warning?: string; events?: Json[] };
}

/** Requests whose answer is not simulated, with the reason. Only the status is compared. */
const NOT_IMITATED: Record<string, string> = {
  "core resources": "it names the kinds that it serves; bindings and component statuses are not among them",
  "apps resources": "the same: there is no daemon set controller, and nobody reads storage hashes",
  "claim: immutable change": "the message is a diff in Go's own notation; reason and field are compared below",
  "job: template changed": "the message is a dump of a Go struct; reason and field are compared below",
};

/** Requests whose answer depends on controllers. The test waits for the expected answer. */
const AFTER_A_WHILE = new Set([
  "claim",
  "deployment after a while",
  "deployment at zero",
  "its pods",
  "statefulset after a while",
  "job done",
  "job failed",
  "pods of the failed job",
  "log of its pod",
  "events",
  "namespace held by a finalizer",
]);

const transcript = JSON.parse(readFileSync(new URL("../../../data/kube/transcript.json", import.meta.url), "utf8"));
const exchanges: Exchange[] = transcript.exchanges;

const test = suite("recorded requests to a real cluster");
let simulator: Awaited<ReturnType<typeof openSimulator>>;
const names = new Names();

test.before(async () => {
  simulator = await openSimulator({ delayMs: 400, log: SILENT_LOG });
});
test.after(() => simulator.close());

for (const exchange of exchanges) {
  test(`${exchange.name}: is answered as recorded`, async () => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const got = await send(exchange);
      const wrong = compare(exchange, got);
      if (wrong === null) return;
      if (!AFTER_A_WHILE.has(exchange.name) || Date.now() > deadline) assert.unreachable(wrong);
      await sleep(20);
    }
  });
}

test("every exception is one of the recorded requests", () => {
  const recorded = new Set(exchanges.map((exchange) => exchange.name));
  assert.equal(Object.keys(NOT_IMITATED).filter((name) => !recorded.has(name)), []);
});

interface Got {
  status: number;
  warning: string | null;
  body: Json;
}

async function send({ request, response }: Exchange): Promise<Got> {
  const body = request.body === undefined
    ? undefined
    : typeof request.body === "string"
    ? request.body
    : names.translate(JSON.stringify(request.body));
  const cut = new AbortController();
  const answer = await fetch(simulator.url + names.translate(request.path), {
    method: request.method,
    headers: { "user-agent": "node", ...(request.contentType ? { "content-type": request.contentType } : {}) },
    signal: cut.signal,
    ...(body === undefined ? {} : { body }),
  });
  const warning = answer.headers.get("warning");
  if (response.events) {
    const ends = request.path.includes("timeoutSeconds=1&") || response.events.some((event) => event.type === "ERROR");
    const events = await readEvents(answer, ends ? Infinity : response.events.length);
    cut.abort();
    return { status: answer.status, warning, body: events };
  }
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, warning, body: json ? JSON.parse(text) : text };
}

async function readEvents(answer: Response, count: number): Promise<Json[]> {
  const events: Json[] = [];
  let rest = "";
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    events.push(...lines.map((line) => JSON.parse(line)));
    if (events.length >= count) break;
  }
  return events.map(({ type, object }) => ({
    type,
    kind: object.kind,
    ...(type === "ERROR"
      ? { code: object.code, reason: object.reason, message: object.message }
      : { name: object.metadata.name, resourceVersion: object.metadata.resourceVersion }),
  }));
}

/** Returns the difference from the recorded answer; null if they agree. */
function compare({ name, response }: Exchange, got: Got): string | null {
  if (got.status !== response.status) {
    return `status ${got.status}, not ${response.status}: ${JSON.stringify(got.body)}`;
  }
  if ((response.warning ?? null) !== got.warning) return `warning ${got.warning}, not ${response.warning}`;
  if (name in NOT_IMITATED) {
    if (response.status < 400) return null;
    const gist = ({ reason, code, details }: Json) => ({
      reason,
      code,
      details: { ...details, causes: details.causes.map(({ reason, field }: Json) => ({ reason, field })) },
    });
    return likeness(gist(response.body), gist(got.body), names);
  }
  return likeness(response.events ?? response.body, got.body, names);
}

test.run();
