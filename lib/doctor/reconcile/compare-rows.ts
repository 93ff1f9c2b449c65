/**
 * Compares rows with namespaces. Finds those that are only in the cluster, only in the database, or different in both.
 */
import type { Config } from "#lib/base/config.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { isRowOutdated } from "#lib/doctor/reconcile/outdated-rows.ts";
import { cancelOperationsOfHub } from "#lib/doctor/reconcile/adopt-hubs.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { KnownRows } from "#lib/doctor/reconcile/rows.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { cancelOperationsOfSpoke } from "#lib/doctor/reconcile/adopt-spokes.ts";
import type { Trust, TrustedRecord } from "#lib/doctor/reconcile/trust.ts";

export interface ComparedCluster {
  readonly survey: ClusterSurvey;
  readonly known: KnownRows;
  readonly trust: Trust;
  readonly names: Pick<Config, "rootDomain" | "publicUrl">;
  /** The UIDs of namespaces that a row refers to but that lack our label, keyed by namespace name. */
  readonly unlabelled: ReadonlyMap<string, string>;
  /**
   * The time of the restore; null if the database is not known to be outdated. Operations requested earlier come from
   * the backup.
   */
  readonly restoredAt: Date | null;
  /** Whether a namespace belongs to this release or to a row. */
  readonly isOwn: (namespace: string) => boolean;
}

type Row = SpokeRow | FederationRow;
type Base = { readonly id: string; readonly updatedAt: Date };

/** The reason for a missing namespace. It gives both causes, because they cannot be distinguished. */
export const NAMESPACE_MISSING = "Its namespace is gone: it was removed after the backup of the database, or is lost";

export type ResolveDiscrepancy = NonNullable<Discrepancy["resolution"]>["apply"];

/** The functions in which the checks of spokes and hubs differ. */
export interface RowComparison<R extends Row, P extends Base> {
  readonly check: string;
  readonly rows: ReadonlyMap<string, R>;
  readonly namespaces: readonly ObservedNamespace[];
  readonly idOf: (namespace: ObservedNamespace) => string;
  readonly nameOf: (of: R | P) => string;
  readonly readTrustedRecord: (namespace: ObservedNamespace) => TrustedRecord<P>;
  readonly describeAdoption: (particulars: P) => { readonly done: string; readonly hint?: string };
  readonly adopt: (namespace: ObservedNamespace, particulars: P) => ResolveDiscrepancy;
  readonly changes: (row: R, namespace: ObservedNamespace, particulars: P) => string;
  readonly updateFromRecord: (namespace: ObservedNamespace, particulars: P) => ResolveDiscrepancy;
  readonly markRemoved: (row: R) => ResolveDiscrepancy;
  readonly remedy: (row: R) => string;
}

export function compareRows<R extends Row, P extends Base>(
  compared: ComparedCluster,
  sort: RowComparison<R, P>,
): Discrepancy[] {
  const { check, rows, namespaces, idOf, nameOf } = sort, discrepancies: Discrepancy[] = [];
  const strangers = new Map<string, string[]>();
  for (const namespace of namespaces) {
    const row = rows.get(idOf(namespace)), { name, uid, terminating } = namespace;
    if (row?.state === "removing") continue; // the job of the removal continues
    if (row?.state === "removed") {
      if (terminating) continue;
      const hint = `Nothing is done to it: kubectl delete namespace ${name}, if nobody needs it`;
      discrepancies.push({
        check,
        fact: `${nameOf(row)} (${row.id}) is removed, and its namespace ${name} stands`,
        hint,
      });
      continue;
    }
    const believed = terminating && !row
      ? { doubt: "is being deleted", installation: null }
      : sort.readTrustedRecord(namespace);
    const fresh = row && uid === row.namespaceUid;
    if ("doubt" in believed) {
      const other = believed.installation !== null && believed.installation !== compared.trust.installation.id;
      if (other && !fresh) {
        strangers.set(believed.installation!, [...strangers.get(believed.installation!) ?? [], name]);
      } else if (!fresh && (!row || row.namespaceUid !== null)) {
        discrepancies.push(doubted(check, namespace, believed.doubt, row));
      }
      continue;
    }
    const { particulars } = believed;
    if (!row) {
      const { done, hint } = sort.describeAdoption(particulars);
      const fact = `${nameOf(particulars)} (${particulars.id}) stands in ${name}, and the database does not know it`;
      discrepancies.push({ check, fact, hint, resolution: { done, apply: sort.adopt(namespace, particulars) } });
    } else if (isRowOutdated(row, namespace, particulars)) {
      const fact = `${nameOf(row)} was changed after the backup of the database${
        sort.changes(row, namespace, particulars)
      }`;
      discrepancies.push({
        check,
        fact,
        resolution: { done: "taken over", apply: sort.updateFromRecord(namespace, particulars) },
      });
    }
  }
  for (const [installation, found] of strangers) {
    const some = found.slice(0, 3).join(", ") + (found.length > 3 ? " …" : "");
    const fact = `${found.length} of the installation ${installation} ${
      found.length === 1 ? "stands" : "stand"
    } here: ${some}`;
    discrepancies.push({ check, fact, hint: "Never touched; should one be yours after all: --adopt NAMESPACE" });
  }
  return [...discrepancies, ...absent(compared, sort)];
}

