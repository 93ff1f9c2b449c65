/** Reads and writes the audit log. Rows can only be added; the table refuses updates and deletions. */
import { type Insertable, type Selectable, sql } from "kysely";
import { type AuditKind, type AuditObjectType, isVisibleToCustomers } from "#lib/audit/kinds.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import {
  addNewestFirstOrder,
  type ListPage,
  type ListPageRequest,
  type PageBounds,
  readPage,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { createId } from "#lib/base/ids.ts";

export interface AuditEntry {
  readonly kind: AuditKind;
  readonly objectType: AuditObjectType;
  readonly objectId: string;
  readonly federationId?: string | null;
  readonly spokeId?: string | null;
  /** Another user who may see the event, because the event is a decision on that user's request. */
  readonly audienceUserId?: string | null;
  /** Additional fields, which depend on the event's kind and must not contain secrets. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type AuditSubject = Pick<AuditEntry, "objectType" | "objectId" | "federationId" | "spokeId">;

export function buildHubSubject(id: string): AuditSubject {
  return { objectType: "federation", objectId: id, federationId: id };
}

/** Returns the fields that identify a spoke as the object of an audit event. */
export function buildSpokeSubject(
  { id, federationId }: { readonly id: string; readonly federationId: string },
): AuditSubject {
  return { objectType: "spoke", objectId: id, federationId, spokeId: id };
}

export interface AuditEvent {
  readonly id: string;
  readonly kind: string;
  readonly actor: { readonly id: string; readonly email: string };
  readonly objectType: string;
  readonly objectId: string;
  readonly metadata: Record<string, unknown>;
  readonly ip: string;
  readonly userAgent: string;
  readonly at: Date;
  /** Whether an operator caused the event. If so, only operators see the IP address and user agent. */
  readonly originPrivate: boolean;
}

/** Filters for the audit log. An event must match every filter that is set. */
export interface AuditFilter {
  readonly kind?: string | undefined;
  readonly actorId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly objectId?: string | undefined;
  readonly federationId?: string | undefined;
  readonly spokeId?: string | undefined;
}

/** Writes audit events with the given times. `lib/changes` assigns increasing times within each hub. */
export async function insertAuditEvents(
  tx: Tx,
  requester: Requester,
  entries: readonly { readonly entry: AuditEntry; readonly at: Date }[],
): Promise<void> {
  await Promise.all(entries.map(({ entry, at }) =>
    insertAuditEvent(tx, {
      id: createId("evt"),
      kind: entry.kind,
      actorId: requester.userId,
      actorEmail: requester.email,
      objectType: entry.objectType,
      objectId: entry.objectId,
      metadata: JSON.stringify(
        requester.tokenPrefix ? { ...entry.metadata, token: requester.tokenPrefix } : entry.metadata ?? {},
      ),
      ip: requester.ip,
      userAgent: requester.userAgent,
      at,
      federationId: entry.federationId ?? null,
      spokeId: entry.spokeId ?? null,
      audienceUserId: entry.audienceUserId ?? null,
      customerVisible: isVisibleToCustomers(entry.kind),
    })
  ));
}

const insertAuditEvent = prepareQuery((rows, row: Omit<Insertable<Schema["audit_events"]>, "originPrivate">) => {
  const originPrivate = sql<boolean>`exists (select from users where id = ${row.actorId} and operator)`;
  return rows.insertInto("audit_events").values({ ...row, originPrivate });
});

/** Returns a page of audit events, newest first. */
export async function listAuditEvents(
  rows: RowQueries,
  filter: AuditFilter,
  request: ListPageRequest,
): Promise<ListPage<AuditEvent>> {
  const { kind, actorId, objectType, objectId, federationId, spokeId } = filter;
  const filters = { kind, actorId, objectType, objectId, federationId, spokeId };
  const page = await readPage(
    request,
    (bounds) => readEventPage(rows, { ...filters, ...bounds }),
    ({ at, id }) => [at, id],
  );
  return withPageItems(page, page.items.map(toAuditEvent));
}

/** Filter columns, starting with the most selective. The first filter that is set determines which index is used. */
const INDEXED_COLUMNS = ["objectId", "spokeId", "actorId", "federationId", "kind", "objectType"] as const;

/**
 * Reads a page of events through the index on one column. Otherwise, PostgreSQL would expect a frequent kind among the
 * newest events, and might scan the entire log. The query compares the column with a one-element array and sorts by the
 * column, which only this index supports.
 */
const readEventPage = prepareReadOnSharedConnection(
  (rows, { maxRows: most, beforeAt, beforeId, ...columns }: AuditFilter & PageBounds) => {
    const leadColumn = INDEXED_COLUMNS.find((column) => columns[column] !== undefined);
    let query = rows.selectFrom("audit_events").selectAll();
    for (const column of INDEXED_COLUMNS) {
      const value = columns[column];
      if (column === leadColumn) {
        query = query.where(sql<boolean>`${sql.ref(column)} = any(array[${value}])`).orderBy(column);
      } else if (value !== undefined) query = query.where(column, "=", value);
    }
    return addNewestFirstOrder(query, { maxRows: most, beforeAt, beforeId }, { at: "at" });
  },
  {
    batched: true,
    isFast: ({ objectId, spokeId, maxRows }) => (objectId ?? spokeId) !== undefined && maxRows !== undefined,
  },
);

export function toAuditEvent(row: Selectable<Schema["audit_events"]>): AuditEvent {
  return {
    id: row.id,
    kind: row.kind,
    actor: { id: row.actorId, email: row.actorEmail },
    objectType: row.objectType,
    objectId: row.objectId,
    metadata: row.metadata,
    ip: row.ip,
    userAgent: row.userAgent,
    at: row.at,
    originPrivate: row.originPrivate,
  };
}

/** Removes details that only operators may see, such as the IP address of an operator who caused the event. */
export function redactAuditEvent<Event extends AuditEvent>(reader: { readonly role: string }, event: Event): Event {
  const redacted = { ...event, metadata: hideOperatorDetails(reader, event.metadata) };
  return event.originPrivate && reader.role !== "operator" ? { ...redacted, ip: "", userAgent: "" } : redacted;
}
