/** Resets a database to an earlier state, as if it was restored from yesterday's backup. */
import type { App } from "#lib/app.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";
import { type ReconcileContext, reconcileDatabase } from "#lib/recovery/adoption/reconcile.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { TABLE_RESTORES } from "#lib/drivers/dump/tables.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { updateSiteRecords } from "#lib/workers/upkeep/site-records.ts";
import type { TestDatabase } from "#test/support/database.ts";
import { ANN } from "#test/lib/recovery/restore/scene.ts";

/** Saves all rows and the last fence. Returns a function that restores them, like a restored backup. */
export async function saveDatabase(db: TestDatabase): Promise<() => Promise<void>> {
  const tables =
    (await db.sql("select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations'"))
      .map(({ tablename }) => tablename as string);
  await db.sql("create schema yesterday");
  for (const table of tables) await db.sql(`create table yesterday.${table} as select * from public.${table}`);
  const [{ last }] = await db.sql("select last_value as last from job_fences");
  const fixups = Object.values(TABLE_RESTORES).flatMap(({ fixup: mend }) => mend ?? []);
  return async () => {
    const refill = tables.map((table) =>
      `insert into public.${table} overriding system value select * from yesterday.${table};`
    );
    await db.sql(
      `do $$ begin
        set local session_replication_role = replica;
        truncate ${tables.map((table) => `public.${table}`).join(", ")};
        ${refill.join("\n")}
        perform setval('job_fences', ${last});
        ${fixups.join(";")};
        insert into database_restores (taken_at) values (wheelwright_now());
      end $$`,
    );
  };
}

/** Writes the site records, as the upkeep does every minute. */
export async function writeSiteRecords(app: App, log: Log = SILENT_LOG): Promise<void> {
  const { rows: [row] } = await app.db.rows.executeQuery<{ fence: string }>(
    app.db.rows.selectNoFrom((is) => is.fn<string>("nextval", [is.val("job_fences")]).as("fence")).compile(),
  );
  const run = {
    job: { id: "op_upkeep", fence: row!.fence },
    signal: new AbortController().signal,
    log,
    throwIfStopped: () => {},
    write: (work: (tx: Tx) => Promise<unknown>) => app.db.transact(work),
  } as unknown as JobRun;
  for (const step of Object.values(updateSiteRecords(app).steps)) await step(run);
}

/** Runs reconcile. Returns the findings, one per line: mark, check, message and hint. */
export async function listReconcileFindings(app: App, changes: Partial<ReconcileContext> = {}): Promise<string[]> {
  const options = {
    clusterNames: ["default"],
    allClusters: true,
    apply: false,
    acceptedNamespaces: [],
    requester: ANN,
  };
  const sections = await reconcileDatabase({ ...app, ...options, signal: new AbortController().signal, ...changes });
  return sections.flatMap(({ findings }) => findings.map(line));
}

const MARKS = { ok: "✓", warning: "!", failing: "✗" } as const;

function line({ level, check, message: text, hint }: Finding): string {
  return `${MARKS[level]} ${check}: ${text}${hint === undefined ? "" : ` → ${hint}`}`;
}
