/** Tests the page that users see if a request fails: its message and Retry-After. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Manifest } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { openServer, type Server } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

const test = suite<{ db: TestDatabase; server: Server; underWay: Promise<void> }>(
  "a page that cannot be answered",
);
const PAGES = ["/", "/changelog", "/api/docs", "/invite?token=x", "/reset?token=x", "/verify?token=x"];

test.before.each(async (context) => {
  const db = context.db = await openTestDatabase();
  const received = Promise.withResolvers<void>();
  context.underWay = received.promise;
  const endless = () => {
    received.resolve();
    return new Promise<never>(() => {});
  };
  const slow: Manifest = manifest.map(([pattern, { GET, ...others }]) =>
    GET && pattern.endsWith("/changelog") ? [pattern, { ...others, GET: { ...GET, handle: endless } }] : [pattern, {
      ...others,
      ...(GET && { GET }),
    }]
  );
  const app = await createTestApp(db, { MAX_IN_FLIGHT: "1", REQUEST_TIMEOUT_MS: "1000" });
  context.server = openServer(app, slow);
});
test.after.each(({ db }) => db.close());

const ask = (server: Server, path: string, accept = "text/html,*/*;q=0.8") =>
  server.request(new Request(new URL(path, "http://localhost:3000"), { headers: { accept } }));

async function assertPage(response: Response, status: number, words: RegExp): Promise<void> {
  const { headers } = response;
  assert.is(response.status, status);
  assert.match(headers.get("content-type")!, /^text\/html/);
  assert.ok(Number(headers.get("retry-after")) >= 1);
  assert.match(headers.get("content-security-policy")!, "style-src 'sha256-");
  const text = await response.text();
  assert.match(text, words);
  assert.match(text, "Temporarily unavailable");
}

test("answers a page: 503 while overloaded, 504 after the time limit", async ({ server, underWay }) => {
  const late = ask(server, "/changelog");
  await underWay;
  const refused = await Promise.all(PAGES.map((path) => ask(server, path)));
  const { length } = refused.filter(({ status }) => status === 503);
  assert.ok(length >= 3, `${length} were shed`);
  for (const response of refused.filter(({ status }) => status === 503)) {
    await assertPage(response, 503, /The server is overloaded/);
  }
  await assertPage(await late, 504, /longer than the limit of 1 s/);
});

test("answers JSON to programs", async ({ server, underWay }) => {
  const late = ask(server, "/api/changelog");
  await underWay;
  for (const [path, accept] of [["/api/changelog", "text/html"], ["/changelog", "*/*"]] as const) {
    const shed = await ask(server, path, accept);
    assert.equal([shed.status, (await shed.json()).statusCode], [503, 503]);
  }
  assert.is((await (await late).json()).statusCode, 504);
});

test.run();
