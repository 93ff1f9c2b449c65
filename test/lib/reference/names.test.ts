import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NAMES, operationName } from "#lib/reference/names.ts";
import { HTTP_METHODS } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("operationName");

const all = manifest.flatMap(([pattern, module]) =>
  HTTP_METHODS.filter((method) => module[method]).map((method) => ({ pattern, method }))
);

test("calls each endpoint as a function may be called", () => {
  const names = all.map(({ pattern, method }) => operationName(pattern, method));
  assert.equal(names.filter((name) => !/^[a-z][A-Za-z]{1,39}$/.test(name)), []);
});

test("lists no endpoint that is not there", () => {
  const there = all.map(({ pattern, method }) => `${method} ${pattern}`);
  assert.equal(Object.keys(NAMES).filter((key) => !there.includes(key)), []);
});

test("says what is done, and to what", () => {
  assert.is(operationName("/api/federations/:federationId/spokes", "GET"), "listFederationSpokes");
  assert.is(operationName("/api/federations/:federationId/spokes", "POST"), "createFederationSpoke");
  assert.is(operationName("/api/spokes/:spokeId", "PATCH"), "updateSpoke");
  assert.is(operationName("/api/spokes/:spokeId/members/:userId", "DELETE"), "deleteSpokeMember");
  assert.is(operationName("/api/auth/tokens", "POST"), "createToken");
  assert.is(operationName("/api/spokes/:spokeId/delegate", "POST"), "delegateSpoke");
  assert.is(operationName("/reset", "POST"), "submitResetPage");
});

test.run();
