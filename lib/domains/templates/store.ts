/**
 * Stores templates (prepared installations) for new sites, and which sites are created from which template. Finds the
 * sandboxes (temporary namespaces) that templates, queued jobs or running jobs still need.
 */
import { type Selectable, sql } from "kysely";
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { TemplateKey } from "#lib/moodle/template.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { createId } from "#lib/base/ids.ts";
import { DAY, HOUR } from "#lib/base/time.ts";

type TemplateRow = Selectable<Schema["templates"]>;
/** A template for new sites. `volumes` has the same format as the volumes of a backup. */
export type SiteTemplate = Omit<TemplateRow, "volumes"> & { readonly volumes: readonly BackupVolume[] };
export type TemplateUse = Selectable<Schema["template_uses"]>;

/** The wait before a failed site template is retried, in milliseconds. It doubles with each failure, up to a limit. */
const FIRST_WAIT = HOUR, LONGEST_WAIT = 7 * DAY;

/** Locks a template's row until the transaction ends, so that no other transaction retires or fails the template. */
export async function lockTemplate(tx: Tx, key: TemplateKey): Promise<SiteTemplate | null> {
  return await selectByKey(tx, key).forUpdate().executeTakeFirst() ?? null;
}

/** Finds a template by ID. Returns null if the template was replaced or deleted. */
export async function findTemplateById(rows: RowQueries, id: string): Promise<SiteTemplate | null> {
  return await rows.selectFrom("templates").selectAll().where("id", "=", id).executeTakeFirst() ?? null;
}

/** Starts a new template and returns its ID. Returns null if one exists, or if the last attempt failed recently. */
export async function startTemplate(tx: Tx, key: TemplateKey): Promise<string | null> {
  const id = createId("tpl");
  const row = await tx.insertInto("templates").values({ id, ...key })
    .onConflict((conflict) =>
      conflict.constraint("templates_one_of_each").doUpdateSet({
        id,
        state: "creating",
        createdAt: sql<Date>`wheelwright_now()`,
      })
        .where("templates.state", "=", "failed").where(sql<boolean>`templates.next_attempt_at <= wheelwright_now()`)
    ).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/** Saves a template's volumes, including those from earlier attempts, so that a cleanup can find all of them. */
export async function saveTemplateVolumes(tx: Tx, id: string, volumes: readonly BackupVolume[]): Promise<void> {
  await tx.updateTable("templates").set({ volumes: JSON.stringify(volumes) }).where("id", "=", id).execute();
}

export async function markTemplateReady(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("templates")
    .set({ state: "ready", readyAt: sql<Date>`wheelwright_now()`, error: null, nextAttemptAt: null })
    .where("id", "=", id).where("state", "=", "creating").execute();
}

/** Marks a template as failed. Returns false if the template's state was not `from`. */
export async function markTemplateFailed(
  tx: Tx,
  id: string,
  { from, reason }: { readonly from: "creating" | "ready"; readonly reason: string },
): Promise<boolean> {
  const wait = sql`least(${LONGEST_WAIT}, ${FIRST_WAIT} * 2.0 ^ least(failures, 20)) * interval '1 millisecond'`;
  const row = await tx.updateTable("templates").set({
    state: "failed",
    error: redactSecrets(reason),
    failures: sql<number>`failures + 1`,
    nextAttemptAt: sql<Date>`wheelwright_now() + ${wait}`,
  }).where("id", "=", id).where("state", "=", from).returning("id").executeTakeFirst();
  return row !== undefined;
}

/** Marks templates as failed if their creation jobs ended without a result. */
export async function closeAbandonedTemplates(rows: RowQueries): Promise<void> {
  await sql`update templates set state = 'failed', failures = failures + 1, next_attempt_at = wheelwright_now(),
      error = 'The job ended before the template was ready'
    where state = 'creating' and created_at < wheelwright_now() - interval '1 hour' and not exists (
      select from jobs where state in ('queued', 'running') and dedupe_key = 'create-template:' || templates.id)`
    .execute(rows);
}

export async function findTemplateUse(rows: RowQueries, spokeId: string): Promise<TemplateUse | null> {
  return await rows.selectFrom("template_uses").selectAll().where("spokeId", "=", spokeId).executeTakeFirst() ?? null;
}

/** Records that the spoke's site is being created from this template. */
export async function recordTemplateUse(
  tx: Tx,
  { id }: SiteTemplate,
  use: { spokeId: string; adoptionId: string },
): Promise<void> {
  await tx.updateTable("templates").set({ lastUsedAt: sql<Date>`wheelwright_now()` }).where("id", "=", id).execute();
  await tx.insertInto("template_uses").values({ ...use, templateId: id, fallbackReason: null }).execute();
}

/** Resets the template's failure count. Call this once a site has been created from the template. */
export async function resetTemplateFailures(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("templates").set({ failures: 0 }).where("id", "=", id).where("failures", ">", 0).execute();
}

/** Records that a spoke's site will not be created from the template, not even in a later attempt. */
export async function abandonTemplateUse(tx: Tx, { spokeId }: TemplateUse, reason: string): Promise<void> {
  await tx.updateTable("template_uses").set({
    fallbackReason: sql<string>`coalesce(fallback_reason, ${redactSecrets(reason)})`,
  })
    .where("spokeId", "=", spokeId).execute();
}

export async function deleteTemplateUse(tx: Tx, { spokeId }: TemplateUse): Promise<void> {
  await tx.deleteFrom("template_uses").where("spokeId", "=", spokeId).execute();
}

export async function listTemplates(rows: RowQueries): Promise<SiteTemplate[]> {
  return await rows.selectFrom("templates").selectAll().orderBy("createdAt").execute();
}

/** Marks a template as retiring, so that no new site uses it. Returns false if it is in use or has changed. */
export async function retireTemplate(tx: Tx, { id, state }: SiteTemplate): Promise<boolean> {
  const row = await tx.selectFrom("templates").select("id").where("id", "=", id).where("state", "=", state).forUpdate()
    .executeTakeFirst();
  // Checks in a separate statement, which also sees uses of the template that other transactions added while the first
  // statement waited for the lock.
  const { rows: [inUse] } = await sql`
    select from template_uses join jobs using (spoke_id)
    where template_id = ${id} and fallback_reason is null and visible and jobs.state in ('queued', 'running')`.execute(
    tx,
  );
  if (!row || inUse) return false;
  await tx.updateTable("templates").set({ state: "retiring" }).where("id", "=", id).execute();
  return true;
}

/** Deletes the row of a retiring template. Call this after deleting the template's volumes. */
export async function deleteTemplateRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("templates").where("id", "=", id).where("state", "=", "retiring").execute();
}

