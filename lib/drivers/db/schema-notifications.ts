/**
 * Defines the tables for notifications and deprecation notices, for the query builder Kysely: which events users have
 * read, event counts, and who still uses deprecated endpoints.
 */
import type { WebhookTables } from "#lib/drivers/db/schema-webhooks.ts";
import type { Generated } from "kysely";
import type { BigintColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface NotificationTables extends WebhookTables {
  notification_reads: { userId: string; eventId: string; readAt: TimestampColumn };
  notification_read_counts: {
    userId: string;
    about: "all" | "service" | "hub" | "spoke" | "audience";
    federationId: Generated<string>;
    spokeId: Generated<string>;
    reads: BigintColumn;
    /** The time up to which the user has read events. Select it as text: its initial value `-infinity` is no Date. */
    readThrough: TimestampColumn;
    /** The time when the user became a member. Earlier events are skipped. */
    skipThrough: TimestampColumn;
  };
  notification_read_ranges: {
    userId: string;
    about: string;
    federationId: string;
    spokeId: string;
    fromAt: TimestampColumn;
    throughAt: TimestampColumn;
  };
  service_event_head: { onlyRow: Generated<boolean>; visibleEvents: BigintColumn; lastAt: TimestampColumn };
  notification_audiences: {
    userId: string;
    federationId: Generated<string>;
    spokeId: Generated<string>;
    visibleEvents: BigintColumn;
  };
  token_calls: {
    tokenId: string;
    /** The endpoint's method and path pattern, for example `GET /api/spokes/:spokeId`. */
    endpoint: string;
    day: Date;
    calls: BigintColumn;
  };
  deprecation_notices: { noticeId: string; userId: string; notifiedAt: TimestampColumn };
  deprecation_announcements: { noticeId: string; firstAnnouncedAt: TimestampColumn };
}
