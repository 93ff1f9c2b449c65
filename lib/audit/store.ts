/** Reads and writes the audit log. Rows are only added; the table refuses all other changes. */
import { type Selectable, sql } from "kysely";
import { type AuditKind, isVisibleKind, type ObjectType } from "#lib/audit/kinds.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import {
  addNewestFirstOrder,
  type ListPage,
  type ListPageRequest,
  type PageBounds,
  readPage,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { newId } from "#lib/base/ids.ts";

export interface AuditEntry {
  readonly kind: AuditKind;
  readonly objectType: ObjectType;
  readonly objectId: string;
  readonly federationId?: string | null;
  readonly spokeId?: string | null;
  /** Another user who may see the event, because it decides that user's request. */
  readonly audienceUserId?: string | null;
  /** Fields that depend on the kind. They contain no secrets. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type AuditSubject = Pick<AuditEntry, "objectType" | "objectId" | "federationId" | "spokeId">;

/** 38 */
export function hubSubject(id: string): AuditSubject {
  return { objectType: "federation", objectId: id, federationId: id };
}

/** Returns the audit subject for a spoke. */
export function spokeSubject(
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
  /** Whether an operator acted. If so, only operators see the IP address and user agent. */
  readonly originPrivate: boolean;
}

/** Filters of the audit log. An event must match every field that is set. */
export interface AuditFilter {
  readonly kind?: string | undefined;
  readonly actorId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly objectId?: string | undefined;
  readonly federationId?: string | undefined;
  readonly spokeId?: string | undefined;
}

/** Writes the entries with the given times. `lib/changes` assigns increasing times within a hub. */
export async function insertAuditEvents(
  tx: Tx,
  requester: Requester,
  entries: readonly { readonly entry: AuditEntry; readonly at: Date }[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.insertInto("audit_events").values(entries.map(({ entry, at }) => ({
    id: newId("evt"),
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
    customerVisible: isVisibleKind(entry.kind),
    originPrivate: sql<boolean>`exists (select from users where id = ${requester.userId} and operator)`,
  }))).execute();
}

/** Returns events, newest first. */
export async function listAuditEvents(
  rows: Rows,
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

/** Filter columns, the most selective first. A page is read by the index of the first given column. */
const INDEXED_COLUMNS = ["objectId", "spokeId", "actorId", "federationId", "kind", "objectType"] as const;

/**
 * Reads a page of events by the index of one column.
 * The planner expects a frequent kind among the newest events and would walk the whole log. A comparison with a
 * one-element array is not a constant, so the order can name the column, and only its index fits.
 */
const readEventPage = prepareQuery(
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
);

export function toAuditEvent(row: Selectable<Schema["audit_events"]>): AuditEvent {
  return { ...row, actor: { id: row.actorId, email: row.actorEmail } };
}

/** Returns what the reader may see. Only operators see operator details and the origin of an operator's action. */
export function redactForReader<Event extends AuditEvent>(reader: { readonly role: string }, event: Event): Event {
  const redacted = { ...event, metadata: hideOperatorDetails(reader, event.metadata) };
  return event.originPrivate && reader.role !== "operator" ? { ...redacted, ip: "", userAgent: "" } : redacted;
}
