/**
 * Brings a hub's policy to its spokes by a rollout. A newer rollout replaces one that has not ended: each operation
 * applies the newest policy, so the older rollout has nothing left to do.
 */
import { sql } from "kysely";
import { createId } from "#lib/base/ids.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { HubSpoke } from "#lib/domains/policy/store.ts";
import { createRolloutJob } from "#lib/domains/rollouts/job.ts";
import { recordRolloutChange } from "#lib/domains/rollouts/record.ts";
import { lockRollout, type RolloutRow, updateRollout } from "#lib/domains/rollouts/store.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

/** The rules of such a rollout: one spoke first, then all others. */
const RULES = { canarySpokes: 1, canaryMinutes: 0, batch: "100%", maxUnavailable: 20, maxFailures: 1 } as const;
/** The rules if add-ons change: these sites are in maintenance mode for about a minute. */
const DOWNTIME_RULES = { ...RULES, batch: "20%", maxUnavailable: 5 } as const;
/** The number of rows in an insert statement, which may have at most 65,535 parameters. */
const ROWS_AT_ONCE = 5_000;

const ACTION = "configure";

/** Creates the rollout and ends older ones. Call `recordPolicyRollout` at the end of the transaction. */
export async function createPolicyRollout(
  tx: Tx,
  requester: Requester,
  federationId: string,
  spokes: readonly HubSpoke[],
  downtime: "with downtime" | "without downtime" = "without downtime",
): Promise<PolicyRollout> {
  const rules = downtime === "with downtime" ? DOWNTIME_RULES : RULES;
  const id = createId("rol"), replaced: RolloutRow[] = [];
  for (const rollout of await listUnfinishedRollouts(tx, federationId)) {
    const { state } = await lockRollout(tx, rollout.id);
    if (state !== "running" && state !== "paused") continue;
    const reason = `Replaced by the rollout ${id}, which brings a newer version`;
    replaced.push(await updateRollout(tx, rollout.id, { state: "aborted", note: null, reason }));
    await tx.updateTable("rollout_spokes").set({ state: "skipped", reason: sql`'The rollout was replaced'` })
      .where("rolloutId", "=", rollout.id).where("state", "=", "waiting").execute();
  }
  const row = await tx.insertInto("rollouts").values({
    id,
    action: ACTION,
    parameters: "{}",
    ...rules,
    timeWindow: null,
    federationIds: [federationId],
    note: null,
    reason: null,
    requestedBy: requester.userId,
  }).returningAll().executeTakeFirstOrThrow();
  const waves = assignWaves(spokes.length, { canary: rules.canarySpokes, batch: rules.batch });
  const members = spokes.map((spoke, position) => ({
    rolloutId: id,
    spokeId: spoke.id,
    position,
    wave: waves[position]!,
    state: "waiting" as const,
    operationId: null,
    reason: null,
  }));
  for (let from = 0; from < members.length; from += ROWS_AT_ONCE) {
    await tx.insertInto("rollout_spokes").values(members.slice(from, from + ROWS_AT_ONCE)).execute();
  }
  return { row, replaced, spokes: spokes.length };
}

export interface PolicyRollout {
  readonly row: RolloutRow;
  /** Older rollouts that this one has ended. */
  readonly replaced: readonly RolloutRow[];
  readonly spokes: number;
}

/** Records the rollout and the end of older ones, and enqueues its job. */
export async function recordPolicyRollout(tx: Tx, requester: Requester, rollout: PolicyRollout): Promise<void> {
  for (const row of rollout.replaced) {
    await recordRolloutChange(tx, requester, row, "rollout_aborted", { metadata: { reason: row.reason } });
  }
  const metadata = { spokes: rollout.spokes }, jobs = [createRolloutJob(rollout.row.id)];
  await recordRolloutChange(tx, requester, rollout.row, "rollout_created", { metadata, jobs });
}

/** Finds the newest rollout that brings the hub's policy to its spokes. */
export async function findPolicyRollout(
  rows: RowQueries,
  federationId: string,
): Promise<Pick<RolloutRow, "id" | "state" | "reason"> | null> {
  const found = await selectPolicyRollouts(rows, federationId).orderBy("createdAt", "desc").orderBy("id", "desc").limit(
    1,
  )
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Whether the hub's newest rollout decides about the spoke: it will bring the policy, has failed to, or was aborted. A
 * spoke that it skipped because the site was not running is not left to it. Nor is a spoke to which it has brought
 * what was new then: a change for which no site was running has no rollout.
 */
export async function isLeftToRollout(
  rows: RowQueries,
  { id, federationId }: Pick<SpokeRow, "id" | "federationId">,
): Promise<boolean> {
  const rollout = await findPolicyRollout(rows, federationId);
  if (!rollout) return false;
  const member = await rows.selectFrom("rollout_spokes").select(["state", "operationId"])
    .where("rolloutId", "=", rollout.id).where("spokeId", "=", id).executeTakeFirst();
  if (!member || member.state === "succeeded") return false;
  return rollout.state === "aborted" || member.state !== "skipped" || member.operationId !== null;
}

async function listUnfinishedRollouts(rows: RowQueries, federationId: string) {
  return await selectPolicyRollouts(rows, federationId).where("state", "in", ["running", "paused"]).orderBy("id")
    .execute();
}

function selectPolicyRollouts(rows: RowQueries, federationId: string) {
  return rows.selectFrom("rollouts").select(["id", "state", "reason"]).where("action", "=", ACTION)
    .where(sql<boolean>`federation_ids = array[${federationId}]::text[]`);
}
