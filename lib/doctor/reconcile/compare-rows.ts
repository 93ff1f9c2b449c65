/**
 * Compares the database rows for hubs and spokes with the namespaces in a cluster. Reports missing rows, missing
 * namespaces and differences.
 */
import type { Config } from "#lib/base/config.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { isRowOutdated } from "#lib/doctor/reconcile/outdated-rows.ts";
import { cancelOperationsOfHub } from "#lib/recovery/adoption/adopt-hubs.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterRows } from "#lib/doctor/reconcile/rows.ts";
import { formatCount } from "#lib/doctor/finding.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { cancelOperationsOfSpoke } from "#lib/recovery/adoption/adopt-spokes.ts";
import type { RecordTrustSettings, TrustedRecord } from "#lib/doctor/reconcile/trust.ts";

export interface ClusterComparison {
  readonly survey: ClusterSurvey;
  readonly rows: ClusterRows;
  readonly trust: RecordTrustSettings;
  readonly domainConfig: Pick<Config, "rootDomain" | "publicUrl">;
  /** UIDs of namespaces that lack Wheelwright's label although a database row refers to them, keyed by name. */
  readonly unlabelled: ReadonlyMap<string, string>;
  /**
   * When the database was restored from a backup; null if no restore is known. Operations that were created before this
   * time come from the backup.
   */
  readonly restoredAt: Date | null;
  /** Returns whether a namespace belongs to this installation: its name shows it, or a database row refers to it. */
  readonly isOwn: (namespace: string) => boolean;
}

type Row = SpokeRow | FederationRow;
type RecordBase = { readonly id: string; readonly updatedAt: Date };

/** Explains the state `failed` of a hub or spoke without a namespace. The two causes cannot be distinguished. */
export const NAMESPACE_MISSING_REASON = "The namespace is missing: it was lost, or removed after the database backup";

export type DiscrepancyResolver = NonNullable<Discrepancy["resolution"]>["apply"];

/** How to compare the rows of hubs or spokes with their namespaces, and how to resolve differences. */
export interface RowComparison<R extends Row, P extends RecordBase> {
  readonly check: string;
  readonly rows: ReadonlyMap<string, R>;
  readonly namespaces: readonly ObservedNamespace[];
  readonly idOf: (namespace: ObservedNamespace) => string;
  readonly nameOf: (of: R | P) => string;
  readonly readTrustedRecord: (namespace: ObservedNamespace) => TrustedRecord<P>;
  readonly describeAdoption: (siteRecord: P) => { readonly result: string; readonly hint?: string };
  readonly adopt: (namespace: ObservedNamespace, siteRecord: P) => DiscrepancyResolver;
  readonly describeChanges: (row: R, namespace: ObservedNamespace, siteRecord: P) => string;
  readonly updateFromRecord: (namespace: ObservedNamespace, siteRecord: P) => DiscrepancyResolver;
  readonly markMissing: (row: R) => DiscrepancyResolver;
  readonly hintForMissing: (row: R) => string;
}

export function compareRowsWithNamespaces<R extends Row, P extends RecordBase>(
  compared: ClusterComparison,
  comparison: RowComparison<R, P>,
): Discrepancy[] {
  const { check, rows, namespaces, idOf, nameOf } = comparison, discrepancies: Discrepancy[] = [];
  const otherInstallations = new Map<string, string[]>();
  for (const namespace of namespaces) {
    const row = rows.get(idOf(namespace)), { name, uid, terminating } = namespace;
    if (row?.state === "removing") continue; // the job of the removal continues
    if (row?.state === "removed") {
      if (terminating) continue;
      const hint = `The namespace is not changed. If you do not need it: kubectl delete namespace ${name}`;
      discrepancies.push({
        check,
        fact: `${nameOf(row)} (${row.id}) is removed, but its namespace ${name} still exists`,
        hint,
      });
      continue;
    }
    const trustedRecord = terminating && !row
      ? { doubt: "is being deleted", installation: null }
      : comparison.readTrustedRecord(namespace);
    const isSameNamespace = row && uid === row.namespaceUid;
    if ("doubt" in trustedRecord) {
      const isOtherInstallation = trustedRecord.installation !== null &&
        trustedRecord.installation !== compared.trust.installation.id;
      if (isOtherInstallation && !isSameNamespace) {
        otherInstallations.set(trustedRecord.installation!, [
          ...otherInstallations.get(trustedRecord.installation!) ?? [],
          name,
        ]);
      } else if (!isSameNamespace && (!row || row.namespaceUid !== null)) {
        discrepancies.push(reportUntrustedRecord(check, namespace, trustedRecord.doubt, row));
      }
      continue;
    }
    const { siteRecord } = trustedRecord;
    if (!row) {
      const { result, hint } = comparison.describeAdoption(siteRecord);
      const fact = `${nameOf(siteRecord)} (${siteRecord.id}) exists in namespace ${name} but not in the database`;
      discrepancies.push({ check, fact, hint, resolution: { result, apply: comparison.adopt(namespace, siteRecord) } });
    } else if (isRowOutdated(row, namespace, siteRecord)) {
      const fact = `${nameOf(row)} was changed after the database backup${
        comparison.describeChanges(row, namespace, siteRecord)
      }`;
      discrepancies.push({
        check,
        fact,
        resolution: { result: "updated from the cluster", apply: comparison.updateFromRecord(namespace, siteRecord) },
      });
    }
  }
  for (const [installation, foreignNamespaces] of otherInstallations) {
    const names = foreignNamespaces.slice(0, 3).join(", ") + (foreignNamespaces.length > 3 ? " …" : "");
    const fact = `${formatCount(foreignNamespaces.length, "namespace")} of installation ${installation}: ${names}`;
    const hint = "These namespaces are not changed. To adopt one anyway, add --adopt NAMESPACE";
    discrepancies.push({ check, fact, hint });
  }
  return [...discrepancies, ...reportMissingNamespaces(compared, comparison)];
}

