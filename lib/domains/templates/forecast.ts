/** Estimates when a template that is being created will be ready, from how long earlier installations took. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { TemplateKey } from "#lib/moodle/template.ts";

/** Durations in milliseconds. Null if nothing was measured yet. */
export interface TemplateCreationTimes {
  readonly sinceStart: number;
  /** How long templates in this cluster usually take. */
  readonly usualCreation: number | null;
  /** How long the install Job of a site in this cluster usually takes. */
  readonly usualInstallation: number | null;
  /** How long this template's install Job took. Null while the Job has not ended. */
  readonly ownInstallation: number | null;
  readonly sinceInstallation: number | null;
}

const MAX_OPERATIONS = 50; // past operations to search, newest first

/** Reads the times of a template's creation. Returns null if no such template is being created, or if its job waits. */
export async function readTemplateCreationTimes(
  rows: RowQueries,
  key: TemplateKey,
): Promise<TemplateCreationTimes | null> {
  const { cluster, clusterUid, version, moodleImage, postgresImage, revision, storageClass } = key;
  const { rows: [times] } = await sql<TemplateCreationTimes>`
    select ${milliseconds(sql`wheelwright_now() - template.created_at`)} as since_start,
      (select percentile_cont(0.5) within group (order by ${milliseconds(sql`ready_at - created_at`)})
        from templates where cluster = ${cluster} and ready_at > created_at) as usual_creation,
      (select percentile_cont(0.5) within group (order by took) from (
        select ${INSTALL_TIME} as took from (
          select * from jobs where kind = 'provision' and state = 'succeeded' and visible
          order by finished_at desc limit ${MAX_OPERATIONS}
        ) as past join spokes on spokes.id = past.spoke_id
        where spokes.cluster = ${cluster} and progress -> 'installs' is not null
      ) as installations) as usual_installation,
      ${INSTALL_TIME} as own_installation,
      ${milliseconds(sql`wheelwright_now() - (step_times ->> 'install')::timestamptz`)} as since_installation
    from templates as template
    join jobs on jobs.dedupe_key = 'create-template:' || template.id
      and jobs.state in ('queued', 'running') and jobs.run_at <= wheelwright_now() -- another replica may continue the job
    where template.state = 'creating' and template.cluster = ${cluster} and template.cluster_uid = ${clusterUid}
      and template.version = ${version} and template.moodle_image = ${moodleImage}
      and template.postgres_image = ${postgresImage} and template.revision = ${revision}
      and template.storage_class = ${storageClass}`.execute(rows);
  return times ?? null;
}

/**
 * Returns how many milliseconds the template probably still takes. Returns null if that is unknown or is not less than
 * an installation takes. Without an earlier template, assumes that the steps after the installation take no longer than
 * the installation itself.
 */
export function estimateTemplateWait(times: TemplateCreationTimes): number | null {
  const { sinceStart, usualCreation, usualInstallation, ownInstallation, sinceInstallation } = times;
  const left = [
    ...usualCreation === null ? [] : [usualCreation - sinceStart],
    ...ownInstallation === null || sinceInstallation === null ? [] : [ownInstallation - sinceInstallation],
  ].find((each) => each > 0);
  const installation = usualInstallation ?? ownInstallation;
  return left !== undefined && installation !== null && left < installation ? left : null;
}

function milliseconds(interval: ReturnType<typeof sql>): ReturnType<typeof sql<number>> {
  return sql<number>`(extract(epoch from ${interval}) * 1000)::float8`;
}

const INSTALL_TIME = milliseconds(
  sql`(step_times ->> 'install')::timestamptz - (step_times ->> 'database')::timestamptz`,
);
