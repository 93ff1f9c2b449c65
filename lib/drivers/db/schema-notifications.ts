/** The tables of notifications for Kysely: the events that users have read, and their counts. */
import type { Generated } from "kysely";
import type { BigColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface NotificationTables {
  notification_reads: { userId: string; eventId: string; readAt: StampColumn };
  notification_read_counts: {
    userId: string;
    about: "all" | "service" | "hub" | "spoke" | "audience";
    federationId: Generated<string>;
    spokeId: Generated<string>;
    reads: BigColumn;
    /** The time up to which all events of the object are read. `-infinity` before that. Read it as text. */
    readThrough: StampColumn;
    /** Events up to this time are from before the user became a member. */
    skipThrough: StampColumn;
  };
  notification_read_ranges: {
    userId: string;
    about: string;
    federationId: string;
    spokeId: string;
    fromAt: StampColumn;
    throughAt: StampColumn;
  };
  service_event_head: { onlyRow: Generated<boolean>; visibleEvents: BigColumn; lastAt: StampColumn };
  notification_audiences: {
    userId: string;
    federationId: Generated<string>;
    spokeId: Generated<string>;
    visibleEvents: BigColumn;
  };
}