function selectByKey(rows: RowQueries, key: TemplateKey) {
  let query = rows.selectFrom("templates").selectAll();
  for (const [column, value] of Object.entries(key) as [keyof TemplateKey, string][]) {
    query = query.where(column, "=", value);
  }
  return query;
}

/** VolumeSnapshotContents in use by site templates, and the IDs of templates and jobs that need a sandbox namespace. */
export interface NeededSandboxes {
  readonly contents: ReadonlySet<string>;
  readonly ids: readonly string[];
}

/**
 * Reads which sandboxes and snapshots are still needed. Call this after listing the cluster's objects. Rows are written
 * before objects are created, so every needed object in the list already has a row.
 */
export async function readNeededSandboxes(rows: RowQueries): Promise<NeededSandboxes> {
  const [templates, { rows: jobs }] = await Promise.all([
    rows.selectFrom("templates").select(["id", "state", "volumes"]).execute(),
    sql<{ id: string; template: string | null }>`select id, payload ->> 'template' as template from jobs
      where state in ('queued', 'running')`.execute(rows),
  ]);
  const volumes = templates.flatMap((template) => template.volumes as readonly { readonly content?: string }[]);
  return {
    contents: new Set(volumes.flatMap(({ content }) => content ?? [])),
    ids: [
      ...templates.filter(({ state }) => state !== "failed").map(({ id }) => id),
      ...jobs.flatMap(({ id, template }) => template === null ? [id] : [id, template]),
    ],
  };
}

/** Returns whether a sandbox namespace is needed. Its name ends with the last characters of a template or job ID. */
export function isNeededSandbox({ ids }: Pick<NeededSandboxes, "ids">, namespace: string): boolean {
  const end = namespace.slice(namespace.lastIndexOf("-") + 1);
  return ids.some((id) => id.endsWith(end));
}
