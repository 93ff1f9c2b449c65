import { suite } from "uvu";
import * as assert from "uvu/assert";
import { respondWithError } from "#test/support/kube/server.ts";
import { NAMESPACE, openStaticCluster, UID } from "#test/support/kube/static-cluster.ts";
import {
  CONFIG_MAP_REF,
  configMap,
  failureOf,
  namespace,
  UNCANCELLED_CALL,
  withKubeScene,
} from "#test/support/kube/scene.ts";

const test = suite("openGuard");

test(
  "accepts an existing namespace with the same three labels",
  withKubeScene(async ({ cluster, space }) => {
    assert.is((await cluster.createNamespace(namespace("spoke-1"), UNCANCELLED_CALL)).uid, space.uid);
  }),
);

test(
  "rejects a namespace with different, missing or extra labels",
  withKubeScene(async ({ cluster }) => {
    for (const labels of [{ "wheelwright.dev/federation": "fed_2" }, { "wheelwright.dev/spoke": "spk_1" }]) {
      const { code, transient } = await failureOf(
        cluster.createNamespace(namespace("spoke-1", labels), UNCANCELLED_CALL),
      );
      assert.equal([code, transient], ["ForeignNamespace", false]);
    }
  }),
);

test(
  "leaves a namespace with another UID alone",
  withKubeScene(async ({ cluster }) => {
    const other = cluster.space("spoke-1", "00000000-0000-0000-0000-000000000000");
    const failures = await Promise.all([
      failureOf(other.apply([configMap({})], UNCANCELLED_CALL)),
      failureOf(other.get(CONFIG_MAP_REF, UNCANCELLED_CALL)),
      failureOf(
        other.remove({ ...UNCANCELLED_CALL, timeout: 1000 }).then(() =>
          Promise.reject({ code: "gone", transient: false })
        ),
      ),
    ]);
    assert.equal(failures.map(({ code }) => code), ["ForeignNamespace", "ForeignNamespace", "gone"]);
    assert.is((await cluster.findNamespace("spoke-1", UNCANCELLED_CALL))?.metadata.deletionTimestamp, undefined);
  }),
);

test(
  "neither changes nor deletes a namespace without its label",
  withKubeScene(async ({ cluster }) => {
    const bare = namespace("bare");
    const { uid } = await cluster.createNamespace(
      { ...bare, metadata: { name: "bare", labels: {} } },
      UNCANCELLED_CALL,
    );
    const space = cluster.space("bare", uid);
    assert.is((await failureOf(space.apply([configMap({})], UNCANCELLED_CALL))).code, "ForeignNamespace");
    assert.is((await failureOf(space.remove({ ...UNCANCELLED_CALL, timeout: 1000 }))).code, "ForeignNamespace");
  }),
);

test("shares one check between concurrent callers, and repeats it per caller if it fails", async () => {
  const table = await openStaticCluster();
  let failed = 0;
  const answers = (fails: number) => async () => {
    table.intercept = ({ path }, response) => {
      if (!path.endsWith(`/${NAMESPACE}`) || failed++ >= fails) return false;
      return respondWithError(response, 403, "Forbidden", "not now"), true;
    };
    const before = table.server.requests.length, space = table.cluster.space(NAMESPACE, UID);
    const got = await Promise.allSettled(
      ["a", "b", "c"].map((name) => space.get({ ...CONFIG_MAP_REF, name }, UNCANCELLED_CALL)),
    );
    const requests = table.server.requests.slice(before).filter(({ path }) => path.endsWith(`/${NAMESPACE}`)).length;
    return [got.map(({ status }) => status), requests];
  };
  const fine = "fulfilled";
  assert.equal(await answers(0)(), [[fine, fine, fine], 1]);
  failed = 0;
  assert.equal(await answers(1)(), [["rejected", fine, fine], 3]);
  await table.close();
});

test(
  "throws NotFound for a deleted namespace",
  withKubeScene(async ({ cluster }) => {
    const { code, transient } = await failureOf(cluster.space("nowhere", "x").get(CONFIG_MAP_REF, UNCANCELLED_CALL));
    assert.equal([code, transient], ["NotFound", false]);
  }),
);

test(
  "waits until a deleted namespace is gone",
  withKubeScene(async ({ cluster, space }) => {
    await space.apply([configMap({ a: "1" })], UNCANCELLED_CALL);
    await space.remove({ ...UNCANCELLED_CALL, timeout: 20_000 });
    assert.is(await cluster.findNamespace("spoke-1", UNCANCELLED_CALL), null);
    await space.remove({ ...UNCANCELLED_CALL, timeout: 1000 });
  }),
);

test(
  "reports the remaining objects of a stuck namespace, and never forces its deletion",
  withKubeScene(async ({ cluster, space }) => {
    await space.apply([configMap({ a: "1" }, { finalizers: ["example.org/hold"] })], UNCANCELLED_CALL);
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
      /^Namespace spoke-1, terminating since \d{4}-\d\d-\d\d \d\d:\d\d UTC, waits for configmaps env to be deleted; held by the finalizer example\.org\/hold$/,
    );
    const { code, transient } = await failureOf(space.apply([configMap({ late: "1" })], UNCANCELLED_CALL));
    assert.equal([code, transient], ["Terminating", false]);
    assert.equal(
      (await failureOf(cluster.createNamespace(namespace("spoke-1"), UNCANCELLED_CALL))).code,
      "Terminating",
    );
    assert.equal((await space.get(CONFIG_MAP_REF, UNCANCELLED_CALL))?.metadata.finalizers, ["example.org/hold"]);
  }),
);

test.run();
