/** Defines the tables from which lists and counts of hubs and spokes are read. Triggers maintain their rows. */
import type { NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { HubState, LIVE_STATES, SpokeState } from "#lib/model/states.ts";
import type { Generated } from "kysely";

type CountsByState = Readonly<Record<(typeof LIVE_STATES)[number], Generated<number>>>;

export interface ListTables {
  live_hubs: CountsByState & {
    federationId: string;
    state: HubState;
    createdAt: TimestampColumn;
    content: string;
    degraded: Generated<number>;
    unverified: Generated<number>;
    oldestVerifiedAt: Date | null;
  };
  live_spokes: {
    spokeId: string;
    federationId: string;
    slug: string;
    state: SpokeState;
    health: string;
    createdAt: TimestampColumn;
    storagePercent: number | null;
    storageRank: Generated<number>;
    size: string | null;
    lmsVersion: string | null;
    region: string | null;
    blueprintRevision: string | null;
    lastFailedAt: NullableTimestampColumn;
  };
  spoke_texts: { spokeId: string; federationId: string; createdAt: TimestampColumn; content: string };
}
