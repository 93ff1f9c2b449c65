/** Defines the tables for rollouts, for the query builder Kysely. */
import type { ColumnType, Generated } from "kysely";
import type { JsonColumn, NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { RolloutAction, RolloutSpokeState, RolloutWindow } from "#lib/model/rollout.ts";
import type { RolloutState } from "#lib/model/states.ts";

export interface RolloutTables {
  rollouts: {
    id: string;
    state: Generated<RolloutState>;
    action: RolloutAction;
    parameters: JsonColumn;
    canarySpokes: number;
    canaryMinutes: number;
    batch: string;
    maxUnavailable: number;
    maxFailures: number;
    timeWindow: ColumnType<RolloutWindow | null, string | null, never>;
    federationIds: string[];
    note: string | null;
    reason: string | null;
    requestedBy: string;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
    finishedAt: NullableTimestampColumn;
  };
  rollout_spokes: {
    rolloutId: string;
    spokeId: string;
    position: number;
    wave: number | null;
    state: RolloutSpokeState;
    operationId: string | null;
    reason: string | null;
    endedAt: NullableTimestampColumn;
  };
}
