import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { markup } from "#lib/http/page.ts";
import { htmlReply, noContentReply, okReply } from "#lib/http/reply.ts";
import { openTestHandler } from "#test/support/handler.ts";

const test = suite("revalidate");

let value = 1, made = 1;
const get = (more: { readonly [K in keyof AnyEndpoint]?: AnyEndpoint[K] | undefined } = {}) =>
  endpoint({
    summary: "Get",
    access: publicAccess,
    scope: "public",
    cacheSeconds: 300,
    reply: okReply(v.object({ seen: v.number() })),
    handle: () => ({ seen: value }),
    ...more,
  } as AnyEndpoint) as AnyEndpoint;

const page = get({
  reply: htmlReply(),
  handle: () => ({ title: "Page", style: "p { color: red }", body: markup`<p>Hi</p>` }),
});
const refusing = get({ handle: () => Promise.reject(new Fault("missing", "no_route", "Nothing")) });

const { send, server } = await openTestHandler([
  ["/api/polled", { GET: get({ cacheSeconds: undefined, polled: true }) }],
  ["/api/x", { GET: get() }],
  ["/api/refused", { GET: refusing }],
  ["/api/nothing", { GET: get({ reply: noContentReply, handle: () => undefined }) }],
  ["/api/plain", { GET: get({ cacheSeconds: undefined }) }],
  ["/page", { GET: page }],
  ["/api/once", { GET: get({ renderedOnce: true, handle: () => ({ seen: made++ }) }) }],
]);

const ask = async (path: string, etag?: string, method = "GET") =>
  await send(path, { method, headers: etag === undefined ? {} : { "if-none-match": etag } });

test("sends an ETag and max-age", async () => {
  const { status, headers, body } = await ask("/api/x");
  assert.is(status, 200);
  assert.equal(body, { seen: 1 });
  assert.match(headers.get("etag") ?? "", /^"[\w-]{22}"$/);
  assert.is(headers.get("cache-control"), "public, max-age=300");
  assert.is(headers.get("content-type"), "application/json");
});

for (
  const [encodings, packed] of [
    ["gzip, br", true],
    ["br;q=1.0, gzip;q=0.5", true],
    ["*", true],
    ["gzip;q=0", false],
    ["gzip;q=0.0, *", false],
    ["br", false],
    ["", false],
  ] as const
) {
  test(`sends a response that is rendered once ${packed ? "compressed" : "uncompressed"} for "${encodings}"`, async () => {
    const headers = { "accept-encoding": encodings };
    const fetch = (more = {}) =>
      server.request(new Request("http://localhost:3000/api/once", { headers: { ...headers, ...more } }));
    const answer = await fetch(),
      { status, headers: told } = answer,
      bytes = new Uint8Array(await answer.arrayBuffer());
    assert.is(status, 200);
    assert.is(told.get("content-encoding"), packed ? "gzip" : null);
    assert.is(told.get("vary"), "accept-encoding");
    const text = new TextDecoder().decode(packed ? gunzipSync(bytes) : bytes);
    assert.equal(Object.keys(JSON.parse(text)), ["seen"]);
    const etag = told.get("etag")!;
    const again = await fetch({ "if-none-match": etag });
    assert.equal([again.status, again.headers.get("etag")], [304, etag]);
  });
}

test("answers polls with 304 and forbids caching", async () => {
  const first = await ask("/api/polled"), etag = first.headers.get("etag")!;
  assert.is(first.headers.get("cache-control"), "no-store");
  const again = await ask("/api/polled", etag);
  assert.equal([again.status, again.body, again.headers.get("etag")], [304, "", etag]);
  value = 2;
  const changed = await ask("/api/polled", etag);
  value = 1;
  assert.equal([changed.status, changed.body], [200, { seen: 2 }]);
  assert.is.not(changed.headers.get("etag"), etag);
});

test("answers 304 without a body to a matching ETag, also as rewritten by proxies", async () => {
  const etag = (await ask("/api/x")).headers.get("etag")!;
  for (const matching of [etag, `W/${etag}`, `"other", W/${etag}`, "*", `"a,b",${etag}`]) {
    const { status, headers, body } = await ask("/api/x", matching);
    assert.is(status, 304, matching);
    assert.is(body, "");
    assert.is(headers.get("etag"), etag);
    assert.is(headers.get("cache-control"), "public, max-age=300");
    assert.is(headers.get("content-type"), null);
    assert.ok(headers.get("x-request-id"));
  }
  const head = await ask("/api/x", etag, "HEAD");
  assert.is(head.status, 304);
});

test("answers in full to other and invalid ETags", async () => {
  const etag = (await ask("/api/x")).headers.get("etag")!;
  for (const other of ['"other"', "", etag.slice(1, -1), etag.slice(0, -1), '"', "W/*"]) {
    assert.is((await ask("/api/x", other)).status, 200, other);
  }
});

test("sends another ETag for other content, and the same for HEAD", async () => {
  const before = (await ask("/api/x")).headers.get("etag")!;
  assert.is((await ask("/api/x", undefined, "HEAD")).headers.get("etag"), before);
  value = 2;
  const { status, headers } = await ask("/api/x", before);
  value = 1;
  assert.is(status, 200);
  assert.is.not(headers.get("etag"), before);
});

test("sends the page's own policy with a 304", async () => {
  const { headers } = await ask("/page"), again = await ask("/page", headers.get("etag")!);
  assert.is(again.status, 304);
  assert.match(headers.get("content-security-policy") ?? "", "style-src 'sha256-");
  assert.is(again.headers.get("content-security-policy"), headers.get("content-security-policy"));
});

test("forbids caching of errors, empty responses and other endpoints", async () => {
  for (const [path, status] of [["/api/refused", 404], ["/api/nothing", 204], ["/api/plain", 200]] as const) {
    const answer = await ask(path, "*");
    assert.is(answer.status, status);
    assert.is(answer.headers.get("cache-control"), "no-store");
    assert.is(answer.headers.get("etag"), null);
  }
});

test("throws for cacheSeconds on an endpoint that is not public", async () => {
  for (const scope of ["readonly", "session", "flow"] as const) {
    const error = await openTestHandler([["/api/x", { GET: get({ scope }) }]]).then(() => null, (error) => error);
    assert.match(error?.message ?? "", "/api/x must have the scope public");
  }
});

test("renders a constant response once, and still validates each request", async () => {
  for (let i = 0; i < 3; i++) assert.equal((await ask("/api/once")).body, { seen: 1 });
  assert.is(made, 2);
  assert.is((await ask("/api/once", (await ask("/api/once")).headers.get("etag")!)).status, 304);
  assert.is((await ask("/api/once", undefined, "HEAD")).body, "");
  assert.is((await ask("/api/once?a=1&a=2")).status, 400);
});

test.run();
