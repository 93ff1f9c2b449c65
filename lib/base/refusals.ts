/**
 * Lists the codes with which a restore, copy, restore test or shared step refuses to continue, each with an example
 * message. The code is part of an operation's failure report, and so is a contract with users.
 */
import { type FailureCause, Fault } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";

export const REFUSALS = {
  // Refusals to use a backup.
  NoBackup: "The spoke ash has no backup that is ready",
  BackupNotReady: "The backup bak_1 has expired and was deleted",
  Incomplete: "The backup bak_1 does not contain both volumes of the spoke",
  AnotherPostgres: "The backup bak_1 needs PostgreSQL 16, but the spoke runs PostgreSQL 17",
  VersionUnknown: "The backup bak_1 was taken before an upgrade of the spoke and has no recorded Moodle version",
  AnotherVersion: "The database has Moodle 4.5.12, but the backup was taken with 5.2.2",
  NoWayBack: "The volumes from before the last restore no longer exist",

  // Refusals to use the cluster.
  another_cluster: "The snapshots are in the cluster west, but this site is in another cluster",
  NoSnapshotClass: "The backup bak_1 needs a VolumeSnapshotClass for disk.example with the deletion policy Retain",
  BlueprintLacks: "Cannot create a site from snapshots: the StatefulSet db of the blueprint lacks a container",
  ClaimTaken: "PersistentVolumeClaim files already exists and was not created from the snapshot",

  // Refusals to use the data of a site.
  NotInstalled: "The restored site differs from the backup: its database has no complete site",
  AnotherSite: "The database contains a different site than the one that was installed",
  OtherCounts: "The restored site differs from the backup: it has 3 courses, but 4 were counted during the backup",
  OtherCode: "The restored site differs from the backup: its code has the version 4.5.12, but its database has 5.2.2",
  FilesMissing: "The restored site differs from the backup: of 20 uploaded files 2 are missing",
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** A permanent failure: an operation ends with it, and a retry helps only after a person has followed the hint. */
export class Refusal extends Fault {
  override readonly name = "Refusal";
  override readonly code: RefusalCode;
  readonly hint: string;
  readonly blame: FailureCause = "operator";

  constructor(code: RefusalCode, message: string, hint: string) {
    super("conflict", code, escapeInvisibleCharacters(message));
    this.code = code;
    this.hint = hint;
  }
}
