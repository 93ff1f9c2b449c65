/** Sets up a spoke with data, and creates copies of it. */
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { findCopySource } from "#lib/domains/backups/copy.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { addSiteContents } from "#test/support/sites.ts";
import { selectRows } from "#test/support/rows.ts";

export interface CopyScene {
  scene: WorkScene;
  /** The ID and the namespace of the source. */
  id: string;
  namespace: string;
}

export async function openCopies(context: CopyScene, env: Record<string, string> = {}): Promise<void> {
  const scene = context.scene = await openWorkScene(5, env);
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  context.namespace = (await scene.becomes(context.id, "active")).namespace;
  addSiteContents(scene.simulator, context.namespace);
}

let count = 0;

/** Requests a copy, by default in the source's hub. Returns its ID. */
export async function copy(
  { scene, id }: CopyScene,
  parameters: Partial<NewSpoke> = {},
  hub?: FederationRow,
): Promise<string> {
  const { app, actor, db } = scene,
    { federationId } = await scene.row(id),
    input = { slug: `copy-${++count}`, copyOf: id };
  const place = hub ?? (await findFederation(db.rows, federationId, "shown"))!;
  const request = { ...input, ...parameters } as NewSpoke;
  return (await createSpoke(app, actor, place, request, null, { findCopySource })).id;
}

/** Takes a backup of the source. Returns its ID. */
export async function backUp({ scene, id }: CopyScene): Promise<string> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "backup", parameters: {} })
  );
  const { id: operation } = await scene.ended(id, "backup");
  const [backup] = await selectRows(scene.db, "backups", { operationId: operation }, { columns: ["id"] });
  return backup.id;
}

/** Blocks backups of the source until the returned function is called. */
export function holdBackups({ scene, namespace }: CopyScene): () => void {
  const { faults } = scene.simulator, fault = faults.add({ type: "unready", name: `${namespace}/files-` });
  return () => void faults.remove(fault);
}

/** Blocks the creation of copies' volumes until the returned function is called. */
export function holdCopies({ scene }: CopyScene): () => void {
  const { faults } = scene.simulator, fault = faults.add({ type: "unready", name: "origin-files" });
  return () => void faults.remove(fault);
}

/** Returns the snapshot objects behind volumes, which must be deleted, by kind. */
export function sourcesOf({ simulator }: WorkScene): string[] {
  return ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => simulator.objects(kind))
    .map(({ metadata }) => metadata.name).filter((name) => name.includes("origin-"));
}
