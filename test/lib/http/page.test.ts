import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { contentSecurityPolicy, type HtmlPage, markup, renderPage, trustedMarkup } from "#lib/http/page.ts";
import { toResponse } from "#lib/http/response.ts";
import { html } from "#lib/http/reply.ts";

const test = suite("html");

const page: HtmlPage = {
  title: "A <title>",
  style: "p { color: red }",
  script: "console.log(1 < 2)",
  body: markup`<p>${"<script>alert(1)</script>"}</p>`,
};

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A page as a browser receives it. */
const opened = (status?: number): Response => toResponse(html(status).send(page));

test("escapes what it is given, and takes markup as it is", async () => {
  const text = await opened().text();
  assert.match(text, "<title>A &lt;title&gt;</title>");
  assert.match(text, "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  assert.is(
    String(markup`<a title="${'"x'}">${markup`<b>1</b>`}${trustedMarkup("<hr>")}</a>`),
    '<a title="&quot;x"><b>1</b><hr></a>',
  );
});

test("has the style and the script whose hashes its policy names, and no other", async () => {
  const response = opened();
  const policy = response.headers.get("content-security-policy") ?? "";
  const text = await response.text();
  const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)],
    scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)];
  assert.equal([styles.length, scripts.length], [1, 1]);
  assert.match(policy, `style-src ${hashOf(styles[0]![1]!)}`);
  assert.match(policy, `script-src ${hashOf(scripts[0]![1]!)}`);
});

test("lets a page without a script run none", () => {
  const { script: _, ...still } = page;
  assert.not.match(contentSecurityPolicy(still), "script-src");
  assert.not.match(renderPage(still), "<script>");
  assert.match(contentSecurityPolicy(still), "default-src 'none'");
});

test("is not kept by caches, and says its type and its status", () => {
  const { status, headers } = opened(404);
  assert.is(status, 404);
  assert.is(headers.get("content-type"), "text/html; charset=utf-8");
  assert.is(headers.get("cache-control"), "no-store");
  for (const rule of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    assert.match(headers.get("content-security-policy") ?? "", rule);
  }
});

test("is made of values that are there: a promise would come out as its name", () => {
  assert.throws(() => markup`<p>${Promise.resolve("later")}</p>`, /Await promises/);
});

test.run();
