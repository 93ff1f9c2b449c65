/** Prompts the user to confirm a restore, and waits until the restore is finished. */
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Database } from "#lib/drivers/db/database.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { findJob } from "#lib/jobs/store.ts";
import { SECOND } from "#lib/base/time.ts";
import { promptLine } from "../cli/prompt.ts";
import { handleStopSignals } from "../stop-signals.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

const POLL_INTERVAL = SECOND, HINT_DELAY = 10 * SECOND;

/** Returns if `--yes` is set or the user types the name. Otherwise, throws a CommandError. */
export async function confirmRestore(yes: boolean, what: string, name: string): Promise<void> {
  if (yes) return;
  if (!isatty(0) || !isatty(2)) {
    throw new UsageError(`${what}. Without a terminal, confirm with --yes. For a preview, use --dry-run`);
  }
  process.stderr.write(`${what}.\n`);
  if (await promptLine(`Type ${name} to continue`) !== name) throw new CommandError(EXIT.failed, "Cancelled");
}

/** Waits until a replica finishes the operation. Throws a CommandError if the operation fails or a signal arrives. */
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
