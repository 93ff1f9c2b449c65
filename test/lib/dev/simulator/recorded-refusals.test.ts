/**
 * Repeats several hundred invalid requests, and compares the answers with those of a real API server
 * (test/data/kube/refusals.json).
 *
 * The recorded requests in transcript.json are from another release. Where both print a value differently, the simulator
 * follows transcript.json.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#test/lib/dev/simulator/kube-client.ts";

interface Exchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: Json;
    readonly type?: string;
    readonly headers?: Record<string, string>;
  };
  readonly answer: { readonly status: number; readonly body?: Json; readonly text?: string };
}

/** Requests for which neither status nor message is simulated. */
const NOT_IMITATED: Readonly<Record<string, string>> = {
  "create with a field twice, strict": "JSON is read by the platform, which takes the last of two",
  "create with a field twice, warned": "the same; and what it would have made is made here",
  "annotation key upper case prefix": "annotations' keys are judged as labels' are, which is stricter",
  "strategic merge patch": "there is none here: it is refused as an unsupported type",
  "make the service account": "a namespace gets it by itself, as it does where controllers run",
  "apply to what is there in a namespace that goes": "controllers have emptied the namespace meanwhile",
  "job with a selector of its own": "a selector that nobody asked to be manual is taken as it is",
};

/** Requests that are rejected with the same status and causes, but another message. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  "create with a wrong type": "the path of a field is Go's",
  "create with a wrong type, nested": "the same",
  "create with a list for a map": "the same",
  "json patch with a wrong type": "the whole object is printed, and in another order",
  "json patch with an unknown field, strict": "the same",
  "merge patch with a wrong type": "the same",
  "apply of bad YAML": "the words are the YAML library's",
  "apply with a wrong type, nested": "the transcript's release prints the value",
  "delete with a broken body": "the words of all broken bodies",
  "delete with another kind": "the real one names a line of its source",
  "generateName that is bad": "only the generated name is checked",
  "job named with 64 letters": "the name is refused, and also the label with it",
  "pod with privilege that must not escalate": "a Go struct is printed",
  "ingress for a bad wildcard": "the message is that for hosts without a wildcard",
  "shrink a claim that is not bound": "the difference is printed in Go's notation",
  "scale below zero": "refused as the Deployment, not as its Scale",
};

/** Requests with values or names that another Kubernetes release prints differently. */
const OTHER_VALUES = [
  /^(service|stateful set|namespace) named with a dot$/,
  /^label (key|prefix|value) /,
  /^deployment (without|with an empty|with a selector|with a bad selector|with a restart)/,
  /^ingress without rules$/,
  /^change the (selector of a deployment|address of a service)$/,
  /^cron job scheduled as ("TZ=|"")/,
];

const { exchanges }: { exchanges: Exchange[] } = JSON.parse(
  readFileSync(new URL("../../../data/kube/refusals.json", import.meta.url), "utf8"),
);

const test = suite("invalid requests to the simulated cluster");
let simulator: Simulator;
test.before(async () => void (simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG })));
test.after(() => simulator.close());

for (const { name, request, answer } of exchanges) {
  test(`${name}: is answered as by a real cluster`, async () => {
    const got = await send(request);
    if (name in NOT_IMITATED) return;
    assert.is(got.status, answer.status, got.text.slice(0, 500));
    if (answer.text !== undefined && answer.status >= 400) return assert.is(got.text, answer.text);
    if (!answer.body) return;
    const [real, simulated] = [answer.body, JSON.parse(got.text)];
    assert.is(simulated.reason, real.reason);
    if (name in OTHER_WORDS || OTHER_VALUES.some((each) => each.test(name))) return;
    assert.equal(likeness(simulated), likeness(real));
  });
}

test("every exception is one of the recorded requests", () => {
  const names = new Set(exchanges.map(({ name }) => name));
  for (const name of [...Object.keys(NOT_IMITATED), ...Object.keys(OTHER_WORDS)]) assert.ok(names.has(name), name);
  for (const pattern of OTHER_VALUES) assert.ok([...names].some((name) => pattern.test(name)), String(pattern));
});

/** Removes values that differ between runs, and duplicate causes. Sorts the causes: conflicts have no fixed order. */
function likeness(status: Json): Json {
  const text = JSON.stringify(status)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => /^[0-]+$/.test(uid) ? uid : "UID")
    .replace(/(current: |in record \(|in object meta: )\d+/g, "$1N");
  const { details, ...rest } = JSON.parse(text);
  const causes = [...new Set((details?.causes ?? []).map((cause: Json) => JSON.stringify(cause)))].sort();
  return { ...rest, ...(details && { details: { ...details, causes } }) };
}

function send(asked: Exchange["request"]): Promise<{ status: number; text: string }> {
  const { method, path, type = "application/json", headers = {} } = asked;
  const body = asked.body === undefined ? undefined : expand(asked.body);
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const all = {
    "user-agent": "oracle/1",
    accept: "application/json",
    ...(bytes && { "content-length": String(bytes.length), ...(type && { "content-type": type }) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const out = request(simulator.url + path, { method, headers: all, agent: false }, (response) => {
      const pieces: Uint8Array[] = [];
      response.on("data", (piece: Uint8Array) => pieces.push(piece));
      response.on("end", () => resolve({ status: response.statusCode!, text: Buffer.concat(pieces).toString() }));
    });
    out.on("error", reject);
    out.end(bytes);
  });
}

/** Expands abbreviations: `«x*300»` is x 300 times. */
function expand(value: Json): Json {
  if (typeof value === "string") {
    const [, encoded, letter = "", count = ""] = /^«(base64 )?(.)\*(\d+)»$/.exec(value) ?? [];
    if (count === "") return value;
    const text = letter.repeat(Number(count));
    return encoded ? Buffer.from(text).toString("base64") : text;
  }
  if (Array.isArray(value)) {
    const [first] = value;
    if (first?.["«times»"]) return Array.from({ length: first["«times»"] }, () => first.of);
    return value.map(expand);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [expand(key), expand(inner)]));
}

test.run();
