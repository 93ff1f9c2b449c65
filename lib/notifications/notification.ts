/** A notification: an audit event with its reader's read state. There is no record of it besides these two. */
import type { Selectable } from "kysely";
import { type AuditEvent, toEvent } from "#lib/audit/store.ts";
import type { Schema } from "#lib/db/schema.ts";

export interface Notification extends AuditEvent {
  readonly read: boolean;
  readonly readAt: Date | null;
}

export type NotificationRow = Selectable<Schema["audit_events"]> & { readonly read_at: Date | null };

export function toNotification(row: NotificationRow): Notification {
  return { ...toEvent(row), read: row.read_at !== null, readAt: row.read_at };
}
