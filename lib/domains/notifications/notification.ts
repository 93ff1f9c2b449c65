/** Defines a notification: an audit event, and whether the user has read it. There is no separate table. */
import type { Selectable } from "kysely";
import { type AuditEvent, redactAuditEvent, toAuditEvent } from "#lib/audit/store.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { NotificationReader } from "#lib/domains/notifications/objects.ts";

export interface Notification extends AuditEvent {
  readonly read: boolean;
  readonly readAt: Date | null;
}

export type NotificationRow = Selectable<Schema["audit_events"]> & {
  readonly readAt: Date | null;
  /** Whether the event is older than the reader's membership and therefore counts as read. */
  readonly skipped: boolean;
};

export function toNotification(row: NotificationRow, reader: NotificationReader): Notification {
  return { ...redactAuditEvent(reader, toAuditEvent(row)), read: isNotificationRead(row), readAt: row.readAt };
}

export function isNotificationRead({ readAt, skipped }: NotificationRow): boolean {
  return readAt !== null || skipped;
}
