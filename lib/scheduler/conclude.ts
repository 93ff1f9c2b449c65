/**
 * What happens when a step throws, or a run is told to stop: the job is let go of, given back, cancelled, put off until
 * the next try or the end of another one, or failed. What cannot even be recorded is put aside.
 */
import type { FailureReport } from "#lib/jobs/job.ts";
import { FenceLost } from "#lib/jobs/fence.ts";
import { patienceUntil } from "#lib/scheduler/clock.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import type { Held } from "#lib/scheduler/held.ts";
import { cancel, fail, giveBack, putOff, putOffOrEnd, stepAside } from "#lib/scheduler/outcomes.ts";
import {
  bugsOf,
  judge,
  lastReport,
  mayTryAgain,
  pause,
  type Retry,
  tellUnseen,
  unrecorded,
  withEvidence,
} from "#lib/scheduler/reports.ts";
import { Awaiting, Cancelled, Draining, Lapsed, Yielding } from "#lib/scheduler/stops.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const LAST_LOOK = 10 * SECOND;

/** A run that came to a stop before its job was done. */
export interface Stopped {
  readonly handler: Handler;
  readonly held: Held;
  readonly run: Run;
  readonly retry: Retry | undefined;
}

/** Throws nothing: what cannot be recorded is in the log. */
export async function conclude(stopped: Stopped, error: unknown, step: string): Promise<void> {
  const { handler, held, run: { log, signal } } = stopped;
  const reason = signal.aborted ? signal.reason : error;
  try {
    if (isGone(reason)) return log.warn("Let go of an operation: it is no longer ours", { step, reason });
    if (reason instanceof Draining) return await handBack(stopped, "Waiting to go on", 0);
    if (reason instanceof Yielding) return await handBack(stopped, reason.message, reason.wait);
    if (reason instanceof Awaiting) return await leaveTo(stopped, reason);
    if (reason instanceof Cancelled) return void await held.advance((tx, job) => cancel(tx, handler, job));
    await tryAgainOrFail(stopped, reason, step);
  } catch (late) {
    if (isGone(late)) return log.warn("Let go of an operation: it was taken over", { step, reason: late });
    log.error("Cannot record how an operation went; it will be tried again", { step, error: late, reason });
    const aside = held.advance((tx, job) =>
      putOffOrEnd(tx, handler, job, unrecorded(step, "how this ended"), waitOf(stopped))
    );
    await aside.catch((worse) => log.error("Cannot give an operation back", { error: worse }));
  }
}

/** Whether the job is no longer this holder's, so that nothing more may be written of it. */
function isGone(reason: unknown): boolean {
  return reason instanceof Lapsed || reason instanceof FenceLost;
}

async function handBack({ held, run: { log } }: Stopped, label: string, wait: number): Promise<void> {
  await held.advance((tx, job) => giveBack(tx, job, { label, wait, counts: false }));
  log[held.job.visible ? "info" : "debug"]("Gave an operation back", { reason: label });
}

/** The end of what it waits for calls it back (sql/0051); looking again is for the case that nothing does. */
async function leaveTo({ held, retry, run: { log } }: Stopped, awaited: Awaiting): Promise<void> {
  const wait = retry?.most ?? 2 * MINUTE;
  await held.advance((tx, job) => stepAside(tx, job, awaited, wait));
  log.info("Waits for another operation", { awaits: awaited.operationId });
}

async function tryAgainOrFail(stopped: Stopped, error: unknown, step: string): Promise<void> {
  const { handler: { kind }, held, run: { log } } = stopped;
  const verdict = judge(error, step), { report, nature } = verdict, { job } = held;
  const wait = Math.max(verdict.wait, waitOf(stopped, verdict.away));
  const at = new Date((await held.now()).getTime() + wait);
  const again = mayTryAgain(verdict, kind, job, at);
  log[nature === "bug" ? "error" : "warn"](again ? "Step failed; trying again" : "Operation failed", {
    step,
    code: report.code,
    attempt: job.attempt,
    error,
  });
  if (!again) return await failForGood(stopped, lastReport(verdict, job));
  const progress = nature === "bug" ? { bugs: bugsOf(job) + 1 } : {};
  await held.advance((tx, job) => putOff(tx, job, report, wait, progress));
}

/** Milliseconds before the next try. */
function waitOf({ handler, held, retry }: Stopped, away = false): number {
  return pause(handler, held.job, retry, away);
}

/** Looks at the cluster once more: for logs and events, if the failure brought none, and for how things stand. */
async function failForGood({ handler, held, run }: Stopped, report: FailureReport): Promise<void> {
  const endsAt = performance.now() + LAST_LOOK;
  const last: Run = {
    ...run,
    signal: AbortSignal.timeout(LAST_LOOK),
    check: () => held.tenure.check(),
    patience: () => patienceUntil(endsAt),
  };
  const look = async <T>(what: ((run: Run) => Promise<T>) | undefined): Promise<T | undefined> => {
    try {
      return await what?.(last);
    } catch (error) {
      run.log.warn("Cannot look at the cluster after a failure", { error });
    }
  };
  const bare = report.log.length + report.events.length === 0;
  const [evidence, observed] = await Promise.all([look(bare ? handler.evidence : undefined), look(handler.observe)]);
  const told = handler.observe && observed === undefined ? tellUnseen(report) : report;
  const whole = evidence ? withEvidence(told, evidence) : told;
  await held.advance((tx, job) => fail(tx, handler, job, whole, observed));
}
