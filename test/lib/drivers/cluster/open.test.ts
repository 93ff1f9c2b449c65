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
  "objects are applied in order and come back as they stand",
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
  "an object that is meant for another namespace is not applied",
  withKubeScene(async ({ simulator, space }) => {
    const { code } = await failureOf(space.apply([configMap({}, { namespace: "kube-system" })], UNCANCELLED_CALL));
    assert.is(code, "BadRequest");
    assert.not(simulator.writes().some((write) => write.path.includes("configmaps")), "it was not even asked for");
  }),
);

test(
  "an object that belongs to no namespace is not applied in one",
  withKubeScene(async ({ space }) => {
    assert.is((await failureOf(space.apply([namespace("other")], UNCANCELLED_CALL))).code, "BadRequest");
  }),
);

test(
  "a dry run shows what would stand there, and writes nothing",
  withKubeScene(async ({ space }) => {
    const { objects } = await space.dryRun([configMap({ a: "1" })], UNCANCELLED_CALL);
    assert.equal(objects[0]!["data"], { a: "1" });
    assert.is(await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL), null);
  }),
);

test(
  "a manifest that does not fit its schema is permanent",
  withKubeScene(async ({ space }) => {
    const { code, transient, message } = await failureOf(space.apply([configMap({ n: 5 })], UNCANCELLED_CALL));
    assert.equal([code, transient], ["Invalid", false]);
    assert.match(message, "expected string");
  }),
);

test(
  "what is created is left alone the second time",
  withKubeScene(async ({ space }) => {
    await space.create(configMap({ secret: "first" }), UNCANCELLED_CALL);
    assert.equal((await space.create(configMap({ secret: "second" }), UNCANCELLED_CALL))["data"], { secret: "first" });
  }),
);

test(
  "a patch whose test fails changes nothing and is permanent",
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
  "only the object with this uid is deleted, and what is gone is no failure",
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
  "lists are complete over several pages, and say what their items are",
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
  "kinds are found by asking, and what is not served is not",
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
  "the version is told",
  withKubeScene(async ({ cluster }) => assert.match(await cluster.version(UNCANCELLED_CALL), /^v1\.\d+/)),
);

test(
  "a server that is overloaded for a moment is got over",
  withKubeScene(async ({ simulator, space }) => {
    simulator.faults.answer(429, { times: 2, retryAfter: 1 });
    simulator.faults.answer(500, { times: 1 });
    await space.apply([configMap({ a: "1" })], UNCANCELLED_CALL);
    assert.equal((await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL))?.["data"], { a: "1" });
  }),
);

test.run();
