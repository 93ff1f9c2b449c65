/** The tables of deprecation notices and token usage for Kysely. */
import type { BigintColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface NoticeTables {
  token_calls: {
    tokenId: string;
    /** Method and path pattern: `GET /api/spokes/:spokeId`. */
    endpoint: string;
    day: Date;
    calls: BigintColumn;
  };
  deprecation_notices: {
    noticeId: string;
    userId: string;
    notifiedAt: TimestampColumn;
  };
  deprecation_announcements: {
    noticeId: string;
    firstAnnouncedAt: TimestampColumn;
  };
}
