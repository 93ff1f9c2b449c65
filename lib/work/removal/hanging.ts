/**
 * A removal goes on trying for as long as it takes; those who could put right what it hangs on are told once a day, by the
 * audit and with it by the notifications, and by the log. In between, the operation itself says how it stands.
 */
import type { App } from "#lib/app.ts";
import { record } from "#lib/records/changes/record.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { writeHeld } from "#lib/records/jobs/fence.ts";
import { around, type Handler, type Run } from "#lib/scheduler/handler.ts";
import { judge } from "#lib/scheduler/reports.ts";
import { DAY } from "#lib/base/time.ts";

/** Also of a place that cannot be opened. */
export function tellDaily(app: App, handler: Handler): Handler {
  return around(handler, (work, step) => async (run) => {
    try {
      await work(run);
    } catch (error) {
      if (error instanceof ClusterError && !run.signal.aborted) await tell(app, run, step, error);
      throw error;
    }
  });
}

async function tell(app: App, run: Run, step: string, error: ClusterError): Promise<void> {
  const { id, spokeId, federationId, startedAt, progress, asker } = run.job;
  const toldAt = typeof progress.toldAt === "string" ? Date.parse(progress.toldAt) : startedAt!.getTime();
  const now = await app.db.now();
  if (now.getTime() - toldAt < DAY) return;
  const { code, fault, message } = judge(error, step).report;
  run.log.error("A removal hangs", { since: startedAt, step, code, reason: message });
  await run.write(async (tx) => {
    await writeHeld(tx, run.job, { progress: { toldAt: now.toISOString() } });
    if (spokeId === null) return;
    const { slug } = await tx.selectFrom("spokes").select("slug").where("id", "=", spokeId).executeTakeFirstOrThrow();
    const metadata = { action: "remove", slug, step, code, fault, message, since: startedAt, operationId: id };
    const about = { objectType: "spoke", objectId: spokeId, federationId, spokeId } as const;
    await record(tx, asker, { audit: [{ kind: "spoke_action_failed", ...about, metadata }] });
  });
}
