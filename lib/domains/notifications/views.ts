/** Defines the API schemas for notifications: audit events with a mark that says whether the caller has read them. */
import * as v from "valibot";
import { AuditEventView } from "#lib/audit/views.ts";
import { BeforeCursor, NullableTimestamp, QueryFlag } from "#lib/base/schema.ts";

const MAX_LIMIT = 100;
const LIMIT_MESSAGE = "must be a whole number from 1";

/** The number of notifications per page. Values above 100 count as 100. */
const Limit = v.pipe(
  v.string(LIMIT_MESSAGE),
  v.regex(/^0*[1-9]\d{0,14}$/, LIMIT_MESSAGE),
  v.maxLength(100, LIMIT_MESSAGE),
  v.transform((value) => Math.min(Number(value), MAX_LIMIT)),
);

export const NotificationQuery = v.object({
  limit: v.optional(Limit, "20"),
  unreadOnly: QueryFlag,
  before: v.optional(BeforeCursor),
});
export type NotificationQuery = v.InferOutput<typeof NotificationQuery>;

export const NotificationView = v.object({
  ...AuditEventView.entries,
  read: v.boolean(),
  readAt: NullableTimestamp,
});

export const UnreadCount = v.object({ count: v.number() });

export const MarkedNotificationCount = v.object({ marked: v.number() });
