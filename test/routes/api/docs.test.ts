import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { openTestHandler } from "#test/support/handler.ts";

const test = suite("GET /api/docs");
const { send } = await openTestHandler(manifest);

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test("is public, with any credentials", async () => {
  const { status, headers, body } = await send("/api/docs", { headers: { authorization: "Bearer nonsense" } });
  assert.is(status, 200);
  assert.is(headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(body, "<h1>Wheelwright API</h1>");
});

test("has its own content security policy, which allows only its style and script", async () => {
  const { headers, body } = await send("/api/docs");
  const [, style] = /<style>(.*?)<\/style>/s.exec(body) ?? [], [, script] = /<script>(.*?)<\/script>/s.exec(body) ?? [];
  assert.is(
    headers.get("content-security-policy"),
    `default-src 'none'; style-src ${hashOf(style!)}; script-src ${hashOf(script!)}; img-src data:; ` +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  assert.is(headers.get("x-frame-options"), "DENY");
  assert.is(headers.get("referrer-policy"), "no-referrer");
});

test("describes the server that answers", async () => {
  const page = await send("/api/docs"), document = await send("/api/openapi.json");
  assert.match(page.body, document.body.info.version);
});

test.run();
