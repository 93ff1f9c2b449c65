/** The audit log as a file: JSON Lines for programs, CSV for spreadsheets. */
import * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { Reply } from "#lib/http/reply.ts";
import type { AuditEventItem } from "#lib/portal/audit/event.ts";

/** How many events a file has at most; the name of one that was cut says so. */
export const MAX_EXPORTED = 10_000;
export const EXPORT_PAGE_SIZE = 100;

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/x-ndjson" } as const;
type Format = keyof typeof TYPES;

export const ExportFormat = v.picklist(Object.keys(TYPES) as Format[], "must be csv or jsonl");

interface ExportedLog {
  readonly format: Format;
  readonly events: readonly AuditEventItem[];
  /** Whether there are more than these. */
  readonly isTruncated: boolean;
}

/** The newest events, page after page. `read` returns one page. */
export async function collectEvents(
  format: Format,
  read: (before: string | undefined) => Promise<ListPage<AuditEventItem>>,
  limit = MAX_EXPORTED,
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

export const download: Reply<ExportedLog, ExportedLog> = {
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

/** Without this mark Excel reads UTF-8 as the system's own encoding, and umlauts are broken. */
const BYTE_ORDER_MARK = "\ufeff";

function csvOf(events: readonly AuditEventItem[]): string {
  const rows = events.map(({ id, at, kind, actor, objectType, objectId, ip, userAgent, metadata }) =>
    [at, kind, actor.email, actor.id, objectType, objectId, ip, userAgent, JSON.stringify(metadata), id].map(cell)
  );
  return BYTE_ORDER_MARK + [COLUMNS, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** RFC 4180. A spreadsheet would run a cell that begins as a formula does, and names are whatever somebody chose. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
