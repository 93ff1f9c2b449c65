import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  createExpiredSessionCookie,
  createSessionCookie,
  findPublicUrlProblem,
  readSessionCookie,
} from "#lib/domains/auth/cookie.ts";

const PUBLIC = new URL("https://hubs.example.org"), LOCAL = new URL("http://localhost:3000");

const test = suite("createSessionCookie");

test("is restricted to its host and TLS, hidden from scripts, and lasts 30 days", () => {
  const expected = "__Host-wheelwright=abc; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax";
  assert.is(createSessionCookie(PUBLIC, "abc"), expected);
});

test("omits the Secure flag only for plain HTTP on localhost", () => {
  const places = ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "http://hubs.localhost"];
  for (const place of places) assert.match(createSessionCookie(new URL(place), "abc"), /^wheelwright=(?!.*Secure)/);
  const others = [
    "https://localhost",
    "http://hubs.example.org",
    "http://127.example.org",
    "http://localhost.example.org",
  ];
  for (const place of others) assert.match(createSessionCookie(new URL(place), "abc"), /^__Host-wheelwright=.*Secure/);
});

test("reports a public URL with plain HTTP, or one that other machines cannot reach", () => {
  assert.is(findPublicUrlProblem(new URL("https://hubs.example.org")), null);
  for (const local of ["http://localhost:3000", "http://127.0.0.1", "https://hubs.localhost"]) {
    assert.match(
      findPublicUrlProblem(new URL(local))!,
      /^PUBLIC_URL \S+ points to the local machine, /,
      local,
    );
  }
  for (const bad of ["http://192.0.2.2:4998", "http://hubs.example.org", "http://localhost.example.org"]) {
    assert.match(findPublicUrlProblem(new URL(bad))!, /^PUBLIC_URL is http: browsers drop the session cookie/, bad);
  }
});

test("is cleared with the same name and attributes", () => {
  assert.is(
    createExpiredSessionCookie(PUBLIC),
    "__Host-wheelwright=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  );
});

test.run();

const reading = suite("readSessionCookie");

reading("finds the cookie among others", () => {
  assert.is(readSessionCookie(LOCAL, requestWith("a=b; wheelwright=abc;c=d")), "abc");
  assert.is(readSessionCookie(PUBLIC, requestWith("wheelwright=no; __Host-wheelwright=abc")), "abc");
});

reading("returns null without the cookie, or with another name", () => {
  for (const cookie of ["", ";", "xwheelwright=abc", "wheelwrightx=abc", "a=wheelwright", "=abc"]) {
    assert.is(readSessionCookie(LOCAL, requestWith(cookie)), null, cookie);
  }
  assert.is(readSessionCookie(LOCAL, new Request("http://localhost/")), null);
  assert.is(readSessionCookie(PUBLIC, requestWith("wheelwright=abc")), null);
});

reading.run();

function requestWith(cookie: string): Request {
  return new Request("http://localhost:3000/", { headers: { cookie } });
}
