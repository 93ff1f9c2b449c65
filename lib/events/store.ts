/**
 * Reads and writes hubs' stream events in the database. Only lib/changes writes events, and only while it holds a lock
 * on the hub's row in `stream_heads`.
 */
import * as v from "valibot";
import { type Insertable, sql } from "kysely";
import { streamEventType } from "#lib/model/states.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

export interface StreamOperation {
  readonly id: string;
  readonly kind: string;
  /** The number of the running step, or of the last finished step. 0 while the operation is queued. */
  readonly step: number;
  readonly of: number;
  readonly label: string;
  readonly attempt: number;
}

export interface NewStreamEvent {
  readonly federationId: string;
  /** The ID of the spoke. Absent or null if the event is not about a spoke. */
  readonly spokeId?: string | null;
  /** The ID of the rollout. Absent if the event is about a spoke or the hub itself. */
  readonly rolloutId?: string;
  /** The state of the spoke, rollout or hub after the change, which is also part of the event type. */
  readonly state: string;
  readonly operation?: StreamOperation | null;
  readonly error?: string | null;
}

/** An event of a hub, as read from the database. Clients receive only `data`. */
export interface StreamEvent {
  readonly number: number;
  readonly type: string;
  readonly spokeId: string | null;
  readonly data: StreamData;
  /** The user IDs of the spoke's admins at the time when the event was read. */
  readonly members: readonly string[];
}

export const StreamData = v.object({
  id: v.string(),
  type: v.string(),
  at: v.string(),
  federationId: v.string(),
  spokeId: v.optional(v.string()),
  rolloutId: v.optional(v.string()),
  state: v.string(),
  operation: v.optional(v.object({
    id: v.string(),
    kind: v.string(),
    step: v.number(),
    of: v.number(),
    label: v.string(),
    attempt: v.number(),
  })),
  error: v.optional(v.string()),
});
export type StreamData = v.InferOutput<typeof StreamData>;

export function streamEventTypeOf({ spokeId, rolloutId, state }: NewStreamEvent): string {
  return streamEventType(spokeId ? "Spoke" : rolloutId ? "Rollout" : "Federation", state);
}

export async function insertStreamEvents(
  tx: Tx,
  entries: readonly { readonly entry: NewStreamEvent; readonly number: number; readonly at: Date }[],
): Promise<void> {
  await Promise.all(entries.map(({ entry, number, at }) =>
    insertStreamEvent(tx, {
      federationId: entry.federationId,
      number,
      type: streamEventTypeOf(entry),
      at,
      spokeId: entry.spokeId ?? null,
      data: JSON.stringify(toStreamData(entry, number, at)),
    })
  ));
}

const insertStreamEvent = prepareQuery((rows, row: Insertable<Schema["stream_events"]>) =>
  rows.insertInto("stream_events").values(row)
);

function toStreamData(entry: NewStreamEvent, number: number, at: Date): StreamData {
  return {
    id: String(number),
    type: streamEventTypeOf(entry),
    at: at.toISOString(),
    federationId: entry.federationId,
    ...(entry.spokeId && { spokeId: entry.spokeId }),
    ...(entry.rolloutId && { rolloutId: entry.rolloutId }),
    state: entry.state,
    ...(entry.operation && { operation: entry.operation }),
    ...(entry.error && { error: entry.error }),
  };
}

const members = sql<string[]>`array(
  select user_id from spoke_members as member where member.spoke_id = stream_events.spoke_id
)`.as("members");

/** Returns the first `limit` events whose number is greater than `after`, in ascending order. */
export async function readStreamEvents(
  rows: RowQueries,
  federationId: string,
  after: number,
  limit: number,
): Promise<StreamEvent[]> {
  const found = await rows.selectFrom("stream_events").select(["number", "type", "spokeId", "data", members])
    .where("federationId", "=", federationId).where("number", ">", String(after))
    .orderBy("number").limit(limit).execute();
  return found.map(toStreamEvent);
}

export interface StreamBounds {
  /** The number of the newest event, or 0 if there are no events. */
  readonly last: number;
  /** Events up to this number may already have been deleted. */
  readonly prunedThrough: number;
  /** Whether the hub was removed. A hub has no events after its removal. */
  readonly removed: boolean;
}

export async function readStreamBounds(rows: RowQueries, federationId: string): Promise<StreamBounds> {
  const { state, number, prunedThrough } = await rows.selectFrom("federations as hub")
    .leftJoin("stream_heads as head", "head.federationId", "hub.id")
    .select(["hub.state", "head.number", "head.prunedThrough"]).where("hub.id", "=", federationId)
    .executeTakeFirstOrThrow();
  return { last: Number(number ?? 0), prunedThrough: Number(prunedThrough ?? 0), removed: state === "removed" };
}

/**
 * Returns the events that a new reader receives first: the latest event about the hub and about each spoke, up to event
 * number `last`. Includes spokes that were removed less than five minutes ago.
 */
export async function readLatestStreamEvents(
  rows: RowQueries,
  federationId: string,
  last: number,
): Promise<StreamEvent[]> {
  const { rows: found } = await sql<EventRow>`
    (select number, type, spoke_id, data, ${members} from stream_events
      where federation_id = ${federationId} and spoke_id is null and number <= ${last}
      order by number desc limit 1)
    union all
    select event.* from spokes
    cross join lateral (
      select number, type, spoke_id, data, ${members} from stream_events
      where stream_events.spoke_id = spokes.id and number <= ${last}
      order by number desc limit 1
    ) as event
    where spokes.federation_id = ${federationId}
      and (removed_at is null or removed_at > wheelwright_now() - interval '5 minutes')
    order by number`.execute(rows);
  return found.map(toStreamEvent);
}

interface EventRow {
  number: string;
  type: string;
  spokeId: string | null;
  data: unknown;
  members: string[];
}

function toStreamEvent(row: EventRow): StreamEvent {
  return { ...row, number: Number(row.number), data: row.data as StreamData };
}
