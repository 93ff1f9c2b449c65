/** Tests the text of the front page. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeFront } from "#lib/reference/front/page.ts";
import { renderPage } from "#lib/http/page.ts";

const test = suite("writeFront");

const FRONT = { url: "https://hubs.example.org", version: "0.2.0", works: true, portal: false };
const pageOf = (front: Partial<typeof FRONT> = {}) => renderPage(writeFront({ ...FRONT, ...front }));

test("leads to the reference, the changelog and the document, and asks nobody else for anything", () => {
  const hrefs = [...pageOf().matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.equal(hrefs, ["/api/docs", "/changelog", "/api/openapi.json"]);
});

test("leads to the page to sign in on first, where there is one", () => {
  const [first] = [...pageOf({ portal: true }).matchAll(/<a [^>]*href="([^"]+)"/g)];
  assert.is(first![1], "/sign-in");
  assert.not.match(pageOf(), "/sign-in");
});

test("says how to sign in at this deployment's own address", () => {
  assert.match(pageOf(), "https://hubs.example.org/api/auth/login");
  assert.not.match(pageOf({ url: "https://<i>.example" }), "<i>.example");
});

test("says whether it works, and where one sees what is missing", () => {
  assert.match(pageOf(), "Healthy");
  assert.not.match(pageOf(), "/api/readyz");
  assert.match(pageOf({ works: false }), /Not ready; <a href="\/api\/readyz">/);
});

test.run();
