import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  CONFIG_MAP_REF,
  configMap,
  failureOf,
  namespace,
  UNCANCELLED_CALL,
  withKubeScene,
} from "#test/support/kube/scene.ts";

const test = suite("openCluster");

test(
  "applies objects in order and returns the results",
  withKubeScene(async ({ space }) => {
    const { objects } = await space.apply(
      [configMap({ a: "1" }), { ...configMap({}), metadata: { name: "second" } }],
      UNCANCELLED_CALL,
    );
    assert.equal(objects.map((object) => [object.kind, object.metadata.name, object.metadata.namespace]), [
      ["ConfigMap", "env", "spoke-1"],
      ["ConfigMap", "second", "spoke-1"],
    ]);
    assert.equal((await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL))?.["data"], { a: "1" });
  }),
);

test(
  "rejects an object of another namespace",
  withKubeScene(async ({ simulator, space }) => {
    const { code } = await failureOf(space.apply([configMap({}, { namespace: "kube-system" })], UNCANCELLED_CALL));
    assert.is(code, "BadRequest");
    assert.not(simulator.writes().some((write) => write.path.includes("configmaps")), "no request was sent");
  }),
);

test(
  "rejects a cluster-scoped object in a namespace",
  withKubeScene(async ({ space }) => {
    assert.is((await failureOf(space.apply([namespace("other")], UNCANCELLED_CALL))).code, "BadRequest");
  }),
);

test(
  "returns the result of a dry run without writing",
  withKubeScene(async ({ space }) => {
    const { objects } = await space.dryRun([configMap({ a: "1" })], UNCANCELLED_CALL);
    assert.equal(objects[0]!["data"], { a: "1" });
    assert.is(await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL), null);
  }),
);

test(
  "treats a schema violation as permanent",
  withKubeScene(async ({ space }) => {
    const { code, transient, message } = await failureOf(space.apply([configMap({ n: 5 })], UNCANCELLED_CALL));
    assert.equal([code, transient], ["Invalid", false]);
    assert.match(message, "expected string");
  }),
);

test(
  "leaves an existing object unchanged on create",
  withKubeScene(async ({ space }) => {
    await space.create(configMap({ secret: "first" }), UNCANCELLED_CALL);
    assert.equal((await space.create(configMap({ secret: "second" }), UNCANCELLED_CALL))["data"], { secret: "first" });
  }),
);

test(
  "treats a failed patch test as permanent and changes nothing",
  withKubeScene(async ({ space }) => {
    await space.apply([configMap({ fence: "7" })], UNCANCELLED_CALL);
    const patch = (fence: string) =>
      space.patch(CONFIG_MAP_REF, [{ op: "test", path: "/data/fence", value: fence }, {
        op: "add",
        path: "/data/b",
        value: "2",
      }], UNCANCELLED_CALL);
    const { code, status, transient } = await failureOf(patch("6"));
    assert.equal([code, status, transient], ["Invalid", 422, false]);
    assert.equal((await patch("7"))["data"], { fence: "7", b: "2" });
  }),
);

test(
  "deletes only the object with this UID, and accepts a missing object",
  withKubeScene(async ({ space }) => {
    const { uid = "" } = (await space.create(configMap({}), UNCANCELLED_CALL)).metadata;
    await space.delete(CONFIG_MAP_REF, "00000000-0000-0000-0000-000000000000", UNCANCELLED_CALL);
    assert.ok(await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL));
    await space.delete(CONFIG_MAP_REF, uid, UNCANCELLED_CALL);
    await space.delete(CONFIG_MAP_REF, uid, UNCANCELLED_CALL);
    assert.is(await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL), null);
  }),
);

test(
  "lists all pages and adds kind and version to the items",
  withKubeScene(async ({ space, cluster }) => {
    const labels = { "wheelwright.dev/federation": "fed_1" };
    const many = Array.from(
      { length: 3 },
      (_, index) => ({ ...configMap({}), metadata: { name: `c${index}`, labels } }),
    );
    await space.apply(many, UNCANCELLED_CALL);
    const found = await space.list(
      { apiVersion: "v1", kind: "ConfigMap" },
      "wheelwright.dev/federation=fed_1",
      UNCANCELLED_CALL,
    );
    assert.equal(found.map(({ kind, metadata }) => [kind, metadata.name]), [
      ["ConfigMap", "c0"],
      ["ConfigMap", "c1"],
      ["ConfigMap", "c2"],
    ]);
    const everywhere = await cluster.listAll(
      { apiVersion: "v1", kind: "ConfigMap" },
      "wheelwright.dev/federation",
      UNCANCELLED_CALL,
    );
    assert.is(everywhere.length, 3);
  }),
);

test(
  "finds kinds by API discovery, but not kinds that are not served",
  withKubeScene(async ({ cluster }) => {
    assert.ok(await cluster.serves({ apiVersion: "apps/v1", kind: "Deployment" }, UNCANCELLED_CALL));
    assert.not(await cluster.serves({ apiVersion: "apps/v1", kind: "Widget" }, UNCANCELLED_CALL));
    assert.not(await cluster.serves({ apiVersion: "nothing.example/v1", kind: "Widget" }, UNCANCELLED_CALL));
    const { code, transient } = await failureOf(
      cluster.listAll({ apiVersion: "nothing.example/v1", kind: "Widget" }, "", UNCANCELLED_CALL),
    );
    assert.equal([code, transient], ["NoKind", false]);
  }),
);

test(
  "returns the server's version",
  withKubeScene(async ({ cluster }) => assert.match(await cluster.version(UNCANCELLED_CALL), /^v1\.\d+/)),
);

test(
  "retries while the server is briefly overloaded",
  withKubeScene(async ({ simulator, space }) => {
    simulator.faults.answer(429, { times: 2, retryAfter: 1 });
    simulator.faults.answer(500, { times: 1 });
    await space.apply([configMap({ a: "1" })], UNCANCELLED_CALL);
    assert.equal((await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL))?.["data"], { a: "1" });
  }),
);

test.run();
