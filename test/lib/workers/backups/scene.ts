/** A hub whose spokes have volumes but no site, and a replica that backs them up. The clock shows noon. */
import * as assert from "uvu/assert";
import { recordChange } from "#lib/changes/record.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { bindClusterRole } from "#test/support/service-account.ts";
import {
  createFakeSpoke,
  type FakeSpoke,
  prepareHub,
  setDatabaseClock,
  waitForControllers,
} from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

/** The database's time, far from midnight, because backups are kept by days. */
export const NOON = new Date("2026-11-21T12:00:00.000Z");
export const API = "/apis/snapshot.storage.k8s.io/v1";

export interface BackupScene {
  scene: WorkScene;
  hub: FederationRow;
}

export async function openBackupScene(context: BackupScene): Promise<void> {
  context.scene = await openWorkScene();
  await setDatabaseClock(context.scene.db, NOON);
  context.hub = await context.scene.hub("math");
  await prepareHub(context.scene.db, context.hub);
  await context.scene.replica();
}

/** Creates an active spoke with two bound volumes. */
export async function createSpoke({ scene, hub }: BackupScene): Promise<FakeSpoke> {
  const { simulator: { url } } = scene;
  const planted = await createFakeSpoke(
    scene.app,
    scene.db,
    scene.actor,
    hub,
    `site-${crypto.randomUUID().slice(0, 8)}`,
    {
      url,
    },
  );
  await bindClusterRole(scene.simulator, planted.namespace);
  await waitForControllers(scene.simulator.objects);
  return planted;
}

/** Requests a backup like a user. */
export async function requestBackup(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "backup", parameters: {} })
  );
}

/** Requests a backup like the nightly plan. */
export async function queueNightlyBackup(scene: WorkScene, id: string): Promise<void> {
  const row = await scene.row(id);
  await scene.db.transact((tx) =>
    recordChange(tx, scene.actor, { jobs: [buildSpokeJob(row, "backup", { kind: "nightly" })] })
  );
}

/** Waits until an attempt of the spoke's backup has failed, and runs the work before the next attempt. */
export async function betweenAttempts({ db }: WorkScene, id: string, work: () => Promise<unknown>): Promise<void> {
  const setStart = (when: string) =>
    db.sql(
      `update jobs set run_at = wheelwright_now() + $2::interval
       where spoke_id = $1 and kind = 'backup' and state = 'queued' and failure is not null returning id`,
      [id, when],
    );
  await until(async () => (await setStart("1 day")).length > 0);
  await work();
  await setStart("0");
}

// deno-lint-ignore no-explicit-any
export async function listBackupRows(scene: WorkScene, id: string): Promise<any[]> {
  return await selectRows(scene.db, "backups", { spokeId: id }, { orderBy: "createdAt" });
}

export async function listAuditKinds(scene: WorkScene, id: string): Promise<string[]> {
  const events = await scene.db.sql(
    "select kind from audit_events where spoke_id = $1 and kind <> 'spoke_requested' order by at",
    [id],
  );
  return events.map(({ kind }) => kind);
}

export function listExisting(scene: WorkScene, kind: string, names: readonly string[]): string[] {
  return scene.simulator.objects(kind).map(({ metadata }) => metadata.name).filter((name) => names.includes(name));
}

export async function patchObject(scene: WorkScene, path: string, operations: unknown): Promise<void> {
  const response = await fetch(scene.simulator.url + path, {
    method: "PATCH",
    headers: { "content-type": "application/json-patch+json" },
    body: JSON.stringify(operations),
  });
  assert.is(response.status, 200, await response.text());
}
