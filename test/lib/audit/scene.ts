/** Chains of audit events for tests: written as the service writes them, sealed at once, and tampered with. */
import { SYSTEM } from "#lib/audit/requester.ts";
import type { ChainHead } from "#lib/audit/head.ts";
import { findUnsealedChains, readSeal, sealBatch } from "#lib/audit/seals.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { record } from "#lib/changes/record.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { TestDatabase } from "#test/support/database.ts";

/** Later than any event. */
export const LATER = new Date(Date.UTC(2099, 0));

/** An event of the hub, or of no hub. */
export function changeOf(federationId: string | null, number = 0): AuditEntry {
  return {
    kind: "federation_updated",
    objectType: "federation",
    objectId: `object ${number}`,
    federationId,
    metadata: { name: "north", number, nested: { "a longer key": [1.5, null], b: "é\n" } },
  };
}

/** So many of them, in one transaction. */
export async function write(db: Database, federationId: string | null, events: number): Promise<void> {
  const audit = Array.from({ length: events }, (_, i) => changeOf(federationId, i));
  await db.transact((tx) => record(tx, SYSTEM, { audit }));
}

/** Seals everything that there is, in small batches. */
export async function sealAll(db: Database, limit = 10): Promise<void> {
  for (const chain of await findUnsealedChains(db.rows, LATER)) {
    while (await db.transact((tx) => sealBatch(tx, chain, { until: LATER, limit })));
  }
}

export async function headOf(db: Database, chain: string): Promise<ChainHead> {
  const { count, hash } = (await readSeal(db.rows, chain))!;
  return { chain, count, hash };
}

/** Statements of somebody who owns the tables, and so can take their triggers away for a moment. */
export async function tamper(db: TestDatabase, ...statements: string[]): Promise<void> {
  const triggers = (what: string) =>
    ["audit_events", "audit_seals", "audit_counts"].map((it) => `alter table ${it} ${what} trigger user`);
  await db.sql([...triggers("disable"), ...statements, ...triggers("enable")].join(";\n"));
}

/** The id of the event at this place of the chain; 1 is the first. */
export async function eventAt(db: TestDatabase, hub: string, place: number): Promise<string> {
  const [row] = await db.sql(
    "select id from audit_events where federation_id = $1 order by at, id offset $2::int limit 1",
    [hub, place - 1],
  );
  return row.id;
}
