/** A site in use, a backup of it, and places for sites that are made from that: each a namespace of nobody's. */
import * as v from "valibot";
import { newId } from "#lib/base/ids.ts";
import { silentLog } from "#lib/base/log.ts";
import type { Call, Cluster, Space } from "#lib/drivers/cluster/cluster.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { listBackups } from "#lib/domains/backups/store.ts";
import { type SiteOrigin, SpokeInputs } from "#lib/moodle/inputs.ts";
import { adoptionIdOf, DATABASE_STATEFULSET, MOODLE_DEPLOYMENT } from "#lib/moodle/names.ts";
import type { SpokeStep } from "#lib/moodle/blueprint-files.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { createFenced } from "#lib/workers/fenced-objects.ts";
import { requireLoginPage } from "#lib/workers/site-jobs.ts";
import { waitForWorkload } from "#lib/workers/workloads.ts";
import type { SpokeSite } from "#lib/workers/site.ts";
import {
  createPvcsFromSnapshots,
  deleteSourceObjectsWhenBound,
  type SiteSnapshots,
  type VolumeContext,
} from "#lib/workers/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/workers/volumes/backup-snapshots.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { addSiteContents } from "#test/support/sites.ts";
import { RELEASE } from "#test/support/release.ts";

export interface VolumeScene {
  scene: WorkScene;
  /** The site whose backup it is. */
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
  await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action: "backup", parameters: {} }));
  await scene.ended(id, "backup");
  const [latest] = await listBackups(scene.db.rows, id);
  return readBackupSnapshots(latest!, await scene.db.transact((tx) => lockSpoke(tx, id)));
}

let count = 0;

/** A namespace of its own, under another host. */
export async function place(
  { scene: { app }, source }: VolumeScene,
  identity: SiteOrigin["identity"],
  changes: Partial<SpokeInputs> = {},
): Promise<VolumeContext> {
  const origin = { turn: adoptionIdOf(newId("op")), identity }, slug = `made-${++count}`;
  const own = {
    spokeId: newId("spk"),
    namespace: `spoke-${RELEASE}-${slug}`,
    slug,
    host: `${slug}.example.org`,
    origin,
  };
  const inputs = v.parse(SpokeInputs, { ...source.blueprintInputs, ...own, ...changes });
  const cluster = await app.clusters.open(source.cluster);
  const [namespace] = app.blueprint.spokeObjects(inputs, "namespace");
  const { uid } = await cluster.createNamespace(namespace!, call());
  return { cluster, blueprint: app.blueprint, inputs, space: cluster.space(inputs.namespace, uid) };
}

let fence = 0;

/** A holder's run, each with a fence of its own. */
export function nextRun(patience = 20_000, own: unknown = ++fence): Run {
  const job = { fence: String(own), progress: {} };
  const nothing = () => {};
  return {
    ...call(),
    job,
    log: silentLog,
    throwIfStopped: nothing,
    showProgress: nothing,
    timeLeft: () => patience,
    saveProgress: () => Promise.resolve(),
  } as unknown as Run;
}

export function call(): Call {
  return { signal: AbortSignal.timeout(60_000) };
}

/** All that makes a site of the snapshots, in the order of an installation; returns once it answers. */
export async function make(site: VolumeContext, run: Run, from: SiteSnapshots): Promise<void> {
  await prepare(site, run);
  await createPvcsFromSnapshots(site, run, from);
  await start(site, run);
  await deleteSourceObjectsWhenBound(site, run);
  await requireLoginPage(site, run);
}

/** What stands there before the claims. */
export async function prepare(site: VolumeContext, run: Run): Promise<void> {
  const { blueprint, inputs, space } = site;
  await put(site, run, "policies", "secrets");
  for (const secret of [...blueprint.newSecrets(inputs), ...blueprint.mailSecret(inputs, null)]) {
    await space.create(secret, run);
  }
}

export async function start(site: VolumeContext, run: Run): Promise<void> {
  await put(site, run, "database");
  await waitForWorkload(site as unknown as SpokeSite, run, DATABASE_STATEFULSET);
  await put(site, run, "app");
  await waitForWorkload(site as unknown as SpokeSite, run, MOODLE_DEPLOYMENT);
}

export async function put({ blueprint, inputs, space }: VolumeContext, run: Run, ...steps: SpokeStep[]): Promise<void> {
  for (const object of steps.flatMap((step) => blueprint.spokeObjects(inputs, step))) {
    await createFenced(space, object, run.job, run);
  }
}

export class Killed extends Error {}

/** The same place, whose holder is killed at its nth write: before the cluster hears of it, or before it hears the answer. */
export function killedAt(site: VolumeContext, nth: number, when: "before" | "after"): VolumeContext {
  let writes = 0;
  const killing = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(object, name) {
        const method = Reflect.get(object, name) as (...given: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return method;
        return async (...given: unknown[]) => {
          const last = ++writes === nth;
          if (last && when === "before") throw new Killed();
          const answer = await method.apply(object, given);
          if (last) throw new Killed();
          return answer;
        };
      },
    });
  return {
    ...site,
    cluster: killing<Cluster>(site.cluster, ["createGlobal", "deleteGlobal"]),
    space: killing<Space>(site.space, ["create", "patch", "apply", "delete", "run"]),
  };
}
