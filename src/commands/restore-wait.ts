/** Waits until a replica finishes a restore. Throws a CommandError if the operation fails or a signal arrives. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#lib/drivers/db/database.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { findJob } from "#lib/jobs/store.ts";
import { SECOND } from "#lib/base/time.ts";
import { handleStopSignals } from "../stop-signals.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

const POLL_INTERVAL = SECOND, HINT_DELAY = 10 * SECOND;

export async function waitForRestore(db: Database, id: string): Promise<string> {
  const stop = handleStopSignals(), begin = performance.now();
  let isHintPrinted = false;
  try {
    for (;;) {
      const job = await findJob(db.rows, id);
      if (job && isFinalJobState(job.state)) {
        if (job.state === "succeeded") return "Done: the operation succeeded\n";
        const reason = job.failure ? `: ${job.failure.message}` : "";
        throw new CommandError(EXIT.failed, `The operation ${id} ${job.state}${reason}`);
      }
      if (!isHintPrinted && job?.state === "queued" && performance.now() - begin > HINT_DELAY) {
        isHintPrinted = true;
        process.stderr.write(
          "No replica has started the operation yet. Ctrl-C stops waiting; the operation stays queued\n",
        );
      }
      await sleep(POLL_INTERVAL, undefined, { signal: stop.signal });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError(EXIT.interrupted, `Stopped waiting; the operation ${id} continues`);
  } finally {
    stop.dispose();
  }
}
