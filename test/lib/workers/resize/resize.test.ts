/** Resizes a spoke to a larger size and back: one site, in this order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Job } from "#lib/jobs/job.ts";
import { until } from "#test/support/until.ts";
import { openResizeScene, type ResizeScene } from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: ResizeScene }>("resizeHandler");
test.before(async (context) => void (context.scene = await openResizeScene()));
test.after(({ scene }) => scene.close());

const SMALL = {
  app: { cpu: "1", memory: "1Gi" },
  db: { cpu: "500m", memory: "512Mi" },
  cron: { cpu: "500m", memory: "768Mi" },
  workers: "8",
};
const LARGE = {
  files: ["200Gi", "200Gi"],
  database: ["50Gi", "50Gi"],
  app: { cpu: "4", memory: "4Gi" },
  db: { cpu: "2", memory: "2Gi" },
  cron: { cpu: "1", memory: "1Gi" },
  workers: "32",
  quota: ["14", "14Gi", "520Gi"],
  largest: ["4", "400Gi"],
};

/** Returns the operation once its label shows that it waits in this step for an object of this name. */
async function waiting(scene: ResizeScene, step: string, what: string): Promise<Job> {
  return await until(async () => {
    const [job] = await scene.operations(scene.id);
    const { state, stepNames, finishedSteps, label } = job!;
    return state === "running" && stepNames[finishedSteps.length] === step && label.includes(what) && job!;
  });
}

/** Returns the objects in the spoke's namespace that changed since then, as `Kind/name`. */
function written(scene: ResizeScene, since: number): string[] {
  const paths = scene.simulator.writes().slice(since).filter(({ changed, method, path }) =>
    changed && method === "PATCH" && path.includes(`/${scene.namespace}/`)
  ).map(({ path }) => path.replace(/^.*\/namespaces\/[^/]+\//, "").replace(/\?.*$/, ""));
  return paths.filter((path, i) => path !== paths[i - 1]);
}

/** Returns the messages about pods and PVCs that the cluster refused to create. */
function refused(scene: ResizeScene): string[] {
  return scene.simulator.objects("Event").filter(({ reason }) => reason === "FailedCreate").map(({ message }) =>
    message
  );
}

test("does not update the row before the cluster shows the change", async ({ scene }) => {
  const before = await scene.row(scene.id), since = scene.simulator.writes().length;
  const pods = scene.simulator.objects("Pod").map(({ metadata }) => metadata.uid);
  const busy = "rpc error: code = Unavailable desc = busy";
  const holds = [
    ["disks", "PVC data-db-0", scene.breakIt({ type: "no-expansion", name: "data-db-0", message: busy })],
    ["database", "The database is", scene.breakIt({ type: "unready", name: "db-0" })],
    ["app", "The site is", scene.breakIt({ type: "unready", name: `${scene.namespace}/moodle-` })],
  ] as const;
  await scene.ask("resize", { size: "large" });
  for (const [step, what, hold] of holds) {
    await waiting(scene, step, what);
    const { size, blueprintInputs, state } = await scene.row(scene.id);
    assert.equal([size, state, blueprintInputs], ["small", "updating", before.blueprintInputs], step);
    scene.simulator.faults.remove(hold);
  }
  const job = await scene.ended(scene.id, "resize");
  assert.equal([job.state, job.progress.notes ?? []], ["succeeded", []], job.failure?.message);
  const after = await scene.row(scene.id);
  assert.equal([after.size, after.state, after.health, after.stateReason], ["large", "active", "healthy", null]);
  assert.equal(scene.sizes(), LARGE);
  const { size: _, resources, madeDatabaseDisk, ...rest } = after.blueprintInputs;
  const { size: __, resources: ___, ...same } = before.blueprintInputs;
  assert.equal([rest, resources, madeDatabaseDisk], [same, scene.app.catalog.resourcesOf("large"), "5Gi"]);
  const retained = scene.simulator.objects("Pod").filter(({ metadata, status }) =>
    pods.includes(metadata.uid) && metadata.labels?.["role"] !== undefined && status.phase === "Running"
  );
  assert.equal(retained, [], "every pod of the site was replaced");
  assert.equal(written(scene, since), [
    ...[
      "resourcequotas/spoke",
      "limitranges/spoke",
      "persistentvolumeclaims/files",
      "persistentvolumeclaims/data-db-0",
    ],
    ...["statefulsets/db", "configmaps/fpm-size", "deployments/moodle", "cronjobs/moodle-cron"],
  ], "the limits are those of the larger size already");
  assert.equal(refused(scene), []);
});

test("records the old and the new size in the audit log", async ({ scene }) => {
  const [event] = await selectRows(scene.db, "audit_events", { kind: "spoke_action_succeeded" }, {
    columns: ["metadata"],
  });
  const { action, from, to } = event!.metadata;
  assert.equal([action, from, to], ["resize", "small", "large"]);
});

test("keeps the larger disks when shrinking, and quota for each of them", async ({ scene }) => {
  const since = scene.simulator.writes().length;
  const template = scene.standing("StatefulSet", "db")["spec"].volumeClaimTemplates;
  assert.is((await scene.resize("small")).state, "succeeded");
  const { files, database } = LARGE;
  assert.equal(scene.sizes(), { ...SMALL, files, database, quota: ["4", "4Gi", "500Gi"], largest: ["2", "200Gi"] });
  assert.equal(scene.standing("StatefulSet", "db")["spec"].volumeClaimTemplates, template);
  const { size, blueprintInputs: inputs } = await scene.row(scene.id);
  assert.equal([size, inputs.resources.disks], ["small", { files: "200Gi", database: "50Gi" }]);
  assert.equal(scene.app.blueprint.quotaUsage(inputs).problems, []);
  const order = written(scene, since);
  assert.ok(order.lastIndexOf("resourcequotas/spoke") > order.indexOf("cronjobs/moodle-cron"), order.join(" "));
  assert.equal(refused(scene), []);
});

test("leaves a site without drift", async ({ scene }) => {
  const { blueprintInputs: inputs, cluster, namespaceUid: uid } = await scene.row(scene.id);
  const space = (await scene.app.clusters.open(cluster)).space(scene.namespace, uid!);
  for (const step of ["policies", "secrets", "volumes", "database", "app", "cron"] as const) {
    for (const object of scene.app.blueprint.spokeObjects(inputs, step)) {
      const call = { signal: new AbortController().signal };
      const ref = { apiVersion: object.apiVersion, kind: object.kind, name: object.metadata.name };
      const [there, applied] = [await space.get(ref, call), (await space.dryRun([object], call)).objects[0]!];
      assert.equal([applied["spec"], applied["data"]], [there!["spec"], there!["data"]], `${ref.kind} ${ref.name}`);
    }
  }
});

test.run();
