import { suite } from "uvu";
import * as assert from "uvu/assert";
import { call, CONFIG, config, failureOf, namespace, withScene } from "#test/support/kube/scene.ts";

const test = suite("openCluster");

test(
  "objects are applied in order and come back as they stand",
  withScene(async ({ space }) => {
    const { objects } = await space.apply([config({ a: "1" }), { ...config({}), metadata: { name: "second" } }], call);
    assert.equal(objects.map((object) => [object.kind, object.metadata.name, object.metadata.namespace]), [
      ["ConfigMap", "env", "spoke-1"],
      ["ConfigMap", "second", "spoke-1"],
    ]);
    assert.equal((await space.get(CONFIG, call))?.["data"], { a: "1" });
  }),
);

test(
  "an object that is meant for another namespace is not applied",
  withScene(async ({ simulator, space }) => {
    const { code } = await failureOf(space.apply([config({}, { namespace: "kube-system" })], call));
    assert.is(code, "BadRequest");
    assert.not(simulator.writes().some((write) => write.path.includes("configmaps")), "it was not even asked for");
  }),
);

test(
  "an object that belongs to no namespace is not applied in one",
  withScene(async ({ space }) => {
    assert.is((await failureOf(space.apply([namespace("other")], call))).code, "BadRequest");
  }),
);

test(
  "a dry run shows what would stand there, and writes nothing",
  withScene(async ({ space }) => {
    const { objects } = await space.dryRun([config({ a: "1" })], call);
    assert.equal(objects[0]!["data"], { a: "1" });
    assert.is(await space.get(CONFIG, call), null);
  }),
);

test(
  "a manifest that does not fit its schema is permanent",
  withScene(async ({ space }) => {
    const { code, transient, message } = await failureOf(space.apply([config({ n: 5 })], call));
    assert.equal([code, transient], ["Invalid", false]);
    assert.match(message, "expected string");
  }),
);

test(
  "what is created is left alone the second time",
  withScene(async ({ space }) => {
    await space.create(config({ secret: "first" }), call);
    assert.equal((await space.create(config({ secret: "second" }), call))["data"], { secret: "first" });
  }),
);

test(
  "a patch whose test fails changes nothing and is permanent",
  withScene(async ({ space }) => {
    await space.apply([config({ fence: "7" })], call);
    const patch = (fence: string) =>
      space.patch(CONFIG, [{ op: "test", path: "/data/fence", value: fence }, {
        op: "add",
        path: "/data/b",
        value: "2",
      }], call);
    const { code, status, transient } = await failureOf(patch("6"));
    assert.equal([code, status, transient], ["Invalid", 422, false]);
    assert.equal((await patch("7"))["data"], { fence: "7", b: "2" });
  }),
);

test(
  "only the object with this uid is deleted, and what is gone is no failure",
  withScene(async ({ space }) => {
    const { uid = "" } = (await space.create(config({}), call)).metadata;
    await space.delete(CONFIG, "00000000-0000-0000-0000-000000000000", call);
    assert.ok(await space.get(CONFIG, call));
    await space.delete(CONFIG, uid, call);
    await space.delete(CONFIG, uid, call);
    assert.is(await space.get(CONFIG, call), null);
  }),
);

test(
  "lists are complete over several pages, and say what their items are",
  withScene(async ({ space, cluster }) => {
    const labels = { "wheelwright.dev/federation": "fed_1" };
    const many = Array.from({ length: 3 }, (_, index) => ({ ...config({}), metadata: { name: `c${index}`, labels } }));
    await space.apply(many, call);
    const found = await space.list({ apiVersion: "v1", kind: "ConfigMap" }, "wheelwright.dev/federation=fed_1", call);
    assert.equal(found.map(({ kind, metadata }) => [kind, metadata.name]), [
      ["ConfigMap", "c0"],
      ["ConfigMap", "c1"],
      ["ConfigMap", "c2"],
    ]);
    const everywhere = await cluster.listAll(
      { apiVersion: "v1", kind: "ConfigMap" },
      "wheelwright.dev/federation",
      call,
    );
    assert.is(everywhere.length, 3);
  }),
);

test(
  "kinds are found by asking, and what is not served is not",
  withScene(async ({ cluster }) => {
    assert.ok(await cluster.serves({ apiVersion: "apps/v1", kind: "Deployment" }, call));
    assert.not(await cluster.serves({ apiVersion: "apps/v1", kind: "Widget" }, call));
    assert.not(await cluster.serves({ apiVersion: "nothing.example/v1", kind: "Widget" }, call));
    const { code, transient } = await failureOf(
      cluster.listAll({ apiVersion: "nothing.example/v1", kind: "Widget" }, "", call),
    );
    assert.equal([code, transient], ["NoKind", false]);
  }),
);

test(
  "the version is told",
  withScene(async ({ cluster }) => assert.match(await cluster.version(call), /^v1\.\d+/)),
);

test(
  "a server that is overloaded for a moment is got over",
  withScene(async ({ simulator, space }) => {
    simulator.faults.answer(429, { times: 2, retryAfter: 1 });
    simulator.faults.answer(500, { times: 1 });
    await space.apply([config({ a: "1" })], call);
    assert.equal((await space.get(CONFIG, call))?.["data"], { a: "1" });
  }),
);

test.run();
