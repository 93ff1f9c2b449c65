/** Checks spokes and hubs, with the functions that differ between the two. */
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { HubParticulars, SpokeParticulars } from "#lib/moodle/particulars.ts";
import { adoptHub, catchUpHub, markHubGone, settledHub } from "#lib/doctor/reconcile/hub-deeds.ts";
import type { Matter } from "#lib/doctor/reconcile/matter.ts";
import { called, GONE, judgeAll, type Judged } from "#lib/doctor/reconcile/judge-rows.ts";
import { changedOfHub, changedOfSpoke, describeChanges } from "#lib/doctor/reconcile/changed-fields.ts";
import { settledState } from "#lib/doctor/reconcile/settled.ts";
import type { ClusterSight } from "#lib/doctor/reconcile/sight.ts";
import { adoptSpoke, catchUpSpoke, markGone } from "#lib/doctor/reconcile/spoke-deeds.ts";
import { believe } from "#lib/doctor/reconcile/trust.ts";

export function judgeHubs(judged: Judged): Matter[] {
  const { sight, known, restoredAt } = judged, { identity, name: cluster } = sight;
  const own = [...sight.namespaces.values()].filter((each) => each.hubId && !each.spokeId && !each.sandboxId);
  return [
    ...[...known.hubs.values()].flatMap((hub) => called(judged, hub)),
    ...judgeAll<FederationRow, HubParticulars>(judged, {
      ...{ check: "hub", rows: known.hubs, namespaces: own, idOf: ({ hubId }) => hubId!, nameOf: ({ slug }) => slug },
      believe: (namespace) => believe(judged.trust, HubParticulars, namespace),
      adopted: ({ slug }) => ({ done: "adopted, without members", hint: `wheelwright hubs add-member ${slug} EMAIL` }),
      adopt: (namespace, particulars) => (tx, asker) =>
        adoptHub(tx, asker, { cluster, identity, namespace, particulars }),
      changes: (row, { uid }, particulars) => {
        const { state } = settledHub(particulars), requested = known.wishes.get(row.id);
        return describeChanges(
          changedOfHub(row, particulars, { state, requested }),
          particulars,
          uid === row.namespaceUid,
        );
      },
      catchUp: (namespace, particulars) => (tx, asker) =>
        catchUpHub(tx, asker, { cluster, identity, namespace, particulars }, restoredAt),
      gone: (row) => (tx, asker) => markHubGone(tx, asker, row, GONE),
      waysOut: ({ slug }) =>
        `Removed on purpose: wheelwright hubs destroy ${slug}; lost: wheelwright hubs retry ${slug}`,
    }),
  ];
}

export function judgeSpokes(judged: Judged): Matter[] {
  const { sight, known, names, restoredAt } = judged, { identity, name: cluster } = sight;
  const own = [...sight.namespaces.values()].filter(({ spokeId }) => spokeId);
  const hubOf = ({ federationId }: { readonly federationId: string }) =>
    known.hubs.get(federationId)?.slug ?? federationId;
  const nameOf = (of: { readonly federationId: string; readonly slug: string }) => `${hubOf(of)}/${of.slug}`;
  return [
    ...[...known.spokes.values()].flatMap((spoke) => called(judged, spoke)),
    ...judgeAll<SpokeRow, SpokeParticulars>(judged, {
      ...{ check: "spoke", rows: known.spokes, namespaces: own, idOf: ({ spokeId }) => spokeId!, nameOf },
      believe: (namespace) => believe(judged.trust, SpokeParticulars, namespace),
      adopted: ({ domain, size, lmsVersion }) => ({ done: `adopted as ${domain}, ${size}, Moodle ${lmsVersion}` }),
      adopt: (namespace, particulars) => (tx, asker) =>
        adoptSpoke(tx, asker, names, { cluster, identity, namespace, particulars }),
      changes: (row, { uid, replicas }, particulars) => {
        const { state } = settledState(particulars, replicas), requested = known.wishes.get(row.id);
        const changed = changedOfSpoke(row, particulars, { state, requested });
        return describeChanges(changed, particulars, uid === row.namespaceUid);
      },
      catchUp: (namespace, particulars) => (tx, asker) =>
        catchUpSpoke(tx, asker, names, { cluster, identity, namespace, particulars }, restoredAt),
      gone: (row) => (tx, asker) => markGone(tx, asker, row, GONE),
      waysOut: (row) =>
        `Removed on purpose: wheelwright spokes destroy ${
          nameOf(row)
        }; lost: the same, then wheelwright restore ${row.id}` +
        lastSnapshots(sight, row),
    }),
  ];
}

/** Lists snapshots of the spoke that the storage may still have. */
function lastSnapshots({ contents }: ClusterSight, { namespace }: SpokeRow): string {
  const left = [...contents?.values() ?? []].filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace);
  return left.length === 0
    ? ""
    : `. Its snapshots stay: ${left.map(({ metadata }) => metadata.name).sort().join(", ")}`;
}
