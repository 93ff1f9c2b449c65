/**
 * Lists the codes with which an operation or a reconciliation refuses to continue, each with an example message. The
 * code is part of an operation's failure report, and so is a contract with users.
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
  RolloutMissing: "There is no rollout rol_1",
  RolloutRunning: "The rollout rol_1 is running",
  NothingToRestore: "No spoke of the rollout rol_1 failed",

  // Refusals to change a site in its current state.
  SpokeState: "Cannot take a backup: ash is failed",
  Suspended: "The site is suspended, and can be resized only while it runs",
  Maintenance: "Scheduled tasks cannot run in maintenance mode",
  NotOffered: "The size small is no longer offered: size must be one of medium, large",
  NotNewer: "The site already runs 5.2.2",
  TooOld: "Moodle 5.2.2 can be upgraded from 4.2.3 or later; this site runs 4.1",
  AddonUnsupported: "Cannot upgrade to 5.2.2: the catalog lists no version of mod_attendance for Moodle 5.2",
  AddonRefused:
    "The add-ons could not be changed: mod_attendance: it needs mod_forum 2025041400. The site was not changed",
  PostgresTooOld: "Moodle 5.2.2 needs PostgreSQL 16 or later; this spoke's database runs postgres:15",
  TooSmall: "The size small is too small for this site: the quota has no room for the scheduled tasks",
  DiskCannotGrow: "The site's disks cannot grow to the size large. The site and its price were not changed",
  CourseUnpublished: "The site has no course with the short name BIO-D",
  AdministratorAccount: "cy@school.example is an administrator of the site",
  NamespaceLost: "The site's namespace no longer exists (wheelwright-spk-ash)",
  VolumeLost: "The PersistentVolumeClaim files with the site's data is missing",
  PasswordsLost: "The Secret moodle is missing. A new one would not contain the database's passwords",

  // Refusals to use the cluster.
  another_cluster: "The snapshots are in the cluster west, but this site is in another cluster",
  NoSnapshotClass: "The backup bak_1 needs a VolumeSnapshotClass for disk.example with the deletion policy Retain",
  BlueprintLacks: "Cannot create a site from snapshots: the StatefulSet db of the blueprint lacks a container",
  ClaimTaken: "PersistentVolumeClaim files already exists and was not created from the snapshot",

  // Refusals to add a row to a restored database.
  RowMissing: "hub fed_1 is not in the database",
  RowExists: "the database already has a hub with this ID or namespace",
  SlugTaken: "hub fed_2 already uses the slug north",
  DomainTaken: "the domain ash.school.example, a parent or a subdomain is in use",
  NoUser: "no user exists",

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
  readonly blame: FailureCause;

  constructor(code: RefusalCode, message: string, hint: string, blame: FailureCause = "operator") {
    super("conflict", code, escapeInvisibleCharacters(message));
    this.code = code;
    this.hint = hint;
    this.blame = blame;
  }
}
