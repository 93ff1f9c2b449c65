import { suite } from "uvu";
import * as assert from "uvu/assert";
import { curlOf, jsonMarkup, pathMarkup, proseMarkup } from "#lib/reference/page/code.ts";
import type { PageEntry } from "#lib/reference/page/document.ts";

const test = suite("curlOf");

const entry: PageEntry = {
  operationId: "postThings",
  tags: ["Things"],
  summary: "Make a thing",
  description: "",
  parameters: [{ name: "thingId", in: "path", required: true, schema: { type: "string" }, example: "th_1" }],
  requestBody: { required: true, content: { "application/json": { schema: {}, example: { name: "it's" } } } },
  responses: {},
  "x-scope": "cli",
  method: "POST",
  path: "/api/things/{thingId}",
};
const { requestBody: _, ...bare } = entry;

test("gives a shell what it takes, quotes and all", () => {
  assert.is(
    curlOf(entry),
    [
      "curl -s",
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"name":"it'\\''s"}'`,
      '"$URL/api/things/th_1"',
    ].join(" \\\n  "),
  );
});

test("names the method where curl would take another", () => {
  assert.match(curlOf({ ...bare, method: "DELETE" }), "curl -s -X DELETE");
  assert.match(curlOf(bare), "curl -s -X POST");
  assert.not.match(curlOf({ ...bare, method: "GET" }), "-X");
});

test("brings the credential that the endpoint asks for", () => {
  assert.match(curlOf({ ...entry, "x-scope": "session" }), "-b jar \\");
  assert.match(curlOf({ ...entry, "x-scope": "flow" }), "-b jar -c jar");
  assert.not.match(curlOf({ ...bare, "x-scope": "public" }), "Authorization");
});

test("keeps a stream unbuffered, and brings a key where one is taken", () => {
  const stream = { "200": { description: "", headers: {}, content: { "text/event-stream": { schema: {} } } } };
  assert.match(curlOf({ ...bare, method: "GET", responses: stream }), "curl -sN");
  const key = { name: "Idempotency-Key", in: "header", required: false, schema: {}, example: "k1" } as const;
  assert.match(curlOf({ ...entry, parameters: [...entry.parameters, key] }), "-H 'Idempotency-Key: k1'");
});

test("sets names and words of JSON apart, and escapes what it holds", () => {
  assert.is(
    String(jsonMarkup({ "a<b": ["x: true <", -1.5, null] })).replace(/\s+/g, " "),
    "{ <b>&quot;a&lt;b&quot;</b>: [ &quot;x: true &lt;&quot;, <i>-1.5</i>, <i>null</i> ] }",
  );
});

test("marks code in prose and parameters in paths", () => {
  assert.is(String(proseMarkup("send `a<b` on")), "send <code>a&lt;b</code> on");
  assert.is(String(proseMarkup("**never** `**x**`")), "<strong>never</strong> <code>**x**</code>");
  assert.is(String(proseMarkup("a ` b ** c <i>")), "a ` b ** c &lt;i&gt;");
  assert.is(String(pathMarkup("/api/{id}/x")), "/api<wbr>/<em>{id}</em><wbr>/x");
});

test.run();
