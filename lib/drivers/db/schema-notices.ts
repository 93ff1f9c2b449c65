/** The tables of what is announced, as kysely sees them: how often tokens called, and who was told. */
import type { Big, StampColumn } from "#lib/drivers/db/columns.ts";

export interface NoticeTables {
  token_calls: {
    token_id: string;
    /** Its method and pattern: `GET /api/spokes/:spokeId`. */
    endpoint: string;
    day: Date;
    calls: Big;
  };
  deprecation_notices: {
    notice_id: string;
    user_id: string;
    told_at: StampColumn;
  };
  deprecation_announcements: {
    notice_id: string;
    first_at: StampColumn;
  };
}
