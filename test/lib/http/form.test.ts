import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { okReply } from "#lib/http/reply.ts";
import { openTestHandler, type TestHandler } from "#test/support/handler.ts";

const Any = v.record(v.string(), v.string());
const page = (text: string): HtmlPage => ({ title: text, style: "", body: markup`<p>${text}</p>` });

const POST = endpoint({
  summary: "A form",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: Any,
  reply: okReply(Any),
  handle: ({ body }) => body,
});
const withErrorPage = endpoint({ ...POST, errorPage: ({ statusCode, message }) => page(`${statusCode} ${message}`) });

const test = suite<{ handler: TestHandler }>("readForm");

test.before(async (context) => {
  context.handler = await openTestHandler([["/form", { POST }], ["/page", { POST: withErrorPage }]]);
});

const TYPE = "application/x-www-form-urlencoded";
const send = (handler: TestHandler, body: BodyInit, type = TYPE, path = "/form") =>
  handler.send(path, { method: "POST", headers: { "content-type": type }, body });

test("reads each field as text", async ({ handler }) => {
  const sent = await send(handler, "a=1+2&b=%C3%A4%26&c", `${TYPE}; charset=UTF-8`);
  assert.equal([sent.status, sent.body], [200, { a: "1 2", b: "ä&", c: "" }]);
});

test("refuses other types, bad encoding, repeated fields and large bodies", async ({ handler }) => {
  const cases: [number, BodyInit, string?][] = [
    [415, "{}", "application/json"],
    [415, "a=1", "text/plain"],
    [415, "a=1", "multipart/form-data; boundary=x"],
    [400, "a=%ff"],
    [400, new Uint8Array([97, 61, 255])],
    [400, "a=%zz"],
    [400, "a=1&a=2"],
    [413, "a=" + "x".repeat(300_000)],
  ];
  for (const [status, body, type] of cases) {
    const refused = await send(handler, body, type);
    assert.is(refused.status, status);
    assert.is(refused.body.statusCode, status);
  }
});

test("keeps the input out of the log", async ({ handler }) => {
  await send(handler, "password=my-secret&x=%zz");
  assert.not.match(JSON.stringify(handler.log), "my-secret");
});

test("refuses forms of other sites", async ({ handler }) => {
  const headers = { "content-type": TYPE };
  for (const more of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }, { origin: "null" }]) {
    const refused = await handler.send("/form", {
      method: "POST",
      headers: { ...headers, ...more as object },
      body: "a=1",
    });
    assert.is(refused.status, 403);
  }
});

test("renders errors as the endpoint's error page", async ({ handler }) => {
  const refused = await send(handler, "a=1&a=2", TYPE, "/page");
  assert.is(refused.status, 400);
  assert.is(refused.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(refused.headers.get("content-security-policy")!, "style-src 'sha256-");
  assert.match(refused.body, "<p>400 The form must be");
});

test.run();