function reportUntrustedRecord(
  check: string,
  { name }: ObservedNamespace,
  doubt: string,
  row: Row | undefined,
): Discrepancy {
  if (row) {
    const fact = `Namespace ${name} of ${row.slug} (${row.id}) is not its original namespace, and ${doubt}`;
    return { check, fact, level: "failing", hint: `The namespace is not changed. To adopt it, add --adopt ${name}` };
  }
  const fact = `Namespace ${name} has the label of a ${check} that is not in the database, and ${doubt}`;
  return { check, fact, hint: `The namespace is not changed. To adopt it, add --adopt ${name}` };
}

/** Reports database rows whose namespace is missing from the cluster. */
function reportMissingNamespaces<R extends Row, P>(
  { survey: { clusterUid: surveyedUid, namespaces, name: cluster }, unlabelled }: ClusterComparison,
  { check, rows, nameOf, markMissing, hintForMissing }: RowComparison<R, P & RecordBase>,
): Discrepancy[] {
  return [...rows.values()].flatMap((row): Discrepancy[] => {
    const { state, namespace, namespaceUid: uid, clusterUid } = row;
    const isIrrelevant = state === "removing" || state === "removed" || row.cluster !== cluster;
    if (isIrrelevant || uid === null || namespaces.has(namespace)) return [];
    const discrepancyOf = (fact: string, hint: string): Discrepancy => ({ check, fact, level: "failing", hint });
    if (clusterUid !== null && clusterUid !== surveyedUid) {
      const hint = "If that cluster is lost: wheelwright restore --all --new-cluster";
      return [discrepancyOf(`${nameOf(row)} was created in a different cluster`, hint)];
    }
    const actualUid = unlabelled.get(namespace);
    if (actualUid === uid) {
      return [
        discrepancyOf(
          `Namespace ${namespace} of ${nameOf(row)} lacks the label ${MANAGED_BY_LABEL}`,
          "Reapply the blueprint to restore the label.",
        ),
      ];
    }
    const fact = `The namespace of ${nameOf(row)} (${row.id}) is missing${
      actualUid ? "; a different namespace has its name" : ""
    }`;
    const discrepancy = discrepancyOf(fact, hintForMissing(row));
    return [
      row.stateReason === NAMESPACE_MISSING_REASON
        ? discrepancy
        : { ...discrepancy, resolution: { result: "marked as failed", apply: markMissing(row) } },
    ];
  });
}

/**
 * Reports unfinished operations from before the database's restore, with a resolution that cancels them, because their
 * progress is unknown.
 */
export function reportOperationsBeforeRestore(
  { rows: databaseRows, survey, restoredAt }: ClusterComparison,
  row: Row,
): Discrepancy[] {
  const oldOperations = (databaseRows.liveOperations.get(row.id) ?? []).filter(({ createdAt }) =>
    restoredAt !== null && createdAt < restoredAt
  );
  if (oldOperations.length === 0 || row.state === "removing") return [];
  const replicas = survey.namespaces.get(row.namespace)?.replicas ?? null, ids = oldOperations.map(({ id }) => id);
  const apply: DiscrepancyResolver = "federationId" in row
    ? (tx, requester) => cancelOperationsOfSpoke(tx, requester, row, ids, replicas)
    : (tx, requester) => cancelOperationsOfHub(tx, requester, row, ids);
  const fact = `${row.slug} (${row.id}) has unfinished operations in the database backup: ${
    oldOperations.map(({ kind }) => kind).join(", ")
  }`;
  return [{ check: "operations", fact, resolution: { result: "cancelled", apply } }];
}
