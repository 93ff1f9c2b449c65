import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HttpResponse } from "#lib/http/response.ts";
import { compressResponse } from "#lib/http/compress.ts";
import type { HttpExchange } from "#lib/http/exchange.ts";

const test = suite("compressResponse");

const TEXT = "a line that is there many times\n".repeat(100);
const JSON_TYPE = "application/json", HTML = "text/html; charset=utf-8";

async function answerTo(
  made: Partial<HttpResponse>,
  headers: Record<string, string> = { "accept-encoding": "gzip, br" },
  method = "GET",
) {
  const request = new Request("http://localhost/", { method, headers });
  const answer: HttpResponse = { status: 200, headers: { "content-type": JSON_TYPE }, body: TEXT, ...made };
  return await compressResponse({ request } as HttpExchange, () => Promise.resolve(answer));
}

const unpacked = ({ body }: HttpResponse) => gunzipSync(body as Uint8Array).toString();

test("compresses text, JSON and pages for clients that accept gzip, with Vary", async () => {
  for (const type of [JSON_TYPE, HTML, "text/plain", "text/css; charset=utf-8", "image/svg+xml"]) {
    const answer = await answerTo({ headers: { "content-type": type } });
    assert.equal([answer.headers["content-encoding"], answer.headers.vary], ["gzip", "accept-encoding"], type);
    assert.is(unpacked(answer), TEXT);
    assert.ok((answer.body as Uint8Array).length < 200);
  }
});

test("compresses byte bodies and large bodies", async () => {
  const large = TEXT.repeat(200);
  assert.is(unpacked(await answerTo({ body: new TextEncoder().encode(large) })), large);
});

test("does not compress for other clients, and sends the same Vary", async () => {
  for (const accept of [undefined, "br", "gzip;q=0", "identity"]) {
    const answer = await answerTo({}, accept === undefined ? {} : { "accept-encoding": accept });
    assert.equal([answer.body, answer.headers["content-encoding"], answer.headers.vary], [
      TEXT,
      undefined,
      "accept-encoding",
    ]);
  }
});

test("does not compress small, binary, streamed or compressed responses, new sessions or POST", async () => {
  const flow = { run: () => Promise.resolve(), cancel() {} };
  const plain: readonly (readonly [Partial<HttpResponse>, string?])[] = [
    [{ body: "short" }],
    [{ headers: { "content-type": "image/png" } }],
    [{ headers: { "content-type": "text/event-stream" }, body: flow }],
    [{ headers: { "content-type": JSON_TYPE, "content-encoding": "gzip", vary: "accept-encoding" } }],
    [{ headers: { "content-type": JSON_TYPE, "set-cookie": "session=1" } }],
    [{}, "POST"],
  ];
  for (const [made, method] of plain) {
    const { body } = await answerTo(made, undefined, method);
    assert.is(body, made.body ?? TEXT);
  }
});

test("does not compress no-store pages, which may contain a secret and text from the URL", async () => {
  const { body, headers } = await answerTo({ headers: { "content-type": HTML, "cache-control": "no-store" } });
  assert.equal([body, headers["content-encoding"]], [TEXT, undefined]);
  const cacheable = await answerTo({ headers: { "content-type": HTML, "cache-control": "private, no-cache" } });
  assert.is(cacheable.headers["content-encoding"], "gzip");
});

test("sends another ETag for compressed bytes", async () => {
  const headers = { "content-type": JSON_TYPE, etag: '"abc"' };
  assert.is((await answerTo({ headers: { ...headers } })).headers.etag, '"abc-gzip"');
  assert.is((await answerTo({ headers: { ...headers } }, {})).headers.etag, '"abc"');
});

test.run();
