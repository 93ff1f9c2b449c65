/**
 * What the ends of a configure make of the spoke's row: its inputs, which say what is in force, become what the site was
 * seen to have taken, and the spoke has its new name once all of that is done. After a failure, its words and its look
 * are kept where they were set by then; the name stays, and nobody is to move any more.
 */
import { type Configured, wordsPart } from "#lib/moodle/configure.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/records/jobs/job.ts";
import { liveOperations } from "#lib/records/jobs/store.ts";
import type { Hooks, Outcome } from "#lib/scheduler/handler.ts";
import { dropWishedName, freeNames, moveTo } from "#lib/domains/spokes/names.ts";
import { lockSpoke, setInForce, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { actionOutcomes } from "#lib/work/outcomes.ts";

export const configureOutcomes: Hooks = {
  ...actionOutcomes,
  async onSucceeded(tx, job) {
    const before = await lockSpoke(tx, job.spokeId!), after = job.progress.after as Configured;
    const names = isStaying(before) ? await keepNames(tx, before, after) : {};
    return withNames(await actionOutcomes.onSucceeded!(tx, job), names);
  },
  async onFailed(tx, job, report) {
    const before = await lockSpoke(tx, job.spokeId!), after = job.progress.after as Configured | undefined;
    const wished = before.wishedDomain;
    if (isStaying(before)) {
      if (after && job.stepsDone.includes("seed")) {
        await setInForce(tx, before.id, { ...before.blueprintInputs, ...wordsPart(after) });
      }
      if (!await hasFollower(tx, job)) await dropWishedName(tx, before.id);
    }
    const isBack = (job.progress.observed as { isBack?: boolean } | undefined)?.isBack === true;
    const moving = after !== undefined && after.host !== before.domain;
    const message = !moving
      ? report.message
      : isBack
      ? `${report.message}; the site stays ${before.domain}`
      : `${report.message}; the site may answer as ${after.host} until it is asked for again, or the blueprint is reapplied`;
    const outcome = await actionOutcomes.onFailed!(tx, job, { ...report, message });
    return withNames(outcome, wished === null ? {} : { domain: { from: before.domain, to: wished } });
  },
};

async function keepNames(tx: Tx, before: SpokeRow, after: Configured): Promise<object> {
  await setInForce(tx, before.id, { ...before.blueprintInputs, ...after });
  const kept = after.formerHosts ?? [], moves = after.host !== before.domain;
  const freed = await freeNames(tx, before.id, [...kept.map(({ host }) => host), after.host]);
  if (moves) await moveTo(tx, before, after.host);
  return {
    ...(moves && { domain: { from: before.domain, to: after.host } }),
    ...(freed.length > 0 && { freedDomains: freed }),
  };
}

/** Whether another one has been asked for, which brings what is wished by now. */
async function hasFollower(tx: Tx, { id, spokeId }: Job): Promise<boolean> {
  return (await liveOperations(tx, spokeId!)).some((other) => other.kind === "configure" && other.id !== id);
}

function isStaying({ state }: SpokeRow): boolean {
  return state !== "removing" && state !== "removed";
}

function withNames(outcome: Outcome, names: object): Outcome {
  return {
    ...outcome,
    audit: (outcome.audit ?? []).map((entry) => ({ ...entry, metadata: { ...entry.metadata, ...names } })),
  };
}
