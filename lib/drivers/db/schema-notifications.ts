/** The tables of what people have read, and of how much there is to read, as kysely sees them. */
import type { Generated } from "kysely";
import type { BigColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface NotificationTables {
  notification_reads: { userId: string; eventId: string; readAt: StampColumn };
  notification_read_counts: {
    userId: string;
    about: "all" | "loose" | "hub" | "spoke" | "audience";
    federationId: Generated<string>;
    spokeId: Generated<string>;
    reads: BigColumn;
    /** `-infinity` until something is read completely: read it as text. */
    readThrough: StampColumn;
    /** Up to then is what was before the reader came. */
    skipThrough: StampColumn;
  };
  notification_read_stretches: {
    userId: string;
    about: string;
    federationId: string;
    spokeId: string;
    fromAt: StampColumn;
    throughAt: StampColumn;
  };
  loose_heads: { onlyRow: Generated<boolean>; visibleEvents: BigColumn; lastAt: StampColumn };
  notification_audiences: {
    userId: string;
    federationId: Generated<string>;
    spokeId: Generated<string>;
    visibleEvents: BigColumn;
  };
}
