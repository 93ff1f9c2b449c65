/** A site with a backup, and new namespaces for sites that are created from the backup. */
import * as v from "valibot";
import { createId } from "#lib/base/ids.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { Cluster, ClusterCall, ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { listBackups } from "#lib/domains/backups/store.ts";
import { type SiteOrigin, SpokeInputs } from "#lib/moodle/inputs.ts";
import { DATABASE_STATEFULSET_REF, getAdoptionId, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import { requireLoginPage } from "#lib/steps/login-page.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import {
  createPvcsFromSnapshots,
  deleteSourceSnapshotsWhenBound,
  type SiteSnapshots,
  type VolumeContext,
} from "#lib/recovery/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { addSiteContents } from "#test/support/sites.ts";
import { RELEASE } from "#test/support/release.ts";

export interface VolumeScene {
  scene: WorkScene;
  /** The site that was backed up. */
  source: SpokeRow;
  snapshots: SiteSnapshots;
}

export async function openVolumeScene(context: VolumeScene): Promise<void> {
  const scene = context.scene = await openWorkScene();
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(id, "active");
  context.source = await scene.row(id);
  addSiteContents(scene.simulator, context.source.namespace);
  context.snapshots = await backUp(scene, context.source);
}

export async function backUp(scene: WorkScene, { id }: SpokeRow): Promise<SiteSnapshots> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "backup", parameters: {} })
  );
  await scene.ended(id, "backup");
  const [latest] = await listBackups(scene.db.rows, id);
  return readBackupSnapshots(latest!, await scene.db.transact((tx) => lockSpoke(tx, id)));
}

let count = 0;

/** Creates a namespace with inputs for a site under another host. */
export async function createTarget(
  { scene: { app }, source }: VolumeScene,
  identity: SiteOrigin["identity"],
  changes: Partial<SpokeInputs> = {},
): Promise<VolumeContext> {
  const origin = { adoptionId: getAdoptionId(createId("op")), identity }, slug = `made-${++count}`;
  const own = {
    spokeId: createId("spk"),
    namespace: `spoke-${RELEASE}-${slug}`,
    slug,
    host: `${slug}.example.org`,
    origin,
  };
  const inputs = v.parse(SpokeInputs, { ...source.blueprintInputs, ...own, ...changes });
  const cluster = await app.clusters.open(source.cluster);
  const [namespace] = app.blueprint.spokeObjects(inputs, "namespace");
  const { uid } = await cluster.createNamespace(namespace!, createCall());
  return { cluster, blueprint: app.blueprint, inputs, space: cluster.space(inputs.namespace, uid) };
}

let fence = 0;

/** Returns a run with the next fence. */
export function nextRun(timeout = 20_000, own: unknown = ++fence): JobRun {
  const job = { fence: String(own), progress: {} };
  const noop = () => {};
  return {
    ...createCall(),
    job,
    log: SILENT_LOG,
    throwIfStopped: noop,
    showProgress: noop,
    timeLeft: () => timeout,
    saveProgress: () => Promise.resolve(),
  } as unknown as JobRun;
}

export function createCall(): ClusterCall {
  return { signal: AbortSignal.timeout(60_000) };
}

/** Creates a site from the snapshots. Returns when its login page answers. */
export async function createSite(site: VolumeContext, run: JobRun, from: SiteSnapshots): Promise<void> {
  await prepareNamespace(site, run);
  await createPvcsFromSnapshots(site, run, from);
  await startSite(site, run);
  await deleteSourceSnapshotsWhenBound(site, run);
  await requireLoginPage(site, run);
}

/** Creates the policies and Secrets, which precede the PVCs. */
export async function prepareNamespace(site: VolumeContext, run: JobRun): Promise<void> {
  const { blueprint, inputs, space } = site;
  await applySteps(site, run, "policies", "secrets");
  for (const secret of [...blueprint.newSecrets(inputs), ...blueprint.mailSecret(inputs, null)]) {
    await space.create(secret, run);
  }
}

export async function startSite(site: VolumeContext, run: JobRun): Promise<void> {
  await applySteps(site, run, "database");
  await waitForWorkload(site as unknown as SpokeSite, run, DATABASE_STATEFULSET_REF);
  await applySteps(site, run, "app");
  await waitForWorkload(site as unknown as SpokeSite, run, MOODLE_DEPLOYMENT_REF);
}

export async function applySteps(
  { blueprint, inputs, space }: VolumeContext,
  run: JobRun,
  ...steps: SpokeInstallStep[]
): Promise<void> {
  for (const object of steps.flatMap((step) => blueprint.spokeObjects(inputs, step))) {
    await createWithFence(space, object, run.job, run);
  }
}

export class Killed extends Error {}

/** Wraps the site so that its nth write throws `Killed`, before or after the cluster performs the write. */
export function killAtWrite(site: VolumeContext, nth: number, when: "before" | "after"): VolumeContext {
  let writes = 0;
  const wrapWrites = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(object, name) {
        const method = Reflect.get(object, name) as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return method;
        return async (...args: unknown[]) => {
          const last = ++writes === nth;
          if (last && when === "before") throw new Killed();
          const answer = await method.apply(object, args);
          if (last) throw new Killed();
          return answer;
        };
      },
    });
  return {
    ...site,
    cluster: wrapWrites<Cluster>(site.cluster, ["createGlobal", "deleteGlobal"]),
    space: wrapWrites<ClusterNamespace>(site.space, ["create", "patch", "apply", "delete", "run"]),
  };
}
