/** Creates a hub, a spoke and its backup as rows, for tests of copies. No job runs. */
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

export interface CopyContext {
  scene: Scene;
  /** An active spoke of the hub north, with its newest backup. */
  elm: string;
  backup: string;
}

export const NORTH = "/api/federations/north/spokes", SOUTH = "/api/federations/south/spokes";

export async function openElm(context: CopyContext): Promise<void> {
  const scene = context.scene = await openScene();
  await insertHub(scene.db, scene.people.operator.id, "south");
  const { body } = await scene.as("operator").post(NORTH, {
    ...{ slug: "elm", displayName: "Elm school", size: "medium", identity: true, content: true, contentMode: "copy" },
    ...{ brand: "ocean", adminEmail: "head@elm.example", lmsVersion: "4.5.10", seed: "demo" },
  });
  context.elm = body.id;
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { spokeId: body.id });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id: body.id });
  context.backup = await plant(scene, body.id, "bak_1");
}

/** Inserts a ready backup. */
export async function plant(
  { db }: Scene,
  spokeId: string,
  id: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const volumes = ["files", "data-db-0"].map((claim) => ({
    claim,
    snapshot: claim,
    handle: claim,
    driver: "csi",
    class: "c",
  }));
  const { images } = more;
  await db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, volumes, ready_at,
       lms_version, images, failed_at)
     select $2, id, federation_id, 'op_' || $2, coalesce($4, cluster), namespace, 'manual', coalesce($3, 'ready'), $5::jsonb,
       wheelwright_now(), coalesce($6, lms_version), coalesce($7::jsonb, blueprint_inputs -> 'images'), wheelwright_now()
     from spokes where id = $1`,
    [spokeId, id, more.state ?? null, more.cluster ?? null, volumes, more.lmsVersion ?? null, images ?? null],
  );
  return id;
}

/** Counts the rows of all tables that a copy writes to. */
export async function countRows({ db }: Scene): Promise<unknown> {
  const tables = ["spokes", "jobs", "audit_events", "stream_events", "backups", "idempotency_keys"];
  return await db.sql(`select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`)}`);
}
