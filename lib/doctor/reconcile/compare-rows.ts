/**
 * Compares the database rows for hubs and spokes with the namespaces in a cluster. Reports missing rows, missing
 * namespaces, differences, and operations from before the restore.
 */
import type * as v from "valibot";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { formatCount } from "#lib/base/text.ts";
import {
  type ChangedFields,
  describeChanges,
  isRowOutdated,
  listChangedHubFields,
  listChangedSpokeFields,
} from "#lib/doctor/reconcile/changed-fields.ts";
import type { ClusterComparison, Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import { determineHubState, determineSpokeState, readTrustedSiteRecord } from "#lib/doctor/reconcile/site-records.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

type Row = SpokeRow | FederationRow;

/** Explains the state `failed` of a hub or spoke without a namespace. The two causes cannot be distinguished. */
export const NAMESPACE_MISSING_REASON = "The namespace is missing: it was lost, or removed after the database backup";

/** The parts of the comparison that differ between hubs and spokes. */
interface RowComparison<R extends Row, P extends HubSiteRecord | SpokeSiteRecord> {
  readonly check: "hub" | "spoke";
  readonly rows: ReadonlyMap<string, R>;
  readonly namespaces: readonly ObservedNamespace[];
  readonly schema: v.GenericSchema<unknown, P>;
  readonly nameOf: (of: R | P) => string;
  readonly describeAdoption: (siteRecord: P) => { readonly result: string; readonly hint?: string };
  readonly listChanges: (row: R, namespace: ObservedNamespace, siteRecord: P) => ChangedFields;
  readonly hintForMissing: (row: R) => string;
}

export function checkHubsInCluster(compared: ClusterComparison): Discrepancy[] {
  const { survey, rows } = compared;
  return compareRowsWithNamespaces<FederationRow, HubSiteRecord>(compared, {
    ...{ check: "hub", rows: rows.hubs, schema: HubSiteRecord, nameOf: ({ slug }) => slug },
    namespaces: [...survey.namespaces.values()].filter((each) => each.hubId && !each.spokeId && !each.sandboxId),
    describeAdoption: ({ slug }) => ({
      result: "adopted, without members",
      hint: `wheelwright hubs add-member ${slug} EMAIL`,
    }),
    listChanges: (row, _, siteRecord) =>
      listChangedHubFields(row, siteRecord, {
        state: determineHubState(siteRecord).state,
        requested: rows.changesAfterRestore.get(row.id),
      }),
    hintForMissing: ({ slug }) =>
      `If the hub was removed on purpose: wheelwright hubs destroy ${slug}. If it was lost: wheelwright hubs retry ${slug}`,
  });
}

export function checkSpokesInCluster(compared: ClusterComparison): Discrepancy[] {
  const { survey, rows } = compared;
  const nameOf = ({ federationId, slug }: { readonly federationId: string; readonly slug: string }) =>
    `${rows.hubs.get(federationId)?.slug ?? federationId}/${slug}`;
  return compareRowsWithNamespaces<SpokeRow, SpokeSiteRecord>(compared, {
    ...{ check: "spoke", rows: rows.spokes, schema: SpokeSiteRecord, nameOf },
    namespaces: [...survey.namespaces.values()].filter(({ spokeId }) => spokeId),
    describeAdoption: ({ domain, size, lmsVersion }) => ({
      result: `adopted as ${domain}, ${size}, Moodle ${lmsVersion}`,
    }),
    listChanges: (row, { replicas }, siteRecord) =>
      listChangedSpokeFields(row, siteRecord, {
        state: determineSpokeState(siteRecord, replicas).state,
        requested: rows.changesAfterRestore.get(row.id),
      }),
    hintForMissing: (row) =>
      `If the spoke was removed on purpose: wheelwright spokes destroy ${
        nameOf(row)
      }. If it was lost, run the same command, then: wheelwright restore ${row.id}` + lastSnapshots(survey, row),
  });
}

/** Names the spoke's snapshots that may still exist in the storage, as text to append to a hint. */
function lastSnapshots({ contents }: ClusterSurvey, { namespace }: SpokeRow): string {
  const left = [...contents?.values() ?? []].filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace);
  return left.length === 0
    ? ""
    : `. Its snapshots still exist: ${left.map(({ metadata }) => metadata.name).sort().join(", ")}`;
}

