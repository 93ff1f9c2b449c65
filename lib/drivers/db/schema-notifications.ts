/** The tables of what people have read, and of how much there is to read, as kysely sees them. */
import type { Generated } from "kysely";
import type { Big, StampColumn } from "#lib/drivers/db/columns.ts";

export interface NotificationTables {
  notification_reads: { user_id: string; event_id: string; read_at: StampColumn };
  notification_read_counts: {
    user_id: string;
    about: "all" | "loose" | "hub" | "spoke" | "audience";
    federation_id: Generated<string>;
    spoke_id: Generated<string>;
    reads: Big;
    /** `-infinity` until something is read completely: read it as text. */
    read_through: StampColumn;
    /** Up to then is what was before the reader came. */
    skip_through: StampColumn;
  };
  notification_read_stretches: {
    user_id: string;
    about: string;
    federation_id: string;
    spoke_id: string;
    from_at: StampColumn;
    through_at: StampColumn;
  };
  loose_heads: { only_row: Generated<boolean>; visible_events: Big; last_at: StampColumn };
  notification_audiences: {
    user_id: string;
    federation_id: Generated<string>;
    spoke_id: Generated<string>;
    visible_events: Big;
  };
}
