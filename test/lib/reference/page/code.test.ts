import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildCurlCommand, highlightJson, renderEndpointPath, renderInlineMarkdown } from "#lib/reference/page/code.ts";
import type { EndpointEntry } from "#lib/reference/document.ts";

const test = suite("buildCurlCommand");

const entry: EndpointEntry = {
  operationId: "postThings",
  tags: ["Things"],
  summary: "Make a thing",
  description: "",
  parameters: [{ name: "thingId", in: "path", required: true, schema: { type: "string" }, example: "th_1" }],
  requestBody: { required: true, content: { "application/json": { schema: {}, example: { name: "it's" } } } },
  responses: {},
  "x-scope": "cli",
  "x-faults": [],
  method: "POST",
  path: "/api/things/{thingId}",
};
const { requestBody: _, ...bare } = entry;

test("quotes text for the shell", () => {
  assert.is(
    buildCurlCommand(entry),
    [
      "curl -s",
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"name":"it'\\''s"}'`,
      '"$URL/api/things/th_1"',
    ].join(" \\\n  "),
  );
});

test("sets the method if curl would use another one", () => {
  assert.match(buildCurlCommand({ ...bare, method: "DELETE" }), "curl -s -X DELETE");
  assert.match(buildCurlCommand(bare), "curl -s -X POST");
  assert.not.match(buildCurlCommand({ ...bare, method: "GET" }), "-X");
});

test("sends the credential that the endpoint needs", () => {
  assert.match(buildCurlCommand({ ...entry, "x-scope": "session" }), "-b jar \\");
  assert.match(buildCurlCommand({ ...entry, "x-scope": "flow" }), "-b jar -c jar");
  assert.not.match(buildCurlCommand({ ...bare, "x-scope": "public" }), "Authorization");
});

test("keeps a stream unbuffered, and sends an idempotency key where one is accepted", () => {
  const stream = { "200": { description: "", headers: {}, content: { "text/event-stream": { schema: {} } } } };
  assert.match(buildCurlCommand({ ...bare, method: "GET", responses: stream }), "curl -sN");
  const key = { name: "Idempotency-Key", in: "header", required: false, schema: {}, example: "k1" } as const;
  assert.match(buildCurlCommand({ ...entry, parameters: [...entry.parameters, key] }), "-H 'Idempotency-Key: k1'");
});

test("highlights names and literals of JSON, and escapes text", () => {
  assert.is(
    String(highlightJson({ "a<b": ["x: true <", -1.5, null] })).replace(/\s+/g, " "),
    "{ <b>&quot;a&lt;b&quot;</b>: [ &quot;x: true &lt;&quot;, <i>-1.5</i>, <i>null</i> ] }",
  );
});

test("highlights code in prose and parameters in paths", () => {
  assert.is(String(renderInlineMarkdown("send `a<b` on")), "send <code>a&lt;b</code> on");
  assert.is(String(renderInlineMarkdown("**never** `**x**`")), "<strong>never</strong> <code>**x**</code>");
  assert.is(String(renderInlineMarkdown("a ` b ** c <i>")), "a ` b ** c &lt;i&gt;");
  assert.is(String(renderEndpointPath("/api/{id}/x")), "/api<wbr>/<em>{id}</em><wbr>/x");
});

test.run();