function doubted(check: string, { name }: ObservedNamespace, doubt: string, row: Row | undefined): Discrepancy {
  if (row) {
    const fact = `The namespace ${name} of ${row.slug} (${row.id}) is another one than was made for it, and ${doubt}`;
    return { check, fact, level: "failing", hint: `Never touched; if it is yours: --adopt ${name}` };
  }
  const fact = `The namespace ${name} has the label of a ${check} that the database does not know, and ${doubt}`;
  return { check, fact, hint: `Never touched; if it is yours: --adopt ${name}` };
}

/** Reports rows whose namespace is missing in the cluster. */
function absent<R extends Row, P>(
  { survey: { identity, namespaces, name: cluster }, unlabelled }: ComparedCluster,
  { check, rows, nameOf, markRemoved, remedy }: RowComparison<R, P & Base>,
): Discrepancy[] {
  return [...rows.values()].flatMap((row): Discrepancy[] => {
    const { state, namespace, namespaceUid: uid, clusterUid } = row;
    const isOut = state === "removing" || state === "removed" || row.cluster !== cluster;
    if (isOut || uid === null || namespaces.has(namespace)) return [];
    const discrepancyOf = (fact: string, hint: string): Discrepancy => ({ check, fact, level: "failing", hint });
    if (clusterUid !== null && clusterUid !== identity) {
      const hint = "If that one is gone for good: wheelwright restore --all --new-cluster";
      return [discrepancyOf(`${nameOf(row)} was made in another cluster than the one that answers`, hint)];
    }
    const standing = unlabelled.get(namespace);
    if (standing === uid) {
      return [
        discrepancyOf(
          `The namespace ${namespace} of ${nameOf(row)} lacks the label ${MANAGED_BY_LABEL}`,
          "Reapply puts it back.",
        ),
      ];
    }
    const fact = `${nameOf(row)} (${row.id}) has no namespace any more${
      standing ? ", and another one has its name" : ""
    }`;
    const discrepancy = discrepancyOf(fact, remedy(row));
    return [
      row.stateReason === NAMESPACE_MISSING
        ? discrepancy
        : { ...discrepancy, resolution: { done: "called failed, and left", apply: markRemoved(row) } },
    ];
  });
}

/**
 * Returns the cancellation of operations from the restored backup, whose progress is unknown. Later operations are left
 * to the replicas.
 */
export function cancelOldOperations({ known, survey, restoredAt }: ComparedCluster, row: Row): Discrepancy[] {
  const old = (known.busy.get(row.id) ?? []).filter(({ createdAt }) => restoredAt !== null && createdAt < restoredAt);
  if (old.length === 0 || row.state === "removing") return [];
  const replicas = survey.namespaces.get(row.namespace)?.replicas ?? null, ids = old.map(({ id }) => id);
  const act: ResolveDiscrepancy = "federationId" in row
    ? (tx, requester) => cancelOperationsOfSpoke(tx, requester, row, ids, replicas)
    : (tx, requester) => cancelOperationsOfHub(tx, requester, row, ids);
  const fact = `${row.slug} (${row.id}) has under way by the backup of the database: ${
    old.map(({ kind }) => kind).join(", ")
  }`;
  return [{ check: "operations", fact, resolution: { done: "called off", apply: act } }];
}
