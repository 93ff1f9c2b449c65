import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clearedCookie, findPublicUrlProblem, readCookie, sessionCookie } from "#lib/domains/auth/cookie.ts";

const PUBLIC = new URL("https://hubs.example.org"), LOCAL = new URL("http://localhost:3000");

const test = suite("sessionCookie");

test("is tied to its host and to TLS, hidden from scripts, and lasts 30 days", () => {
  const expected = "__Host-wheelwright=abc; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax";
  assert.is(sessionCookie(PUBLIC, "abc"), expected);
});

test("goes without TLS on plain HTTP on this machine alone", () => {
  const places = ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "http://hubs.localhost"];
  for (const place of places) assert.match(sessionCookie(new URL(place), "abc"), /^wheelwright=(?!.*Secure)/);
  const others = [
    "https://localhost",
    "http://hubs.example.org",
    "http://127.example.org",
    "http://localhost.example.org",
  ];
  for (const place of others) assert.match(sessionCookie(new URL(place), "abc"), /^__Host-wheelwright=.*Secure/);
});

test("is told to be in vain where users come over plain HTTP from elsewhere, and an address that leads to no other machine", () => {
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

test("is cleared under the same name and attributes, or a browser would keep it", () => {
  assert.is(clearedCookie(PUBLIC), "__Host-wheelwright=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
});

test.run();

const reading = suite("readCookie");

reading("finds it among others", () => {
  assert.is(readCookie(LOCAL, asked("a=b; wheelwright=abc;c=d")), "abc");
  assert.is(readCookie(PUBLIC, asked("wheelwright=no; __Host-wheelwright=abc")), "abc");
});

reading("is null where there is none, or only one of another name", () => {
  for (const cookie of ["", ";", "xwheelwright=abc", "wheelwrightx=abc", "a=wheelwright", "=abc"]) {
    assert.is(readCookie(LOCAL, asked(cookie)), null, cookie);
  }
  assert.is(readCookie(LOCAL, new Request("http://localhost/")), null);
  assert.is(readCookie(PUBLIC, asked("wheelwright=abc")), null);
});

reading.run();

function asked(cookie: string): Request {
  return new Request("http://localhost:3000/", { headers: { cookie } });
}
