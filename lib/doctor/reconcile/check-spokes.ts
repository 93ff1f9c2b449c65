/** Compares a cluster's hubs and spokes with their rows in the database. */
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { adoptHub, determineHubState, markHubMissing, updateHubFromRecord } from "#lib/recovery/adoption/adopt-hubs.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import {
  type ClusterComparison,
  compareRowsWithNamespaces,
  NAMESPACE_MISSING_REASON,
  reportOperationsBeforeRestore,
} from "#lib/doctor/reconcile/compare-rows.ts";
import { describeChanges, listChangedHubFields, listChangedSpokeFields } from "#lib/doctor/reconcile/changed-fields.ts";
import { determineSpokeState } from "#lib/doctor/reconcile/recorded-state.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";
import { adoptSpoke, markSpokeMissing, updateSpokeFromRecord } from "#lib/recovery/adoption/adopt-spokes.ts";
import { readTrustedSiteRecord } from "#lib/doctor/reconcile/trust.ts";

export function checkHubsInCluster(compared: ClusterComparison): Discrepancy[] {
  const { survey, rows, restoredAt } = compared, { clusterUid, name: cluster } = survey;
  const own = [...survey.namespaces.values()].filter((each) => each.hubId && !each.spokeId && !each.sandboxId);
  return [
    ...[...rows.hubs.values()].flatMap((hub) => reportOperationsBeforeRestore(compared, hub)),
    ...compareRowsWithNamespaces<FederationRow, HubSiteRecord>(compared, {
      ...{ check: "hub", rows: rows.hubs, namespaces: own, idOf: ({ hubId }) => hubId!, nameOf: ({ slug }) => slug },
      readTrustedRecord: (namespace) => readTrustedSiteRecord(compared.trust, HubSiteRecord, namespace),
      describeAdoption: ({ slug }) => ({
        result: "adopted, without members",
        hint: `wheelwright hubs add-member ${slug} EMAIL`,
      }),
      adopt: (namespace, siteRecord) => (tx, requester) =>
        adoptHub(tx, requester, { cluster, clusterUid, namespace, siteRecord }),
      describeChanges: (row, { uid }, siteRecord) => {
        const { state } = determineHubState(siteRecord), requested = rows.changesAfterRestore.get(row.id);
        return describeChanges(
          listChangedHubFields(row, siteRecord, { state, requested }),
          siteRecord,
          uid === row.namespaceUid,
        );
      },
      updateFromRecord: (namespace, siteRecord) => (tx, requester) =>
        updateHubFromRecord(tx, requester, { cluster, clusterUid, namespace, siteRecord }, restoredAt),
      markMissing: (row) => (tx, requester) => markHubMissing(tx, requester, row, NAMESPACE_MISSING_REASON),
      hintForMissing: ({ slug }) =>
        `If the hub was removed on purpose: wheelwright hubs destroy ${slug}. If it was lost: wheelwright hubs retry ${slug}`,
    }),
  ];
}

export function checkSpokesInCluster(compared: ClusterComparison): Discrepancy[] {
  const { survey, rows, domainConfig, restoredAt } = compared, { clusterUid, name: cluster } = survey;
  const own = [...survey.namespaces.values()].filter(({ spokeId }) => spokeId);
  const hubOf = ({ federationId }: { readonly federationId: string }) =>
    rows.hubs.get(federationId)?.slug ?? federationId;
  const nameOf = (of: { readonly federationId: string; readonly slug: string }) => `${hubOf(of)}/${of.slug}`;
  return [
    ...[...rows.spokes.values()].flatMap((spoke) => reportOperationsBeforeRestore(compared, spoke)),
    ...compareRowsWithNamespaces<SpokeRow, SpokeSiteRecord>(compared, {
      ...{ check: "spoke", rows: rows.spokes, namespaces: own, idOf: ({ spokeId }) => spokeId!, nameOf },
      readTrustedRecord: (namespace) => readTrustedSiteRecord(compared.trust, SpokeSiteRecord, namespace),
      describeAdoption: ({ domain, size, lmsVersion }) => ({
        result: `adopted as ${domain}, ${size}, Moodle ${lmsVersion}`,
      }),
      adopt: (namespace, siteRecord) => (tx, requester) =>
        adoptSpoke(tx, requester, domainConfig, { cluster, clusterUid, namespace, siteRecord }),
      describeChanges: (row, { uid, replicas }, siteRecord) => {
        const { state } = determineSpokeState(siteRecord, replicas),
          requested = rows.changesAfterRestore.get(row.id);
        const changed = listChangedSpokeFields(row, siteRecord, { state, requested });
        return describeChanges(changed, siteRecord, uid === row.namespaceUid);
      },
      updateFromRecord: (namespace, siteRecord) => (tx, requester) =>
        updateSpokeFromRecord(tx, requester, domainConfig, { cluster, clusterUid, namespace, siteRecord }, restoredAt),
      markMissing: (row) => (tx, requester) => markSpokeMissing(tx, requester, row, NAMESPACE_MISSING_REASON),
      hintForMissing: (row) =>
        `If the spoke was removed on purpose: wheelwright spokes destroy ${
          nameOf(row)
        }. If it was lost, run the same command, then: wheelwright restore ${row.id}` +
        lastSnapshots(survey, row),
    }),
  ];
}

/** Names the spoke's snapshots that may still exist in the storage, as text to append to a hint. */
function lastSnapshots({ contents }: ClusterSurvey, { namespace }: SpokeRow): string {
  const left = [...contents?.values() ?? []].filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace);
  return left.length === 0
    ? ""
    : `. Its snapshots still exist: ${left.map(({ metadata }) => metadata.name).sort().join(", ")}`;
}
