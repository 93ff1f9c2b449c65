import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildContentSecurityPolicy, type HtmlPage, markup, renderPage, trustedMarkup } from "#lib/http/page.ts";
import { toResponse } from "#lib/http/response.ts";
import { htmlReply } from "#lib/http/reply.ts";

const test = suite("renderPage");

const page: HtmlPage = {
  title: "A <title>",
  style: "p { color: red }",
  script: "console.log(1 < 2)",
  body: markup`<p>${"<script>alert(1)</script>"}</p>`,
};

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A page as a browser receives it. */
const opened = (status?: number): Response => toResponse(htmlReply(status).send(page));

test("escapes text and inserts markup unchanged", async () => {
  const text = await opened().text();
  assert.match(text, "<title>A &lt;title&gt;</title>");
  assert.match(text, "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  assert.is(
    String(markup`<a title="${'"x'}">${markup`<b>1</b>`}${trustedMarkup("<hr>")}</a>`),
    '<a title="&quot;x"><b>1</b><hr></a>',
  );
});

test("allows only its own style and script, by hash", async () => {
  const response = opened();
  const policy = response.headers.get("content-security-policy") ?? "";
  const text = await response.text();
  const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)],
    scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)];
  assert.equal([styles.length, scripts.length], [1, 1]);
  assert.match(policy, `style-src ${hashOf(styles[0]![1]!)}`);
  assert.match(policy, `script-src ${hashOf(scripts[0]![1]!)}`);
});

test("forbids scripts on a page without one", () => {
  const { script: _, ...still } = page;
  assert.not.match(buildContentSecurityPolicy(still), "script-src");
  assert.not.match(renderPage(still), "<script>");
  assert.match(buildContentSecurityPolicy(still), "default-src 'none'");
});

test("sends no-store, content type and status", () => {
  const { status, headers } = opened(404);
  assert.is(status, 404);
  assert.is(headers.get("content-type"), "text/html; charset=utf-8");
  assert.is(headers.get("cache-control"), "no-store");
  for (const rule of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    assert.match(headers.get("content-security-policy") ?? "", rule);
  }
});

test("throws for a promise in markup", () => {
  assert.throws(() => markup`<p>${Promise.resolve("later")}</p>`, /Await promises/);
});

test.run();
