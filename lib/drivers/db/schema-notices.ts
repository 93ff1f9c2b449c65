/** Defines the tables for deprecation notices and token usage, for the query builder Kysely. */
import type { BigintColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface NoticeTables {
  token_calls: {
    tokenId: string;
    /** The endpoint's method and path pattern, for example `GET /api/spokes/:spokeId`. */
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
