/** After a cluster is lost, marks spokes without a backup as failed and the cluster's site templates as retiring. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { MINUTE } from "#lib/base/time.ts";

/** The states of spokes that no operation is changing. */
const SETTLED_STATES = ["active", "suspended"];

/** Marks a spoke in a lost cluster as failed. Does nothing if an operation is changing or has changed the spoke. */
export async function markSpokeLost(
  { db }: Pick<App, "db">,
  requester: Requester,
  { id, namespaceUid }: SpokeRow,
  reason: string,
): Promise<void> {
  await db.transact(async (tx) => {
    const before = await lockSpoke(tx, id);
    if (!SETTLED_STATES.includes(before.state) || before.namespaceUid !== namespaceUid) return;
    const stateReason = `The cluster no longer exists, and the spoke cannot be restored: ${reason}`;
    const after = await tx.updateTable("spokes").set({
      ...{ state: "failed", stateReason, health: "unknown", drift: null, failedChecks: 0 },
      updatedAt: sql<Date>`wheelwright_now()`,
    }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
    const { federationId, state, slug } = after;
    await recordChange(tx, requester, {
      audit: [{
        kind: "spoke_action_failed",
        ...buildSpokeSubject(after),
        metadata: { action: "restore", newCluster: true, from: before.state, slug, message: stateReason },
      }],
      events: [{ federationId, spokeId: id, state, error: stateReason }],
    });
  });
}

/** Marks templates in lost clusters as retiring. Throws a ClusterError if any cluster does not respond. */
export async function retireLostTemplates({ db, clusters }: Pick<App, "db" | "clusters">): Promise<void> {
  const call = { signal: AbortSignal.timeout(MINUTE) };
  const names = await db.rows.selectFrom("templates").select("cluster").distinct().execute();
  for (const { cluster } of names) {
    const identity = await (await clusters.open(cluster)).identity(call);
    if (identity === null) continue;
    await db.transact((tx) =>
      tx.updateTable("templates").set({ state: "retiring", error: null }).where("cluster", "=", cluster)
        .where("clusterUid", "<>", identity).where("clusterUid", "<>", "").where("state", "in", ["ready", "failed"])
        .execute()
    );
  }
}
