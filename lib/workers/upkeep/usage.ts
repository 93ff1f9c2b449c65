/** Adds up the usage of each hub's spokes, and deletes old samples. */
import { type RawBuilder, sql } from "kysely";
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import { SAMPLE_AGES, type SampleGrain } from "#lib/domains/usage/store.ts";
import { STORAGE_THRESHOLDS } from "#lib/domains/usage/storage.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

const BATCH = 1000;

export function sumUsage({ db }: Pick<App, "db">): JobHandler {
  return upkeepHandler({ kind: "sum-usage", every: 10 * MINUTE }, {
    hubs: ["Adding up the usage of hubs", 10 * MINUTE, async (run) => {
      await run.write(async (tx) => void await sumHubs.execute(tx));
    }],
    samples: ["Removing old samples of usage", 10 * MINUTE, async (run) => {
      for (const table of ["usage_samples", "hub_usage_samples"]) {
        for (const grain of Object.keys(SAMPLE_AGES) as SampleGrain[]) await deleteSamples(run, table, grain);
      }
    }],
  });

  async function deleteSamples(run: JobRun, table: string, grain: SampleGrain): Promise<void> {
    const isOld = sql`grain = ${sql.lit(grain)} and at < (select wheelwright_now()) - ${
      sql.lit(SAMPLE_AGES[grain])
    }::interval`;
    await runUntilNoChanges(run, async () => {
      const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${isOld} limit ${BATCH}))`.execute(db.rows);
      return Number(numAffectedRows);
    });
  }
}

const SUMS = ["files_used", "files_size", "database_used", "database_size", "users", "active_users", "courses"];
const columns = sql.raw(SUMS.join(", "));

/** Suspended spokes count as well, because their disks still exist. */
const sumHubs: RawBuilder<unknown> = sql`
  insert into hub_usage_samples (federation_id, grain, at, measured_at, spokes, full_spokes, ${columns})
  select federation_id, grain, date_trunc(grain, now, 'UTC'), now, count(*),
    count(*) filter (where storage_percent >= ${STORAGE_THRESHOLDS[0]}),
    ${sql.raw(SUMS.map((name) => `sum(usage.${name})::bigint`).join(", "))}
  from spoke_usage as usage join spokes on spokes.id = usage.spoke_id
    cross join (values ('hour'), ('day')) as grains (grain)
    cross join (select wheelwright_now() as now) as clock
  where spokes.state <> 'removed' and usage.measured_at is not null
  group by federation_id, grain, now
  on conflict (federation_id, grain, at) do update set measured_at = excluded.measured_at, spokes = excluded.spokes,
    full_spokes = excluded.full_spokes, ${sql.raw(SUMS.map((name) => `${name} = excluded.${name}`).join(", "))}`;
