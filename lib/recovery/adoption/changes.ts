/**
 * Changes the rows of hubs and spokes whose namespace is missing or whose operations come from before a restore of the
 * database. Records each change that resolves a difference between the database and a cluster.
 */
import { sql, type Updateable } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { buildHubSubject, buildSpokeSubject } from "#lib/audit/store.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { recordChange } from "#lib/changes/record.ts";
import { NAMESPACE_MISSING_REASON } from "#lib/doctor/reconcile/compare-rows.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";

type Row = SpokeRow | FederationRow;

/** Marks a hub or spoke as failed, because its namespace is missing. Keeps its row. */
export async function markMissing(tx: Tx, requester: Requester, { id, namespaceUid, ...row }: Row): Promise<void> {
  const isSpoke = "federationId" in row, before = await (isSpoke ? lockSpoke(tx, id) : lockFederation(tx, id));
  if (isBeingRemoved(before) || before.namespaceUid !== namespaceUid) return;
  const reason = NAMESPACE_MISSING_REASON, failed = { state: "failed", stateReason: reason } as const;
  const after = isSpoke
    ? await updateSpokeRow(tx, id, { ...failed, health: "unknown", requestedDomain: null })
    // A retry creates a new namespace.
    : await updateFederation(tx, id, { ...failed, namespaceUid: null, clusterUid: null, recordedAt: null });
  await recordResolution(tx, requester, after, { action: "give up", slug: after.slug, from: before.state, reason });
}

/** Makes the fencing tokens (claim numbers) of all later jobs greater than `minimum`. */
export async function raiseFences(tx: Tx, minimum: bigint): Promise<void> {
  await sql`select setval('job_fences', greatest(${String(minimum)}::bigint, last_value)) from job_fences`.execute(tx);
}

export function rowMissingRefusal(kind: "hub" | "spoke", id: string | null): Refusal {
  return new Refusal("RowMissing", `${kind} ${id} is not in the database`, `Adopt the ${kind} first.`);
}

export function rowExistsRefusal(kind: "hub" | "spoke"): Refusal {
  const message = `the database already has a ${kind} with this ID or namespace`;
  return new Refusal("RowExists", message, `Remove that ${kind}.`);
}

export async function recordResolution(tx: Tx, requester: Requester, row: Row, details: object): Promise<void> {
  const metadata = { ...details, reconciled: true };
  await recordChange(tx, requester, {
    audit: [
      "federationId" in row
        ? { kind: "spoke_actioned", ...buildSpokeSubject(row), metadata }
        : { kind: "federation_updated", ...buildHubSubject(row.id), metadata },
    ],
    events: [{ ...idsOf(row), state: row.state, error: row.stateReason }],
  });
}

export async function updateSpokeRow(
  tx: Tx,
  id: string,
  columns: Updateable<Schema["spokes"]>,
): Promise<SpokeRow> {
  return await tx.updateTable("spokes").set({ ...columns, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

export function idsOf(row: Row) {
  return "federationId" in row ? { federationId: row.federationId, spokeId: row.id } : { federationId: row.id };
}
