/** Defines the tables for the usage of sites, for the query builder Kysely. */
import type { Generated } from "kysely";
import type {
  BigintColumn,
  JsonColumnWithDefault,
  NullableBigintColumn,
  NullableJsonColumn,
  NullableTimestampColumn,
  TimestampColumn,
} from "#lib/drivers/db/columns.ts";

interface StorageColumns {
  filesUsed: NullableBigintColumn;
  filesSize: NullableBigintColumn;
  databaseUsed: NullableBigintColumn;
  databaseSize: NullableBigintColumn;
}

interface PeopleColumns {
  users: number | null;
  activeUsers: number | null;
  courses: number | null;
}

export interface UsageTables {
  daily_totals: { scope: string; day: string; measure: string; key: string; total: BigintColumn };
  spoke_usage: StorageColumns & PeopleColumns & {
    spokeId: string;
    observedAt: TimestampColumn;
    measuredAt: NullableTimestampColumn;
    tasksAt: NullableTimestampColumn;
    podRestarts: JsonColumnWithDefault;
    oomKilledAt: NullableTimestampColumn;
    warnedPercent: Generated<number>;
    taskHealth: NullableJsonColumn;
    addonsAt: NullableTimestampColumn;
    addonCount: number | null;
    workersBusy: NullableBigintColumn;
    workersBusyAt: NullableTimestampColumn;
  };
  spoke_addons: {
    spokeId: string;
    component: string;
    version: number;
    enabled: boolean;
    federationId: string;
    createdAt: TimestampColumn;
  };
  usage_samples: StorageColumns & PeopleColumns & {
    spokeId: string;
    grain: "hour" | "day";
    at: TimestampColumn;
    restarts: Generated<number>;
    oomKills: Generated<number>;
    workersBusy: Generated<number>;
  };
  hub_usage_samples: StorageColumns & {
    federationId: string;
    grain: "hour" | "day";
    at: TimestampColumn;
    measuredAt: TimestampColumn;
    spokes: number;
    fullSpokes: number;
    users: NullableBigintColumn;
    activeUsers: NullableBigintColumn;
    courses: NullableBigintColumn;
  };
}
