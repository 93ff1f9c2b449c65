/** Defines table columns for audit events, activity events and notifications. */
import type { AuditEvent } from "#lib/client/client.ts";
import type { TableColumn } from "./table.ts";

export const AUDIT_COLUMNS: readonly TableColumn<AuditEvent>[] = [
  ["WHEN", (event) => event.at, "time"],
  ["EVENT", (event) => event.kind, "id"],
  ["SPOKE", ({ metadata: { slug } }) => typeof slug === "string" ? slug : ""],
  ["USER", (event) => event.actor.email],
  ["DETAILS", (event) => detailsOf(event.metadata)],
  ["OBJECT", (event) => event.objectId, "id"],
  ["ID", (event) => event.id, "id"],
];

function detailsOf({ slug: _, ...metadata }: AuditEvent["metadata"]): string {
  const simple = Object.entries(metadata).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return simple.map(([name, value]) => `${name} ${value}`).join(", ");
}
