import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { LoginBody, NewTokenView, TokenView } from "#lib/domains/auth/views.ts";

const test = suite("LoginBody");

test("accepts an address in any case and a password of any Unicode text", () => {
  const input = { email: " Ada@Example.ORG ", password: " e\u0301 🔑\t\u0007 " };
  assert.equal(v.parse(LoginBody, input), { email: "ada@example.org", password: input.password });
});

test("does not apply the rules for new passwords", () => {
  for (const password of ["x", "password", "y".repeat(4096)]) {
    assert.ok(v.is(LoginBody, { email: "a@example.org", password }));
  }
  for (const password of ["", "y".repeat(4097), "\0", "\udc00", 12345, null, undefined, { $gt: "" }, ["x"]]) {
    assert.not(v.is(LoginBody, { email: "a@example.org", password }), JSON.stringify(password));
  }
});

test("rejects an invalid address", () => {
  for (
    const email of ["", "x", "a@", "a b@example.org", "a\0@example.org", "a@example.org\n\u0001", ["a@b.cd"], null]
  ) {
    assert.not(v.is(LoginBody, { email, password: "x" }), JSON.stringify(email));
  }
});

test.run();

const tokenView = suite("TokenView");

tokenView("never returns the hash, and the plaintext only at creation", () => {
  const row = {
    id: "tok_1",
    name: "CI",
    scope: "cli",
    prefix: "ww_cli_abcd",
    federationIds: null,
    lastUsedIp: null,
    lastUsedAgent: null,
    createdAt: new Date(0),
    expiresAt: null,
    lastUsedAt: null,
    token: "ww_cli_secret",
    tokenHash: new Uint8Array(32),
  };
  const { token, tokenHash, ...listed } = row;
  assert.equal(v.parse(TokenView, row), { ...listed, createdAt: "1970-01-01T00:00:00.000Z" });
  assert.is(tokenHash.length, 32);
  const { lastUsedAt: _, lastUsedIp: _ip, lastUsedAgent: _agent, ...made } = {
    ...listed,
    token,
    createdAt: "1970-01-01T00:00:00.000Z",
  };
  assert.equal(v.parse(NewTokenView, row), made);
});

tokenView.run();
