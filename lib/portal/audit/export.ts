/** Exports the audit log as JSON Lines or CSV. */
import * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { Reply } from "#lib/http/reply.ts";
import type { AuditEventItem } from "#lib/portal/audit/event.ts";

/** The maximum number of events in an export. If older events are left out, the file name contains this number. */
export const MAX_EXPORTED_EVENTS = 10_000;
export const EXPORT_PAGE_SIZE = 100;

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/x-ndjson" } as const;
type Format = keyof typeof TYPES;

export const ExportFormat = v.picklist(Object.keys(TYPES) as Format[], "must be csv or jsonl");

interface ExportedLog {
  readonly format: Format;
  readonly events: readonly AuditEventItem[];
  readonly isTruncated: boolean;
}

/** Collects up to `limit` audit events, newest first. `read` returns one page of events, starting at a cursor. */
export async function collectAuditEvents(
  format: Format,
  read: (before: string | undefined) => Promise<ListPage<AuditEventItem>>,
  limit = MAX_EXPORTED_EVENTS,
): Promise<ExportedLog> {
  const events: AuditEventItem[] = [];
  let before: string | undefined;
  do {
    const { items, next } = await read(before);
    events.push(...items);
    before = next ?? undefined;
  } while (before !== undefined && events.length <= limit);
  return { format, events: events.slice(0, limit), isTruncated: events.length > limit };
}

export const auditExportReply: Reply<ExportedLog, ExportedLog> = {
  status: 200,
  content: { type: "text/csv", schema: v.string() },
  headers: ["content-disposition"],
  send: ({ format, events, isTruncated }) => ({
    status: 200,
    headers: {
      "content-type": TYPES[format],
      "cache-control": "no-store",
      "content-disposition": `attachment; filename="audit${isTruncated ? `-newest-${events.length}` : ""}.${format}"`,
    },
    body: format === "csv" ? csvOf(events) : events.map((event) => `${JSON.stringify(event)}\n`).join(""),
  }),
  toResult: (log) => log,
};

const COLUMNS = ["at", "kind", "actor", "actorId", "objectType", "objectId", "ip", "userAgent", "metadata", "id"];

/** A byte order mark. Without this mark, Excel does not read a CSV file as UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

function csvOf(events: readonly AuditEventItem[]): string {
  const rows = events.map(({ id, at, kind, actor, objectType, objectId, ip, userAgent, metadata }) =>
    [at, kind, actor.email, actor.id, objectType, objectId, ip, userAgent, JSON.stringify(metadata), id].map(cell)
  );
  return BYTE_ORDER_MARK + [COLUMNS, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Quotes a CSV cell (RFC 4180). Escapes formulas, which a spreadsheet would run, for example in a user's name. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