function compareRowsWithNamespaces<R extends Row, P extends HubSiteRecord | SpokeSiteRecord>(
  compared: ClusterComparison,
  comparison: RowComparison<R, P>,
): Discrepancy[] {
  const { check, rows, nameOf } = comparison, { survey: { name: cluster, clusterUid }, trust } = compared;
  const discrepancies = [...rows.values()].flatMap((row) => reportOperationsBeforeRestore(compared, row));
  const otherInstallations = new Map<string, string[]>();
  for (const namespace of comparison.namespaces) {
    const row = rows.get(namespace.spokeId ?? namespace.hubId!), { name, uid, terminating } = namespace;
    if (row?.state === "removing") continue; // the job of the removal continues
    if (row?.state === "removed") {
      if (terminating) continue;
      const hint = `The namespace is not changed. If you do not need it: kubectl delete namespace ${name}`;
      const fact = `${nameOf(row)} (${row.id}) is removed, but its namespace ${name} still exists`;
      discrepancies.push({ check, fact, hint });
      continue;
    }
    const trustedRecord = terminating && !row
      ? { doubt: "is being deleted", installation: null }
      : readTrustedSiteRecord(trust, comparison.schema, namespace);
    if ("doubt" in trustedRecord) {
      const { doubt, installation } = trustedRecord;
      if (row && uid === row.namespaceUid) continue;
      if (installation !== null && installation !== trust.installation.id) {
        otherInstallations.set(installation, [...otherInstallations.get(installation) ?? [], name]);
      } else if (!row || row.namespaceUid !== null) {
        discrepancies.push(reportUntrustedRecord(check, namespace, doubt, row));
      }
      continue;
    }
    const { siteRecord } = trustedRecord, found = { cluster, clusterUid, namespace, siteRecord };
    if (!row) {
      const { result, hint } = comparison.describeAdoption(siteRecord);
      const fact = `${nameOf(siteRecord)} (${siteRecord.id}) exists in namespace ${name} but not in the database`;
      discrepancies.push({ check, fact, hint, resolution: { result, change: { kind: "adopt", found } } });
    } else if (isRowOutdated(row, namespace, siteRecord)) {
      const changes = describeChanges(
        comparison.listChanges(row, namespace, siteRecord),
        siteRecord,
        uid === row.namespaceUid,
      );
      discrepancies.push({
        check,
        fact: `${nameOf(row)} was changed after the database backup${changes}`,
        resolution: { result: "updated from the cluster", change: { kind: "update", found } },
      });
    }
  }
  for (const [installation, foreignNamespaces] of otherInstallations) {
    const names = foreignNamespaces.slice(0, 3).join(", ") + (foreignNamespaces.length > 3 ? " …" : "");
    const fact = `${formatCount(foreignNamespaces.length, "namespace")} of installation ${installation}: ${names}`;
    const hint = "These namespaces are not changed. To adopt one anyway, add --adopt NAMESPACE";
    discrepancies.push({ check, fact, hint });
  }
  return [...discrepancies, ...[...rows.values()].flatMap((row) => reportMissingNamespace(compared, comparison, row))];
}

function reportUntrustedRecord(
  check: string,
  { name }: ObservedNamespace,
  doubt: string,
  row: Row | undefined,
): Discrepancy {
  const hint = `The namespace is not changed. To adopt it, add --adopt ${name}`;
  if (row) {
    const fact = `Namespace ${name} of ${row.slug} (${row.id}) is not its original namespace, and ${doubt}`;
    return { check, fact, level: "failing", hint };
  }
  return {
    check,
    fact: `Namespace ${name} has the label of a ${check} that is not in the database, and ${doubt}`,
    hint,
  };
}

/** Reports a database row whose namespace is missing from the cluster. */
function reportMissingNamespace<R extends Row, P extends HubSiteRecord | SpokeSiteRecord>(
  { survey, unlabelled }: ClusterComparison,
  { check, nameOf, hintForMissing }: RowComparison<R, P>,
  row: R,
): Discrepancy[] {
  const { state, namespace, namespaceUid: uid, clusterUid } = row, level = "failing";
  const isIrrelevant = state === "removing" || state === "removed" || row.cluster !== survey.name;
  if (isIrrelevant || uid === null || survey.namespaces.has(namespace)) return [];
  if (clusterUid !== null && clusterUid !== survey.clusterUid) {
    const hint = "If that cluster is lost: wheelwright restore --all --new-cluster";
    return [{ check, fact: `${nameOf(row)} was created in a different cluster`, level, hint }];
  }
  const actualUid = unlabelled.get(namespace);
  if (actualUid === uid) {
    const fact = `Namespace ${namespace} of ${nameOf(row)} lacks the label ${MANAGED_BY_LABEL}`;
    return [{ check, fact, level, hint: "Reapply the blueprint to restore the label." }];
  }
  const fact = `The namespace of ${nameOf(row)} (${row.id}) is missing${
    actualUid ? "; a different namespace has its name" : ""
  }`;
  const resolution = { result: "marked as failed", change: { kind: "mark-missing", row } } as const;
  const isMarked = row.stateReason === NAMESPACE_MISSING_REASON;
  return [{ check, fact, level, hint: hintForMissing(row), ...(isMarked ? {} : { resolution }) }];
}

/** Reports unfinished operations from before the database's restore, to cancel them: their progress is unknown. */
function reportOperationsBeforeRestore({ rows, survey, restoredAt }: ClusterComparison, row: Row): Discrepancy[] {
  const oldOperations = (rows.liveOperations.get(row.id) ?? []).filter(({ createdAt }) =>
    restoredAt !== null && createdAt < restoredAt
  );
  if (oldOperations.length === 0 || row.state === "removing") return [];
  const replicas = survey.namespaces.get(row.namespace)?.replicas ?? null;
  const kinds = oldOperations.map(({ kind }) => kind).join(", "), operations = oldOperations.map(({ id }) => id);
  return [{
    check: "operations",
    fact: `${row.slug} (${row.id}) has unfinished operations in the database backup: ${kinds}`,
    resolution: { result: "cancelled", change: { kind: "cancel-operations", row, operations, replicas } },
  }];
}
