/** The tables of what is announced, as kysely sees them: how often tokens called, and who was told. */
import type { BigColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface NoticeTables {
  token_calls: {
    tokenId: string;
    /** Its method and pattern: `GET /api/spokes/:spokeId`. */
    endpoint: string;
    day: Date;
    calls: BigColumn;
  };
  deprecation_notices: {
    noticeId: string;
    userId: string;
    toldAt: StampColumn;
  };
  deprecation_announcements: {
    noticeId: string;
    firstAt: StampColumn;
  };
}
