import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { createDigestRecorder } from "#lib/workers/sweep/digests.ts";

const test = suite("openDigests");
const object = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});

test("distinguishes the objects of all spokes.", () => {
  const digests = createDigestRecorder(), spokes = 300, objects = 70;
  const each = (act: (space: string, name: string) => boolean, expected: boolean) => {
    for (let spoke = 0; spoke < spokes; spoke++) {
      for (let n = 0; n < objects; n++) assert.is(act(`s${spoke}`, `o${n}`), expected, `${spoke} ${n}`);
    }
  };
  each((space, name) => digests.record(space, object(name, { data: { space } })), true);
  each((space, name) => digests.record(space, object(name, { data: { space } })), false);
  assert.ok(digests.record("s7", object("o7", { data: {} })));
  assert.ok(digests.record("s7", object("o7", { data: { space: "s7" } })), "as it was before");
  each((space, name) => digests.record(space, object(name, { data: { space } })), false);
  assert.is(digests.namespaces().length, spokes);
});

test("ignores a status except for the health of a part.", () => {
  const digests = createDigestRecorder();
  const moodle = (availableReplicas: number, at: string) => ({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "moodle" } },
    ...{ spec: { replicas: 1 }, status: { availableReplicas, at } },
  });
  assert.ok(digests.record("s", moodle(1, "now")));
  assert.not.ok(digests.record("s", moodle(1, "later")));
  assert.ok(digests.record("s", moodle(0, "later")));
  assert.ok(digests.record("s", moodle(1, "later")));
});

test("treats a forgotten object as new, and ignores the kind fields of lists.", () => {
  const digests = createDigestRecorder(), { apiVersion, kind, ...rest } = object("o", { data: {} });
  assert.ok(digests.record("s", object("o", { data: {} })));
  assert.not.ok(digests.record("s", { ...rest, apiVersion, kind } as KubeObject));
  digests.forget("s", object("o"));
  assert.ok(digests.record("s", object("o", { data: {} })));
});

test.run();
