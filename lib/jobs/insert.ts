/** Adds the rows of new jobs. */
import { type Insertable, sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { createId } from "#lib/base/ids.ts";
import { formatCurrentTrace } from "#lib/base/work-context.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { NewJob } from "#lib/jobs/job.ts";

const WAITING_LABEL = "Waiting to start";

/** Adds a job's row and returns it. Returns no row if a queued or running job has the same dedupe key. */
export const insertJobRow = prepareQuery((rows, { runAt, ...row }: Insertable<Schema["jobs"]>) =>
  rows.insertInto("jobs").values({ ...row, runAt: runAt ?? sql<Date>`wheelwright_now()` }).onConflict((conflict) =>
    conflict.column("dedupeKey").where("state", "in", [sql.lit<"queued">("queued"), sql.lit<"running">("running")])
      .doNothing()
  ).returningAll()
);

/** Returns the row of a new job, with a generated ID. */
export function buildJobRow(requester: Requester, job: NewJob) {
  const { kind } = job;
  return {
    id: createId("op"),
    kind: kind.kind,
    visible: kind.visible,
    lane: job.lane,
    federationId: job.federationId,
    spokeId: job.spokeId,
    runAt: job.runAt,
    timeLimitMs: kind.timeLimit,
    plan: kind.plan,
    stepNames: kind.steps.map((step) => step.name),
    label: WAITING_LABEL,
    payload: JSON.stringify(job.payload ?? {}),
    dedupeKey: job.dedupeKey ?? null,
    requesterId: requester.userId,
    requesterEmail: requester.email,
    requesterIp: requester.ip,
    requesterAgent: requester.userAgent,
    requesterToken: requester.tokenPrefix,
    trace: kind.repeatEvery === undefined ? formatCurrentTrace() : null, // otherwise one trace would grow forever
  };
}
