/** The rows of templates, and of what sites are made from them. */
import { type Selectable, sql } from "kysely";
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { TemplateKey } from "#lib/moodle/template.ts";
import { redact } from "#lib/base/redact.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { newId } from "#lib/base/ids.ts";
import { DAY, HOUR } from "#lib/base/time.ts";

type TemplateRow = Selectable<Schema["templates"]>;
/** `volumes` are as a backup's. */
export type SiteTemplate = Omit<TemplateRow, "volumes"> & { readonly volumes: readonly BackupVolume[] };
export type TemplateUse = Selectable<Schema["template_uses"]>;

/** After a failure the next try waits for an hour, after each further one twice as long, and for a week at most. */
const FIRST_WAIT = HOUR, LONGEST_WAIT = 7 * DAY;

export async function findTemplate(rows: Rows, key: TemplateKey): Promise<SiteTemplate | null> {
  return await selectByKey(rows, key).executeTakeFirst() ?? null;
}

/** Until the transaction ends, nobody retires it, and nobody gives it up. */
export async function lockTemplate(tx: Tx, key: TemplateKey): Promise<SiteTemplate | null> {
  return await selectByKey(tx, key).forUpdate().executeTakeFirst() ?? null;
}

/** The one of this making; null when the row is another one's by now, or is gone. */
export async function findTemplateById(rows: Rows, id: string): Promise<SiteTemplate | null> {
  return await rows.selectFrom("templates").selectAll().where("id", "=", id).executeTakeFirst() ?? null;
}

/**
 * The id of a new making, where there is no template of this key and none is being made, or where one failed long enough ago;
 * else null.
 */
export async function beginTemplate(tx: Tx, key: TemplateKey): Promise<string | null> {
  const id = newId("tpl");
  const row = await tx.insertInto("templates").values({ id, ...key })
    .onConflict((conflict) =>
      conflict.constraint("templates_one_of_each").doUpdateSet({
        id,
        state: "making",
        createdAt: sql<Date>`wheelwright_now()`,
      })
        .where("templates.state", "=", "failed").where(sql<boolean>`templates.next_try_at <= wheelwright_now()`)
    ).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/** What it is made of, and what of an earlier making is to be cleared away. */
export async function saveTemplateVolumes(tx: Tx, id: string, volumes: readonly BackupVolume[]): Promise<void> {
  await tx.updateTable("templates").set({ volumes: JSON.stringify(volumes) }).where("id", "=", id).execute();
}

export async function completeTemplate(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("templates")
    .set({ state: "ready", readyAt: sql<Date>`wheelwright_now()`, error: null, nextTryAt: null })
    .where("id", "=", id).where("state", "=", "making").execute();
}

/** None could be made; or no site from this one. Returns whether it is this that made it a failed one. */
export async function failTemplate(
  tx: Tx,
  id: string,
  { from, reason }: { readonly from: "making" | "ready"; readonly reason: string },
): Promise<boolean> {
  const wait = sql`least(${LONGEST_WAIT}, ${FIRST_WAIT} * 2.0 ^ least(failures, 20)) * interval '1 millisecond'`;
  const row = await tx.updateTable("templates").set({
    state: "failed",
    error: redact(reason),
    failures: sql<number>`failures + 1`,
    nextTryAt: sql<Date>`wheelwright_now() + ${wait}`,
  }).where("id", "=", id).where("state", "=", from).returning("id").executeTakeFirst();
  return row !== undefined;
}

/** The same for those whose job has ended and said nothing of them. */
export async function closeAbandonedTemplates(rows: Rows): Promise<void> {
  await sql`update templates set state = 'failed', failures = failures + 1, next_try_at = wheelwright_now(),
      error = 'Its job ended before the template was ready'
    where state = 'making' and created_at < wheelwright_now() - interval '1 hour' and not exists (
      select from jobs where state in ('queued', 'running') and dedupe_key = 'make-template:' || templates.id)`
    .execute(rows);
}

export async function findTemplateUse(rows: Rows, spokeId: string): Promise<TemplateUse | null> {
  return await rows.selectFrom("template_uses").selectAll().where("spokeId", "=", spokeId).executeTakeFirst() ?? null;
}

/** The spoke's site is made from the template from now on. */
export async function recordTemplateUse(
  tx: Tx,
  { id }: SiteTemplate,
  use: { spokeId: string; turn: string },
): Promise<void> {
  await tx.updateTable("templates").set({ lastUsedAt: sql<Date>`wheelwright_now()` }).where("id", "=", id).execute();
  await tx.insertInto("template_uses").values({ ...use, templateId: id, givenUp: null }).execute();
}

/** It has served: whatever failed before is no reason to wait any longer the next time. */
export async function resetTemplateFailures(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("templates").set({ failures: 0 }).where("id", "=", id).where("failures", ">", 0).execute();
}

/** The spoke's site is not to be made from it, whoever goes on with that. */
export async function abandonTemplateUse(tx: Tx, { spokeId }: TemplateUse, reason: string): Promise<void> {
  await tx.updateTable("template_uses").set({ givenUp: sql<string>`coalesce(given_up, ${redact(reason)})` })
    .where("spokeId", "=", spokeId).execute();
}

export async function deleteTemplateUse(tx: Tx, { spokeId }: TemplateUse): Promise<void> {
  await tx.deleteFrom("template_uses").where("spokeId", "=", spokeId).execute();
}

export async function listTemplates(rows: Rows): Promise<SiteTemplate[]> {
  return await rows.selectFrom("templates").selectAll().orderBy("createdAt").execute();
}

/** From here on no site is made from it. False where it is in use, or is not what it was when it was looked at. */
export async function retireTemplate(tx: Tx, { id, state }: SiteTemplate): Promise<boolean> {
  const row = await tx.selectFrom("templates").select("id").where("id", "=", id).where("state", "=", state).forUpdate()
    .executeTakeFirst();
  // A statement of its own: who took the template while this waited for the row is seen only now.
  const { rows: [inUse] } = await sql`
    select from template_uses join jobs using (spoke_id)
    where template_id = ${id} and given_up is null and visible and jobs.state in ('queued', 'running')`.execute(tx);
  if (!row || inUse) return false;
  await tx.updateTable("templates").set({ state: "retiring" }).where("id", "=", id).execute();
  return true;
}

/** What it was made of is gone. */
export async function removeTemplate(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("templates").where("id", "=", id).where("state", "=", "retiring").execute();
}

function selectByKey(rows: Rows, key: TemplateKey) {
  let query = rows.selectFrom("templates").selectAll();
  for (const [column, value] of Object.entries(key) as [keyof TemplateKey, string][]) {
    query = query.where(column, "=", value);
  }
  return query;
}
