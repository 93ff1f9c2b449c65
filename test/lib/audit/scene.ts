/** Writes, seals and tampers with chains of audit events. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { ChainHead } from "#lib/audit/chain.ts";
import { findUnsealedChains, readChainSeal, sealNextEvents } from "#lib/audit/seals.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { TestDatabase } from "#test/support/database.ts";

/** A time after every event. */
export const LATER = new Date(Date.UTC(2099, 0));

/** Creates an event of the hub, or of no hub. */
export function changeOf(federationId: string | null, number = 0): AuditEntry {
  return {
    kind: "federation_updated",
    objectType: "federation",
    objectId: `object ${number}`,
    federationId,
    metadata: { name: "north", number, nested: { "a longer key": [1.5, null], b: "é\n" } },
  };
}

/** Writes this many events in one transaction. */
export async function write(db: Database, federationId: string | null, events: number): Promise<void> {
  const audit = Array.from({ length: events }, (_, i) => changeOf(federationId, i));
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit }));
}

/** Seals all events in small batches. */
export async function sealAll(db: Database, limit = 10): Promise<void> {
  for (const chain of await findUnsealedChains(db.rows, LATER)) {
    while (await db.transact((tx) => sealNextEvents(tx, chain, { until: LATER, limit })));
  }
}

export async function headOf(db: Database, chain: string): Promise<ChainHead> {
  const { count, hash } = (await readChainSeal(db.rows, chain))!;
  return { chain, count, hash };
}

/** Runs statements as the owner of the tables, with their triggers disabled. */
export async function tamper(db: TestDatabase, ...statements: string[]): Promise<void> {
  const triggers = (what: string) =>
    ["audit_events", "audit_seals", "audit_counts"].map((it) => `alter table ${it} ${what} trigger user`);
  await db.sql([...triggers("disable"), ...statements, ...triggers("enable")].join(";\n"));
}

/** Returns the ID of the event at this position of the chain; 1 is the first. */
export async function eventAt(db: TestDatabase, hub: string, place: number): Promise<string> {
  const [row] = await db.sql(
    "select id from audit_events where federation_id = $1 order by at, id offset $2::int limit 1",
    [hub, place - 1],
  );
  return row.id;
}
