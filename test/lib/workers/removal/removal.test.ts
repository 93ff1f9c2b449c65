/** The way of a removal through its steps: in which order, by whichever holder, and with what in its way. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { removeSpokeHandler } from "#lib/workers/removal/remove.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const SLUGS = ["stop", "snapshot", "namespace", "confirm", "kept", "pod"] as const;
type Slug = (typeof SLUGS)[number];

interface Context {
  scene: WorkScene;
  spokes: Readonly<Record<Slug, SpokeRow>>;
  replica: Scheduler;
  /** Writes that the cluster had seen before the first removal. */
  before: number;
}

const test = suite<Context>("a removal");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const installing = await scene.replica();
  const hubs = await Promise.all(["math", "art", "music", "sport"].map((slug) => scene.hub(slug)));
  const ids = await Promise.all(SLUGS.map((slug, i) => scene.spoke(hubs[i % hubs.length]!, slug)));
  const rows = await Promise.all(ids.map((id) => scene.becomes(id, "active", "failed")));
  context.spokes = Object.fromEntries(SLUGS.map((slug, i) => [slug, rows[i]!])) as Context["spokes"];
  await installing.close();
  context.before = scene.simulator.writes().length;
});
test.after(({ scene }) => scene.close());

async function ask({ db, actor }: WorkScene, { id }: SpokeRow): Promise<void> {
  await db.transact((tx) => enqueueSpokeRemoval(tx, actor, id));
}

