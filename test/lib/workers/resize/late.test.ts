/** Kills the run of a resize after each write, and delivers its calls late. One site, in this order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import {
  ClusterError,
  type ClusterNamespace,
  type ObjectRef,
  type PatchOperation,
} from "#lib/drivers/cluster/cluster.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { openResizeScene, type ResizeScene } from "./scene.ts";
import { startReplica } from "#test/lib/workers/scene.ts";

/** The calls that were sent, and whether answers are lost. */
interface Wire {
  readonly sent: Sent[];
  losing: boolean;
}

interface Sent {
  readonly ref: ObjectRef;
  readonly operations: readonly PatchOperation[];
}

const test = suite<{ scene: ResizeScene; wire: Wire; replica: Scheduler }>("a resize");
const call = { signal: new AbortController().signal };
const QUOTA: ObjectRef = { apiVersion: "v1", kind: "ResourceQuota", name: "spoke" };
const LOOKS = 3;

// deno-lint-ignore no-explicit-any
type Status = any;

/** A delay of the simulated status, and the object that must not be patched before that status was read. */
const LATE = [
  {
    of: "ResourceQuota/spoke",
    after: "LimitRange/spoke",
    before: "PersistentVolumeClaim/files",
    as: (status: Status) => ({ ...status, hard: { ...status.hard, "requests.storage": "1Gi" } }),
  },
  {
    of: "PersistentVolumeClaim/data-db-0",
    after: "StatefulSet/db",
    before: "ConfigMap/fpm-size",
    as: pending,
  },
  { of: "PersistentVolumeClaim/files", after: "Deployment/moodle", before: "CronJob/moodle-cron", as: pending },
] as const;

function pending(status: Status): Status {
  const conditions = [{ type: "FileSystemResizePending", status: "True" }];
  return { ...status, capacity: { storage: "1Gi" }, conditions };
}

test.before(async (context) => {
  const scene = context.scene = await openResizeScene({ replica: "stopped" });
  const wire = context.wire = { sent: [], losing: true };
  context.replica = await startReplica({ ...scene.app, clusters: forgetful(scene.app.clusters, wire) });
});
test.after(async ({ scene, replica }) => {
  await replica.close();
  await scene.close();
});

/**
 * Loses the reply to the first patch of each object, so that the holder dies. Delays observed states by some polls, so
 * that a step that does not wait for them fails the test.
 */
function forgetful(clusters: ClusterProvider, wire: Wire): ClusterProvider {
  const lost = new Map<string, number>(), looks = new Map<string, number>();
  const forgetting = (space: ClusterNamespace): ClusterNamespace => ({
    ...space,
    async get(ref, at) {
      const found = await space.get(ref, at);
      const late = LATE.find(({ of, after }) => of === `${ref.kind}/${ref.name}` && lost.get(after) === 2);
      if (!late || (looks.get(late.of) ?? 0) >= LOOKS) return found;
      looks.set(late.of, (looks.get(late.of) ?? 0) + 1);
      return { ...found!, status: late.as(found!["status"]) };
    },
    async patch(ref, operations, at) {
      const key = `${ref.kind}/${ref.name}`, times = (lost.get(key) ?? 0) + 1;
      lost.set(key, times);
      const unseen = LATE.find(({ of, before }) => before === key && looks.get(of) !== LOOKS);
      if (unseen) throw new Error(`${unseen.of} was not waited for`);
      wire.sent.push({ ref, operations });
      const patched = await space.patch(ref, operations, at);
      if (!wire.losing || times % 2 === 0) return patched;
      throw new ClusterError("unreachable", `the answer about ${key} was lost`, { transient: true });
    },
  });
  return {
    ...clusters,
    open: async (name) => {
      const cluster = await clusters.open(name);
      return { ...cluster, space: (namespace, uid) => forgetting(cluster.space(namespace, uid)) };
    },
  };
}

/** The fence that a patch sets, as a number. */
function fenceOf({ operations }: Sent): number {
  const raise = operations.find(({ op, path }) => op !== "test" && path.endsWith("~1fence"));
  return Number(raise && "value" in raise ? raise.value : NaN);
}

test("has the same result when its holder dies after each write", async ({ scene, wire: { sent } }) => {
  const { namespaceUid: uid, cluster } = await scene.row(scene.id);
  const space = (await scene.app.clusters.open(cluster)).space(scene.namespace, uid!);
  await space.patch(QUOTA, [{ op: "add", path: "/spec/hard/limits.cpu", value: "99" }], call); // as a larger size had it
  const job = await scene.resize("medium");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.equal(scene.sizes(), {
    files: ["50Gi", "50Gi"],
    database: ["10Gi", "10Gi"],
    app: { cpu: "2", memory: "2Gi" },
    db: { cpu: "1", memory: "1Gi" },
    cron: { cpu: "500m", memory: "768Mi" },
    workers: "16",
    quota: ["8", "8Gi", "140Gi"],
    largest: ["2", "100Gi"],
  });
  assert.equal([(await scene.row(scene.id)).size, job.attempt > 8], ["medium", true]);
  const fences = new Map<string, number[]>();
  for (const each of sent) {
    const key = `${each.ref.kind}/${each.ref.name}`;
    fences.set(key, [...fences.get(key) ?? [], fenceOf(each)]);
  }
  assert.is(fences.size, 8);
  for (const [key, all] of fences) {
    assert.ok(all.length >= 2 && all.every((fence, i) => i === 0 || fence > all[i - 1]!), `${key}: ${all}`);
  }
});

test("lowers no limit before all parts have the new size", ({ wire: { sent } }) => {
  const set = sent.filter(({ ref }) => ref.kind === QUOTA.kind).map(({ operations }) => {
    const cpu = operations.find(({ op, path }) => op === "add" && path === "/spec/hard/limits.cpu");
    return cpu && "value" in cpu && cpu.value;
  });
  assert.equal(set.filter((value, i) => value !== set[i - 1]), ["99", "8"], set.join(" "));
});

test("restarts the database and the site once, despite several attempts", ({ scene }) => {
  const events = scene.simulator.objects("Event").filter(({ metadata }) => metadata.namespace === scene.namespace);
  const deleted = events.filter(({ reason, involvedObject }) =>
    reason === "SuccessfulDelete" && involvedObject.kind === "StatefulSet"
  );
  assert.equal(deleted.map((event) => event["count"] ?? 1), [1]);
  const sets = scene.simulator.objects("ReplicaSet").filter(({ metadata }) => metadata.namespace === scene.namespace);
  assert.is(sets.length, 2);
});

test("changes nothing by a late call after another resize", async ({ scene, wire }) => {
  const late = [...wire.sent];
  wire.losing = false;
  assert.is((await scene.resize("small")).state, "succeeded");
  const { cluster, namespaceUid: uid } = await scene.row(scene.id);
  const space = (await scene.app.clusters.open(cluster)).space(scene.namespace, uid!);
  const before = scene.sizes(), version = async () => (await space.get(QUOTA, call))!.metadata.resourceVersion;
  const existing = await version();
  for (const { ref, operations } of late) {
    const error = await space.patch(ref, operations, call).then(() => null, (reason) => reason);
    assert.is(error?.code, "Invalid", `${ref.kind} ${ref.name}`);
  }
  assert.equal([scene.sizes(), await version()], [before, existing]);
});

test.run();
