/** Tests the text of the front page. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { renderFrontPage } from "#lib/reference/front/page.ts";
import { renderPage } from "#lib/http/page.ts";

const test = suite("writeFront");

const FRONT = { url: "https://hubs.example.org", version: "0.2.0", works: true, portal: false };
const pageOf = (front: Partial<typeof FRONT> = {}) => renderPage(renderFrontPage({ ...FRONT, ...front }));

test("links to the reference, the changelog and the document, and loads nothing from elsewhere", () => {
  const hrefs = [...pageOf().matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.equal(hrefs, ["/api/docs", "/changelog", "/api/openapi.json"]);
});

test("links to the sign-in page first, if the portal is on", () => {
  const [first] = [...pageOf({ portal: true }).matchAll(/<a [^>]*href="([^"]+)"/g)];
  assert.is(first![1], "/sign-in");
  assert.not.match(pageOf(), "/sign-in");
});

test("shows how to sign in at this service's URL", () => {
  assert.match(pageOf(), "https://hubs.example.org/api/auth/login");
  assert.not.match(pageOf({ url: "https://<i>.example" }), "<i>.example");
});

test("shows whether the service is ready, and links to failing checks", () => {
  assert.match(pageOf(), "Healthy");
  assert.not.match(pageOf(), "/api/readyz");
  assert.match(pageOf({ works: false }), /Not ready; <a href="\/api\/readyz">/);
});

test.run();
