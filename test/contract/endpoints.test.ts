import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  cloneDocument,
  type ContractCase,
  findBreaks,
  type Json,
  loadCurrentDocument,
  surfaceIn,
  testEachCase,
} from "#test/support/contract.ts";

const test = suite("findMoved, on the current document");

const present = loadCurrentDocument();

const each = async (cases: readonly ContractCase[]): Promise<void> => testEachCase(await present, cases);

const SPOKE = "/api/spokes/{spokeId}";

test("finds a removed endpoint", () =>
  each([
    ["endpoint_removed GET /api/my-spokes address", (paths) => delete paths["/api/my-spokes"]],
    [`endpoint_removed DELETE ${SPOKE} address`, (paths) => delete paths[SPOKE].delete],
    ["endpoint_removed POST /invite address", (paths) => delete paths["/invite"].post],
    ["endpoint_removed GET /api/healthz address", (paths) => {
      paths["/api/others"] = { ...paths["/api/users"], get: { ...paths["/api/users"].get, summary: "Others" } };
      delete paths["/api/healthz"];
    }],
  ]));

test("finds an endpoint with another method or path", async () => {
  await each([
    ["endpoint_moved GET /api/my-spokes address", (paths) => move(paths, "/api/my-spokes", "/api/spokes")],
    ["endpoint_moved PATCH /api/users/{userId} address", ({ "/api/users/{userId}": item }) => {
      item.put = item.patch;
      delete item.patch;
    }],
    ["endpoint_moved GET /api/healthz address", (paths) => {
      move(paths, "/api/healthz", "/healthz");
      paths["/healthz"].get.summary = "Whether it lives";
    }],
    ["endpoint_moved POST /api/federations address", (paths) => {
      paths["/api/hubs"] = { post: { ...paths["/api/federations"].post, summary: "Make a hub" } };
      delete paths["/api/federations"].post;
    }],
    ["endpoint_moved GET /verify address", (paths) => {
      paths["/confirm"] = { get: paths["/verify"].get };
      delete paths["/verify"].get;
    }],
  ]);
  const document = await present;
  const messages = findBreaks(document, ({ paths }) => move(paths, "/api/my-spokes", "/api/spokes")).map((one) =>
    one.message
  );
  assert.equal(messages, ["The endpoint was removed. GET /api/spokes is new and similar: was it moved?"]);
  const named = cloneDocument(document, ({ paths }) => paths["/api/auth/login"].post["x-aliases"] = ["/auth/login"]);
  const unnamed = findBreaks(named, ({ paths }) => delete paths["/api/auth/login"].post["x-aliases"]);
  assert.equal(unnamed.map((one) => `${one.kind} ${one.message}`), ["endpoint_moved It is no longer at /auth/login"]);
  const away = findBreaks(document, (copy) => copy.servers = [{ url: "https://elsewhere.example" }]);
  assert.is(away.length, surfaceIn(document).endpoints.size);
  assert.equal(new Set(away.map(({ kind }) => kind)), new Set(["endpoint_moved"]));
});

function move(paths: Json, path: string, other: string): void {
  paths[other] = paths[path];
  delete paths[path];
}

test.run();
