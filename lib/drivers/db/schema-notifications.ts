/** The tables of notifications for Kysely: the events that users have read, and their counts. */
import type { Generated } from "kysely";
import type { BigintColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface NotificationTables {
  notification_reads: { userId: string; eventId: string; readAt: TimestampColumn };
  notification_read_counts: {
    userId: string;
    about: "all" | "service" | "hub" | "spoke" | "audience";
    federationId: Generated<string>;
    spokeId: Generated<string>;
    reads: BigintColumn;
    /**
     * The time up to which the user has read the object's events, initially `-infinity`. Select this column as text.
     */
    readThrough: TimestampColumn;
    /** Events up to this time are from before the user became a member. */
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
}
