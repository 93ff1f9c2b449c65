/**
 * Runs all operations of a hub and its spokes in the simulated cluster, with an account that has the chart's rights.
 * Then runs doctor. Records what each role allowed.
 */
import { openWorkScene, type WorkScene } from "../workers/scene.ts";
import { openScene } from "./scene.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SimulatorFault } from "#lib/dev/simulator/fault-types.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { surveyCluster } from "#lib/doctor/reconcile/survey.ts";
import { requestRestore } from "#lib/domains/backups/restore.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { deleteDuePvcs } from "#test/lib/recovery/restore/scene.ts";
import { byHand, lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { runRetirement, swapSnapshots, waitForTemplate } from "#test/lib/workers/templates/scene.ts";
import { applyClusterRole, CLUSTER_ROLE } from "#test/support/service-account.ts";
import { until } from "#test/support/until.ts";
import { updateRows } from "#test/support/rows.ts";

type Action = "suspend" | "resume" | "restart" | "backup" | "resize" | "reapply" | "retry";

/** Returns the permissions that only one role granted, as `ROLE: VERB RESOURCE`. */
export async function runAllOperations(): Promise<ReadonlySet<string>> {
  const scene = await openWorkScene(60, { ACME_EMAIL: "ops@example.org", TEMPLATES: "on" });
  try {
    await scene.replica();
    const hub = await scene.hub("math");
    const unreadyFault = scene.simulator.faults.unready("sandbox-");
    const id = await scene.spoke(hub, "algebra");
    await scene.becomes(id, "active", "failed");
    await retainVolume(scene);
    scene.simulator.faults.remove(unreadyFault);
    await runAction(scene, id, "suspend");
    await runAction(scene, id, "resume");
    await runAction(scene, id, "restart");
    await runAction(scene, id, "resize", { size: "medium" });
    // One backup per day is kept. The next one removes it, unless midnight is in between.
    await withFaultUntilWatched(
      scene,
      { type: "unready", name: "" },
      "volumesnapshots.snapshot.storage.k8s.io",
      () => requestAction(scene, id, "backup"),
    );
    await scene.ended(id, "backup");
    for (let time = 0; time < 2; time++) await runAction(scene, id, "backup");
    await breakManually(scene, id);
    await runAction(scene, id, "reapply");
    await restoreBackup(scene, id);
    for (const domain of ["maths.school.example", "algebra.spokes.example.org"]) {
      await patchSpoke(scene.app, scene.actor, await scene.row(id), { domain } as SpokePatch);
      await scene.ended(id, "configure");
    }
    await lookOnce(scene.app);
    await lookOnce(scene.app, { watch: { minSpokes: 1, relistMs: 300, failedCheckMs: MINUTE, burstMs: 0 } });
    await installFromTemplate(scene, hub);
    await failAndRetry(scene, hub);
    const call = { signal: AbortSignal.timeout(MINUTE) };
    await surveyCluster(await scene.app.clusters.open("default"), () => true, call);
    await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
    await scene.becomes(id, "removed");
    return new Set([...scene.simulator.grants(), ...await runDoctorTrial()]);
  } finally {
    await scene.close();
  }
}

/** Sets the reclaim policy of a sandbox volume to `Retain`. The sandbox must delete the volume nevertheless. */
async function retainVolume({ simulator: { url, objects } }: WorkScene): Promise<void> {
  const ofSandbox = ({ spec }: Json): boolean => spec.claimRef?.namespace.startsWith("sandbox-");
  const { metadata } = await until(() => objects("PersistentVolume").find(ofSandbox), MINUTE);
  const spec = { persistentVolumeReclaimPolicy: "Retain" };
  await byHand(url, `/api/v1/persistentvolumes/${metadata.name}`, { spec });
}

/** Restores the last backup, and deletes the replaced volumes. */
async function restoreBackup(scene: WorkScene, id: string): Promise<void> {
  await requestRestore(scene.app, scene.actor, id, {});
  await scene.ended(id, "restore");
  await runAction(scene, id, "backup");
  await scene.db.sql("update retained_pvcs set until = now()");
  await deleteDuePvcs(scene);
}

/** Installs one spoke from a template, and one by a Job because the template is damaged. Then retires the template. */
async function installFromTemplate(scene: WorkScene, hub: FederationRow): Promise<void> {
  await waitForTemplate(scene, "ready");
  await scene.becomes(await scene.spoke(hub, "geometry"), "active", "failed");
  await swapSnapshots(scene);
  await scene.becomes(await scene.spoke(hub, "topology", "medium"), "active", "failed");
  const old = "2000-01-01";
  await updateRows(scene.db, "templates", { createdAt: old, readyAt: old, lastUsedAt: old });
  await runRetirement(scene.app);
}

/** Runs doctor with its trial. */
async function runDoctorTrial(): Promise<ReadonlySet<string>> {
  const { simulator, write, cluster, close } = await openScene({ authorization: "on" });
  try {
    const KUBECONFIG = await write("account", await applyClusterRole(simulator));
    await cluster({ trial: true, env: { KUBECONFIG, CLUSTER_ROLE } });
    return simulator.grants();
  } finally {
    await close();
  }
}

/** Changes the namespace's labels and sets the database to a missing image. */
async function breakManually({ simulator, row }: WorkScene, id: string): Promise<void> {
  const { namespace } = await row(id),
    { url } = simulator,
    labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  await byHand(url, `/api/v1/namespaces/${namespace}`, { metadata: { labels } });
  simulator.faults.add({ type: "missing-image", image: "nowhere.example" });
  const container = { name: "postgres", image: "nowhere.example/postgres:17" };
  await byHand(url, `/apis/apps/v1/namespaces/${namespace}/statefulsets/db`, {
    spec: { template: { spec: { containers: [container] } } },
  });
  const waits = ({ metadata, status }: Json): boolean =>
    metadata.name === "db-0" && metadata.namespace === namespace &&
    /Image/.test(status.containerStatuses?.[0]?.state.waiting?.reason ?? "");
  await until(() => simulator.objects("Pod").some(waits));
}

/**
 * Causes failed installations and late or refused certificates, so that logs, events and reasons are read.
 */
async function failAndRetry(scene: WorkScene, hub: FederationRow): Promise<void> {
  const { faults } = scene.simulator, waiting = "Waiting for the order";
  await withFaultUntilWatched(
    scene,
    { type: "uncertified", name: "", message: waiting },
    "certificates.cert-manager.io",
    (attempt) => scene.spoke(hub, `late-${attempt}`),
  );
  const message = "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates";
  const refused = faults.add({ type: "uncertified", name: "", message, final: true });
  const id = await scene.spoke(hub, "broken");
  await scene.becomes(id, "failed");
  faults.remove(refused);
  await requestAction(scene, id, "retry");
  await scene.becomes(id, "active");
  for (const job of ["install-", "setup-"]) faults.failJob(job, { log: ["no luck"] }); // from a template, too
  await scene.becomes(await scene.spoke(hub, "hopeless"), "failed");
}

/**
 * Runs the work, and removes the fault once the resource is watched. Runs the work again if the operation has ended
 * before: on a slow machine, it may give up at its second look, which is the one that starts the watch.
 */
async function withFaultUntilWatched(
  { simulator, db }: WorkScene,
  breakage: SimulatorFault,
  resource: string,
  work: (attempt: number) => Promise<unknown>,
): Promise<void> {
  const late = simulator.faults.add(breakage);
  const isWatched = () => simulator.grants().has(`${CLUSTER_ROLE}: watch ${resource}`);
  const isIdle = async () => (await db.sql("select 1 from jobs where visible and finished_at is null")).length === 0;
  for (let attempt = 1; attempt === 1 || (!isWatched() && attempt <= 5); attempt++) {
    await work(attempt);
    await until(async () => isWatched() || await isIdle(), 5 * MINUTE);
  }
  simulator.faults.remove(late);
}

async function runAction(scene: WorkScene, id: string, action: Action, parameters: object = {}): Promise<void> {
  await requestAction(scene, id, action, parameters);
  await scene.ended(id, action);
}

async function requestAction(
  { app, db, actor }: WorkScene,
  id: string,
  action: Action,
  parameters: object = {},
): Promise<void> {
  await db.transact((tx) => checkAndEnqueueAction(app, tx, actor, id, { action, parameters }));
}
