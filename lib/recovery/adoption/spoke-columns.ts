/** Converts a spoke's site record to columns of its database row. */
import type { FoundInCluster } from "#lib/doctor/reconcile/discrepancy.ts";
import { determineSpokeState } from "#lib/doctor/reconcile/site-records.ts";
import { omitFields } from "#lib/model/field.ts";
import type { SpokeSiteRecord } from "#lib/moodle/site-record.ts";

export type FoundSpoke = FoundInCluster<SpokeSiteRecord>;

/** Columns that the caller sets: they never change, need a reservation, or name a user or spoke that may be gone. */
const SET_BY_CALLER = ["id", "federationId", "slug", "domain", "createdAt", "createdBy", "copyOf"] as const;

export function toSpokeColumns({ cluster, clusterUid: identity, namespace, siteRecord }: FoundSpoke) {
  const { blueprintInputs, updatedAt, policy, ...columns } = omitFields(siteRecord, SET_BY_CALLER);
  return {
    ...columns,
    ...determineSpokeState(siteRecord, namespace.replicas),
    health: "unknown" as const,
    blueprintInputs: JSON.stringify(blueprintInputs),
    policy: policy && JSON.stringify(policy),
    ...{ cluster, clusterUid: identity, namespace: namespace.name, namespaceUid: namespace.uid, recordedAt: null },
    backupUpdatedAt: updatedAt,
  };
}
