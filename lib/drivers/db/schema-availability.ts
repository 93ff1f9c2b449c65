/** Defines the tables for availability, for the query builder Kysely. */
import type { BigintColumn, NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface AvailabilityTables {
  page_checks: {
    spokeId: string;
    problem: string | null;
    reachedHost: string | null;
    updatedAt: TimestampColumn;
    certificateEndsAt: NullableTimestampColumn;
    certificateWarnedDays: number | null;
  };
  availability_hours: {
    spokeId: string;
    hour: TimestampColumn;
    up: BigintColumn;
    down: BigintColumn;
    planned: BigintColumn;
  };
  availability_days: {
    spokeId: string;
    federationId: string;
    day: string;
    up: number;
    down: number;
    planned: number;
    unknown: number;
  };
  availability_hub_days: {
    federationId: string;
    day: string;
    up: BigintColumn;
    down: BigintColumn;
    planned: BigintColumn;
    unknown: BigintColumn;
  };
}
