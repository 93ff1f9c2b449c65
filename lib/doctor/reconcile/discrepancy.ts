/** Defines a difference between the database and a cluster, and the change to the database that resolves it. */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { BackupRecord, HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import type { ClusterRows } from "#lib/doctor/reconcile/rows.ts";
import type { RecordTrustSettings } from "#lib/doctor/reconcile/site-records.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

export interface ClusterComparison {
  readonly survey: ClusterSurvey;
  readonly rows: ClusterRows;
  readonly trust: RecordTrustSettings;
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

export interface Discrepancy {
  readonly check: string;
  /** A sentence that describes the difference, without a full stop. */
  readonly fact: string;
  readonly hint?: string | undefined;
  /** The finding's level. Set if an operator must act even after the database was changed. */
  readonly level?: "warning" | "failing";
  /**
   * How recovery (lib/recovery/adoption) changes the database. `result` is a past participle that names the change in
   * the finding, for example "adopted". Absent if the difference is only reported.
   */
  readonly resolution?: { readonly result: string; readonly change: DatabaseChange };
}

/** A hub or spoke that was found in a cluster, with its site record. */
export interface FoundInCluster<Record = HubSiteRecord | SpokeSiteRecord> {
  readonly cluster: string;
  readonly clusterUid: string | null;
  readonly namespace: ObservedNamespace;
  readonly siteRecord: Record;
}

/** A backup whose snapshots were found in a cluster. */
export interface FoundBackup extends Omit<BackupRecord, "volumes"> {
  readonly volumes: readonly BackupVolume[];
  readonly takenAt: Date;
}

export type DatabaseChange =
  /** Adds the row of a hub or spoke, or updates it, from the site record in the cluster. */
  | { readonly kind: "adopt" | "update"; readonly found: FoundInCluster }
  /** Marks a hub or spoke as failed, because its namespace is missing. */
  | { readonly kind: "mark-missing"; readonly row: SpokeRow | FederationRow }
  | {
    readonly kind: "cancel-operations";
    readonly row: SpokeRow | FederationRow;
    readonly operations: readonly string[];
    readonly replicas: ObservedNamespace["replicas"] | null;
  }
  | {
    readonly kind: "adopt-backups";
    readonly cluster: string;
    readonly namespace: ObservedNamespace;
    readonly backups: readonly FoundBackup[];
  }
  /** Makes the next fencing token (claim number) greater than `minimum`. */
  | { readonly kind: "raise-fences"; readonly minimum: bigint };
