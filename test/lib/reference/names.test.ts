import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildOperationName, OPERATION_NAME_EXCEPTIONS } from "#lib/reference/names.ts";
import { HTTP_METHODS } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("buildOperationName");

const all = manifest.flatMap(([pattern, module]) =>
  HTTP_METHODS.filter((method) => module[method]).map((method) => ({ pattern, method }))
);

test("returns valid function names", () => {
  const names = all.map(({ pattern, method }) => buildOperationName(pattern, method));
  assert.equal(names.filter((name) => !/^[a-z][A-Za-z]{1,39}$/.test(name)), []);
});

test("lists only existing endpoints as exceptions", () => {
  const there = all.map(({ pattern, method }) => `${method} ${pattern}`);
  assert.equal(Object.keys(OPERATION_NAME_EXCEPTIONS).filter((key) => !there.includes(key)), []);
});

test("returns a verb and an object", () => {
  assert.is(buildOperationName("/api/federations/:federationId/spokes", "GET"), "listFederationSpokes");
  assert.is(buildOperationName("/api/federations/:federationId/spokes", "POST"), "createFederationSpoke");
  assert.is(buildOperationName("/api/spokes/:spokeId", "PATCH"), "updateSpoke");
  assert.is(buildOperationName("/api/spokes/:spokeId/members/:userId", "DELETE"), "deleteSpokeMember");
  assert.is(buildOperationName("/api/auth/tokens", "POST"), "createToken");
  assert.is(buildOperationName("/api/spokes/:spokeId/delegate", "POST"), "delegateSpoke");
  assert.is(buildOperationName("/reset", "POST"), "submitResetPage");
});

test.run();
