/** Asks for confirmation of a restore, and waits for the end of its operation. */
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Database } from "#lib/drivers/db/database.ts";
import { isFinished } from "#lib/jobs/job.ts";
import { findJob } from "#lib/jobs/store.ts";
import { SECOND } from "#lib/base/time.ts";
import { askLine } from "../cli/prompt.ts";
import { awaitStop } from "../stop-signals.ts";
import { CommandError, EX_INTERRUPTED, EX_USAGE } from "./command.ts";

const EX_FAILED = 1, EVERY = SECOND, QUIET = 10 * SECOND;

/** Throws a CommandError unless `--yes` is set or the user types the name. */
export async function confirmOverwrite(yes: boolean, what: string, name: string): Promise<void> {
  if (yes) return;
  if (!isatty(0) || !isatty(2)) {
    throw new CommandError(
      EX_USAGE,
      `${what}. Without a terminal, confirm with --yes; --dry-run shows what would happen`,
    );
  }
  process.stderr.write(`${what}.\n`);
  if (await askLine(`Type ${name} to continue`) !== name) throw new CommandError(EX_FAILED, "Nothing was done");
}

/** Waits until a replica has finished the operation. Throws a CommandError if it failed or a signal arrives. */
export async function awaitOperation(db: Database, id: string): Promise<string> {
  const stop = awaitStop(), begin = performance.now();
  let hinted = false;
  try {
    for (;;) {
      const job = await findJob(db.rows, id);
      if (job && isFinished(job.state)) {
        if (job.state === "succeeded") return "Done: the operation succeeded\n";
        const reason = job.failure ? `: ${job.failure.message}` : "";
        throw new CommandError(EX_FAILED, `The operation ${id} ${job.state}${reason}`);
      }
      if (!hinted && job?.state === "queued" && performance.now() - begin > QUIET) {
        hinted = true;
        process.stderr.write("No replica has begun it yet. Ctrl-C ends the wait and leaves the operation queued\n");
      }
      await sleep(EVERY, undefined, { signal: stop.signal });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError(EX_INTERRUPTED, `Stopped waiting; the operation ${id} continues`);
  } finally {
    stop.forget();
  }
}
