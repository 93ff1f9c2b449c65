/** Looks of the sweep in a test: one at a time, without its pauses, and without a scheduler that would add its own. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { checkCluster } from "#lib/workers/sweep/check-cluster.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { SweepPace } from "#lib/workers/sweep/spoke-facts.ts";
import { until } from "#test/support/until.ts";

export const QUICK: SweepPace = {
  ...{ page: 500, pauseMs: 0, maxComparisons: 200, maxReads: 100 },
  watch: { minSpokes: Infinity, relistMs: 30 * MINUTE, failedCheckMs: MINUTE, burstMs: 0 },
};

/**
 * Runs one check. `write` is a transaction by default. The check starts a millisecond after the last one, because rows
 * that were observed in the same millisecond are not written.
 */
export async function lookOnce(app: App, pace: Partial<SweepPace> = {}, write?: JobRun["write"]): Promise<void> {
  const { at } = await app.db.rows.selectFrom("spokes").select(sql<Date | null>`max(observed_at)`.as("at"))
    .executeTakeFirstOrThrow();
  await until(async () => at === null || await app.db.now() > at);
  const run = {
    signal: new AbortController().signal,
    log: SILENT_LOG,
    leaving: new AbortController().signal,
    throwIfStopped: () => {},
    write: write ?? ((work) => app.db.transact(work)),
  } as JobRun;
  await checkCluster(app, run, "default", { ...QUICK, ...pace });
}

/** Changes an object manually: a merge patch by another field manager, or a deletion for null. */
export async function byHand(url: string, path: string, patch: object | null): Promise<void> {
  const answer = await fetch(`${url}${path}${patch ? "?fieldManager=kubectl-edit" : ""}`, {
    method: patch ? "PATCH" : "DELETE",
    ...(patch && { headers: { "content-type": "application/merge-patch+json" }, body: JSON.stringify(patch) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
}
