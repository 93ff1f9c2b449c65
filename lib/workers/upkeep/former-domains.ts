/**
 * Releases a spoke's former domains when their reservation ends: queues a `configure` operation, which removes the
 * redirects and frees the domains. If another operation prevents this, the next hourly run tries again.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { enqueueConfigureJob } from "#lib/domains/spokes/patch.ts";
import { type AcceptedAction, type ActionCheckInput, requireActionAllowed } from "#lib/operations/check-action.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

const MAX_SPOKES = 100; // the maximum number of spokes per run; the job runs every hour

export function deleteExpiredDomains({ db }: Pick<App, "db">): JobHandler {
  return upkeepHandler({ kind: "release-domains", every: HOUR }, {
    spokes: ["Releasing former domains", 10 * MINUTE, async (run) => {
      const { rows: due } = await sql<{ id: string }>`
        select id from spokes where state = 'active'
          and id in (select spoke_id from former_domains where until <= (select wheelwright_now()))
        order by id limit ${MAX_SPOKES}`.execute(db.rows);
      for (const { id } of due) await run.write((tx) => releaseDomains(tx, id));
    }],
  });
}

async function releaseDomains(tx: Tx, id: string): Promise<void> {
  const spoke = await lockSpoke(tx, id), facts = await readSpokeActionFacts(tx, spoke);
  const acceptance = facts.live.includes("configure") ? null : checkConfigure(facts);
  if (acceptance) await enqueueConfigureJob(tx, SYSTEM_REQUESTER, spoke, acceptance);
}

/** Returns the accepted action `configure`, or null if another operation on the spoke rules it out at the moment. */
function checkConfigure(facts: ActionCheckInput): AcceptedAction | null {
  try {
    return requireActionAllowed("configure", facts);
  } catch (error) {
    if (error instanceof Fault && error.kind === "conflict") return null;
    throw error;
  }
}