async function patchObject({ simulator }: WorkScene, path: string, body: object): Promise<void> {
  const { status } = await fetch(`${simulator.url}${path}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify(body),
  });
  assert.is(status, 200, path);
}

async function labelled(scene: WorkScene, { id }: SpokeRow, words: RegExp): Promise<string> {
  let last = "";
  const look = async () => {
    last = (await scene.operations(id))[0]!.label;
    return words.test(last) && last;
  };
  return await until(look).catch((error) => {
    throw new Error(`${error.message}\n${last}`, { cause: error });
  });
}

test("is resumed by another holder after a kill in any step.", async (context) => {
  const { scene, spokes } = context;
  const ways = ["stop", "snapshot", "namespace", "confirm"] as const;
  const stepOf = new Map<string, string>(ways.map((way) => [spokes[way].id, way]));
  const reached = new Set<string>();
  const { kind, steps, hooks } = removeSpokeHandler(scene.app);
  // Does the step that its spoke is called after, the replica then dies before it can be recorded.
  const dying = Object.entries(steps).map(([name, step]) =>
    [name, async (run: JobRun) => {
      await step(run);
      if (stepOf.get(run.job.spokeId!) !== name) return;
      reached.add(name);
      await new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
    }] as const
  );
  const first = await openScheduler(scene.app, {
    handlers: [{ kind, steps: Object.fromEntries(dying), ...(hooks && { hooks }) }],
    lanes: 8,
  });
  await Promise.all(ways.map((way) => ask(scene, spokes[way])));
  await until(() => reached.size === ways.length);
  await first.close();
  for (const way of ways) {
    const [job] = await scene.operations(spokes[way].id);
    assert.equal([job!.state, job!.finishedSteps], ["queued", ways.slice(0, ways.indexOf(way))], way);
  }
  context.replica = await scene.replica();
  for (const way of ways) {
    const { id, namespace } = await scene.becomes(spokes[way].id, "removed");
    const audits = await selectRows(scene.db, "audit_events", { spokeId: id, kind: "spoke_destroyed" }, {
      columns: ["metadata"],
    });
    assert.is(audits.length, 1, way);
    assert.is(audits[0].metadata.snapshots.length, 2, way);
    const contents = scene.simulator.objects("VolumeSnapshotContent").filter((content) =>
      content["spec"].volumeSnapshotRef.namespace === namespace
    );
    assert.is(contents.length, 2, way);
  }
});

test("stops the site, then takes the snapshot, then deletes the namespace.", ({ scene, spokes, before }) => {
  const { namespace } = spokes.confirm; // its first holder went all the way
  const path = `/namespaces/${namespace}`;
  const order = scene.simulator.writes().slice(before).filter((write) => write.path.includes(path))
    .map((write) => `${write.method} ${write.path.slice(write.path.indexOf(path) + path.length).split("?")[0]}`)
    .map((write) => write.replace(/^POST \/volumesnapshots.*/, "POST /volumesnapshots"));
  const marks = ["/cronjobs/moodle-cron", "/deployments/moodle", "/statefulsets/db"].map((each) => `PATCH ${each}`);
  const expected = [...marks, "POST /volumesnapshots", "DELETE "];
  assert.equal([...new Set(order.filter((each) => expected.includes(each)))], expected);
  const history = scene.simulator.history().filter((each) => each.namespace === namespace);
  const shot = history.find(({ kind }) => kind === "VolumeSnapshot")!;
  const pods = new Set<string>();
  for (const { kind, type, uid, phase } of history.filter(({ n }) => n < shot.n)) {
    if (kind !== "Pod") continue;
    if (type === "DELETED" || phase === "Succeeded" || phase === "Failed") pods.delete(uid);
    else pods.add(uid);
  }
  assert.is(pods.size, 0, "nothing runs any more when the snapshot is taken");
});

test("notes a retained volume.", async ({ scene, spokes }) => {
  const { id, namespace } = spokes.kept;
  const volume = scene.simulator.objects("PersistentVolume").find(({ spec }) =>
    spec.claimRef.namespace === namespace && spec.claimRef.name === "files"
  )!;
  const spec = { persistentVolumeReclaimPolicy: "Retain" };
  await patchObject(scene, `/api/v1/persistentvolumes/${volume.metadata.name}`, { spec });
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await scene.becomes(id, "removed");
  const [job] = await scene.operations(id);
  assert.is(job!.state, "succeeded");
  assert.equal(job!.progress.notes, [
    `The volume ${volume.metadata.name} of the PVC files is kept, because its reclaim policy is not Delete`,
  ]);
});

test("limits the wait for pods, and names the pod that blocks the namespace.", async ({ scene, spokes, replica }) => {
  const { id, namespace } = spokes.pod;
  const pod = `/api/v1/namespaces/${namespace}/pods/db-0`;
  await patchObject(scene, pod, { metadata: { finalizers: ["example.org/held"] } });
  await replica.close();
  const { kind, ...handler } = removeSpokeHandler(scene.app);
  const short = kind.steps.map((step) => step.name === "stop" ? { ...step, timeout: 3000 } : step);
  const handlers = [{ ...handler, kind: { ...kind, steps: short } }];
  // The last wait lists all pods of the site.
  const silent = scene.simulator.faults.hang({ path: `/namespaces/${namespace}/pods?labelSelector=role` });
  const hasty = await openScheduler(scene.app, { handlers, lanes: 8 });
  try {
    await ask(scene, spokes.pod);
    const notes = await until(async () => (await scene.operations(id))[0]!.progress.notes);
    assert.match(
      String(notes),
      /^The site was not stopped before it was removed: Waiting for pods to terminate took longer than/,
    );
    scene.simulator.faults.remove(silent);
    const label = await labelled(scene, spokes.pod, /^Deleting the namespace: .*; held by/);
    assert.match(label, / waits for pods db-0 \(on node .+\) to terminate; held by the finalizer example\.org\/held$/);
    assert.is((await scene.row(id)).state, "removing");
    await patchObject(scene, pod, { metadata: { finalizers: [] } });
    await scene.becomes(id, "removed");
  } finally {
    await hasty.close();
    await scene.replica();
  }
});

test("cannot change another site of the same slug with a late call.", async ({ scene, spokes }) => {
  const { namespace, namespaceUid: uid, federationId: hub, slug } = spokes.confirm;
  const again = await scene.row(await scene.spoke({ id: hub } as never, slug));
  assert.is.not(again.namespace, namespace);
  const existing = await until(async () => (await scene.row(again.id)).namespaceUid);
  const { url } = scene.simulator;
  const send = (path: string, method: string, body: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "v1", ...body }),
    });
  const options = { kind: "DeleteOptions", preconditions: { uid } };
  assert.is((await send(`/api/v1/namespaces/${namespace}`, "DELETE", options)).status, 404);
  // Not even if somebody should take the old name by hand: the uid is another.
  await send("/api/v1/namespaces", "POST", { kind: "Namespace", metadata: { name: namespace } });
  assert.is((await send(`/api/v1/namespaces/${namespace}`, "DELETE", options)).status, 409);
  const space = (await scene.app.clusters.open("default")).space(namespace, uid!);
  await space.remove({ signal: new AbortController().signal, timeout: 5000 });
  const uids = scene.simulator.objects("Namespace").filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.uid);
  assert.ok(uids.includes(existing));
  assert.ok(scene.simulator.objects("Namespace").some(({ metadata }) => metadata.name === namespace));
});

test("has the steps that the tests above cover.", () => {
  assert.equal(OPERATIONS.remove.kind.steps.map(({ name }) => name), ["stop", "snapshot", "namespace", "confirm"]);
});

test.run();
