/** Checks spokes and hubs, with the functions that differ between the two. */
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { adoptHub, markHubGone, stateOfRecordedHub, updateHubFromRecord } from "#lib/doctor/reconcile/adopt-hubs.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import {
  cancelOldOperations,
  type ComparedCluster,
  compareRows,
  NAMESPACE_MISSING,
} from "#lib/doctor/reconcile/compare-rows.ts";
import { changedOfHub, changedOfSpoke, describeChanges } from "#lib/doctor/reconcile/changed-fields.ts";
import { stateOfRecordedSpoke } from "#lib/doctor/reconcile/recorded-state.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";
import { adoptSpoke, markSpokeGone, updateSpokeFromRecord } from "#lib/doctor/reconcile/adopt-spokes.ts";
import { readTrustedRecord } from "#lib/doctor/reconcile/trust.ts";

export function checkHubs(compared: ComparedCluster): Discrepancy[] {
  const { survey, known, restoredAt } = compared, { identity, name: cluster } = survey;
  const own = [...survey.namespaces.values()].filter((each) => each.hubId && !each.spokeId && !each.sandboxId);
  return [
    ...[...known.hubs.values()].flatMap((hub) => cancelOldOperations(compared, hub)),
    ...compareRows<FederationRow, HubSiteRecord>(compared, {
      ...{ check: "hub", rows: known.hubs, namespaces: own, idOf: ({ hubId }) => hubId!, nameOf: ({ slug }) => slug },
      readTrustedRecord: (namespace) => readTrustedRecord(compared.trust, HubSiteRecord, namespace),
      describeAdoption: ({ slug }) => ({
        done: "adopted, without members",
        hint: `wheelwright hubs add-member ${slug} EMAIL`,
      }),
      adopt: (namespace, particulars) => (tx, requester) =>
        adoptHub(tx, requester, { cluster, identity, namespace, particulars }),
      changes: (row, { uid }, particulars) => {
        const { state } = stateOfRecordedHub(particulars), requested = known.changesAfterRestore.get(row.id);
        return describeChanges(
          changedOfHub(row, particulars, { state, requested }),
          particulars,
          uid === row.namespaceUid,
        );
      },
      updateFromRecord: (namespace, particulars) => (tx, requester) =>
        updateHubFromRecord(tx, requester, { cluster, identity, namespace, particulars }, restoredAt),
      markRemoved: (row) => (tx, requester) => markHubGone(tx, requester, row, NAMESPACE_MISSING),
      remedy: ({ slug }) =>
        `Removed on purpose: wheelwright hubs destroy ${slug}; lost: wheelwright hubs retry ${slug}`,
    }),
  ];
}

export function checkSpokesInCluster(compared: ComparedCluster): Discrepancy[] {
  const { survey, known, names, restoredAt } = compared, { identity, name: cluster } = survey;
  const own = [...survey.namespaces.values()].filter(({ spokeId }) => spokeId);
  const hubOf = ({ federationId }: { readonly federationId: string }) =>
    known.hubs.get(federationId)?.slug ?? federationId;
  const nameOf = (of: { readonly federationId: string; readonly slug: string }) => `${hubOf(of)}/${of.slug}`;
  return [
    ...[...known.spokes.values()].flatMap((spoke) => cancelOldOperations(compared, spoke)),
    ...compareRows<SpokeRow, SpokeSiteRecord>(compared, {
      ...{ check: "spoke", rows: known.spokes, namespaces: own, idOf: ({ spokeId }) => spokeId!, nameOf },
      readTrustedRecord: (namespace) => readTrustedRecord(compared.trust, SpokeSiteRecord, namespace),
      describeAdoption: ({ domain, size, lmsVersion }) => ({
        done: `adopted as ${domain}, ${size}, Moodle ${lmsVersion}`,
      }),
      adopt: (namespace, particulars) => (tx, requester) =>
        adoptSpoke(tx, requester, names, { cluster, identity, namespace, particulars }),
      changes: (row, { uid, replicas }, particulars) => {
        const { state } = stateOfRecordedSpoke(particulars, replicas),
          requested = known.changesAfterRestore.get(row.id);
        const changed = changedOfSpoke(row, particulars, { state, requested });
        return describeChanges(changed, particulars, uid === row.namespaceUid);
      },
      updateFromRecord: (namespace, particulars) => (tx, requester) =>
        updateSpokeFromRecord(tx, requester, names, { cluster, identity, namespace, particulars }, restoredAt),
      markRemoved: (row) => (tx, requester) => markSpokeGone(tx, requester, row, NAMESPACE_MISSING),
      remedy: (row) =>
        `Removed on purpose: wheelwright spokes destroy ${
          nameOf(row)
        }; lost: the same, then wheelwright restore ${row.id}` +
        lastSnapshots(survey, row),
    }),
  ];
}

/** Lists snapshots of the spoke that the storage may still have. */
function lastSnapshots({ contents }: ClusterSurvey, { namespace }: SpokeRow): string {
  const left = [...contents?.values() ?? []].filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace);
  return left.length === 0
    ? ""
    : `. Its snapshots stay: ${left.map(({ metadata }) => metadata.name).sort().join(", ")}`;
}
