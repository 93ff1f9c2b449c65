import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Cluster, ClusterError, KubeObject, Space } from "#lib/cluster/cluster.ts";
import { type ClusterOptions, openCluster } from "#lib/cluster/open.ts";
import { openSimulator, type Simulator } from "#lib/simulator/open.ts";
import { silent } from "#lib/log.ts";

const call = { signal: new AbortController().signal };

interface Scene {
  readonly simulator: Simulator;
  readonly cluster: Cluster;
  readonly space: Space;
}

const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name,
    labels: { "app.kubernetes.io/managed-by": "wheelwright", "wheelwright.dev/federation": "fed_1", ...labels },
  },
});

const withScene =
  (use: (scene: Scene) => Promise<void>, options: Partial<ClusterOptions> = {}) => async (): Promise<void> => {
    const simulator = await openSimulator({ delayMs: 0, log: silent });
    const kubeconfig = { text: simulator.kubeconfig() };
    const cluster = await openCluster({ name: "test", kubeconfig, log: silent, ...options });
    try {
      const { uid } = await cluster.createNamespace(namespace("spoke-1"), call);
      await use({ simulator, cluster, space: cluster.space("spoke-1", uid) });
    } finally {
      await cluster.close();
      await simulator.close();
    }
  };

async function failureOf(promise: Promise<unknown>): Promise<ClusterError> {
  const error = await promise.then(() => null, (error: ClusterError) => error);
  if (!error) throw new Error("it did not fail");
  return error;
}

const config = (data: Record<string, unknown>, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "env", ...more },
  data,
});
const CONFIG = { apiVersion: "v1", kind: "ConfigMap", name: "env" };

const test = suite("openCluster");

test(
  "a namespace of the same three labels is ours already",
  withScene(async ({ cluster, space }) => {
    assert.is((await cluster.createNamespace(namespace("spoke-1"), call)).uid, space.uid);
  }),
);

test(
  "a namespace of other labels is a stranger's, also if it lacks one or has one more",
  withScene(async ({ cluster }) => {
    for (const labels of [{ "wheelwright.dev/federation": "fed_2" }, { "wheelwright.dev/spoke": "spk_1" }]) {
      const { code, transient } = await failureOf(cluster.createNamespace(namespace("spoke-1", labels), call));
      assert.equal([code, transient], ["stranger", false]);
    }
  }),
);

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
  withScene(async ({ space }) => {
    const { code } = await failureOf(space.apply([config({}, { namespace: "kube-system" })], call));
    assert.is(code, "BadRequest");
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
  "a namespace of the same name and another uid is left alone",
  withScene(async ({ cluster }) => {
    const other = cluster.space("spoke-1", "00000000-0000-0000-0000-000000000000");
    const failures = [
      other.apply([config({})], call),
      other.get(CONFIG, call),
      other.remove({ ...call, timeout: 1000 }).then(() => Promise.reject({ code: "gone", transient: false })),
    ];
    for (const [index, failing] of failures.entries()) {
      const { code } = await failureOf(failing);
      assert.is(code, index === 2 ? "gone" : "stranger");
    }
    assert.is((await cluster.findNamespace("spoke-1", call))?.metadata.deletionTimestamp, undefined);
  }),
);

test(
  "a namespace that has lost its label is neither changed nor removed",
  withScene(async ({ cluster }) => {
    const bare = namespace("bare");
    const { uid } = await cluster.createNamespace({ ...bare, metadata: { name: "bare", labels: {} } }, call);
    const space = cluster.space("bare", uid);
    assert.is((await failureOf(space.apply([config({})], call))).code, "stranger");
    assert.is((await failureOf(space.remove({ ...call, timeout: 1000 }))).code, "stranger");
  }),
);

test(
  "a namespace that is gone is not found",
  withScene(async ({ cluster }) => {
    const { code, transient } = await failureOf(cluster.space("nowhere", "x").get(CONFIG, call));
    assert.equal([code, transient], ["NotFound", false]);
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

test(
  "a removed namespace is waited for until it is gone, and then is no failure",
  withScene(async ({ cluster, space }) => {
    await space.apply([config({ a: "1" })], call);
    await space.remove({ ...call, timeout: 20_000 });
    assert.is(await cluster.findNamespace("spoke-1", call), null);
    await space.remove({ ...call, timeout: 1000 });
  }),
);

test(
  "a namespace that hangs is told of with the names of what is left, and is never forced",
  withScene(async ({ cluster, space }) => {
    await space.apply([config({ a: "1" }, { finalizers: ["example.org/hold"] })], call);
    const sentences: string[] = [];
    const stop = new AbortController(), enough = new Error("enough");
    const onProgress = (sentence: string) => {
      sentences.push(sentence);
      if (/example\.org\/hold/.test(sentence)) stop.abort(enough);
    };
    const removing = space.remove({ signal: stop.signal, timeout: 20_000, onProgress });
    assert.is(await failureOf(removing), enough, sentences.join("\n"));
    assert.match(
      sentences.at(-1)!,
      "Namespace spoke-1 waits for configmaps env to go; held by the finalizer example.org/hold",
    );
    const { code, transient } = await failureOf(space.apply([config({ late: "1" })], call));
    assert.equal([code, transient], ["Terminating", false]);
    assert.equal((await failureOf(cluster.createNamespace(namespace("spoke-1"), call))).code, "Terminating");
    assert.equal((await space.get(CONFIG, call))?.metadata.finalizers, ["example.org/hold"]);
  }),
);

test.run();
