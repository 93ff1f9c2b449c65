/**
 * Reads and writes the data of a simulated Moodle site, stored on the volumes in the site's namespace. The database is
 * on the volume of the pod behind the Service `db`. The files are on the volume of the pod that runs the program.
 */
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import { isPodReady, isPodStarted } from "#lib/dev/simulator/controllers/kubelet.ts";
import { listPvcNames } from "#lib/dev/simulator/controllers/scheduler.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface SiteDatabase {
  /** The database password. PostgreSQL reads it from its environment variable on its first start only. */
  readonly password?: string;
  /** PostgreSQL's error message during recovery if the data has damaged pages. Absent if no page is damaged. */
  readonly damaged?: string;
  /** The major version of the PostgreSQL server that created the data files. */
  readonly major?: string;
  /** If true, the database `moodle` does not exist: PostgreSQL was killed between `initdb` and `create database`. */
  readonly absent?: boolean;
  /** The comment on the database, in which SQL scripts record the number of the last attempt to change it. */
  readonly comment?: string;
  /** The number of tables in the database. After an incomplete installation, some tables are missing. */
  readonly tables?: number;
  /** The rows in mdl_config: values of Moodle's settings, keyed by setting name. */
  readonly config?: Readonly<Record<string, string>>;
  /** The uploaded files in mdl_files: sizes in bytes, keyed by content hash. */
  readonly uploads?: Readonly<Record<string, number>>;
  /** The short names of the site's courses. The front page, which Moodle stores as a course, is not included. */
  readonly courses?: readonly string[];
  /** For each course that tests change or publish, by short name: its edition, and the add-ons that it needs. */
  readonly courseContents?: Readonly<
    Record<string, { readonly edition?: number; readonly plugins?: readonly string[] }>
  >;
  /** The courses that deliver-courses.php has brought, by family. */
  readonly hubCourses?: Readonly<Record<string, DeliveredCourse>>;
  /** Secrets outside mdl_config, keyed by table (`external_tokens`) or plugin setting (`mod_lti/privatekey`). */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The UID of the pod that started an unfinished installation or upgrade. */
  readonly installer?: string;
  /** The Moodle accounts that were created with the site's initial content, keyed by user name. */
  readonly accounts?: Readonly<Record<string, MoodleAccount>>;
  /** The names of accounts that are linked to accounts of the identity provider, by the latter's `sub`. */
  readonly links?: Readonly<Record<string, string>>;
  /** Whether the trigger exists that refuses links to administrators and suspended accounts. */
  readonly isSignInProtected?: boolean;
  /** The sessions of people's browsers, by the value of their cookie. */
  readonly browsers?: Readonly<Record<string, SiteBrowser>>;
  /** When the scheduled tasks last started, in seconds since 1970. */
  readonly tasksAt?: number;
  /** The state of background tasks and checks, which tests set. Absent if all of them succeed. */
  readonly tasks?: {
    readonly failing: readonly string[];
    /** Seconds since 1970 since when an ad hoc task waits; null if none waits. */
    readonly waitingSince: number | null;
    readonly failedChecks: readonly string[];
  };
  /** The number of the last attempt to set the administrator's password. */
  readonly passwordAttempt?: string;
  /** The installed versions of add-ons that addons.php has changed, by component. */
  readonly addonVersions?: Readonly<Record<string, number>>;
  /** The add-ons that addons.php has installed, and may remove. */
  readonly ownAddons?: Readonly<Record<string, number>>;
  /** The add-ons that activities of the site use. */
  readonly usedAddons?: readonly string[];
}

export interface DeliveredCourse {
  /** The version that is open for new people; null if the hub no longer gives the course. */
  readonly current: number | null;
  readonly versions: Readonly<Record<string, DeliveredVersion>>;
}

export interface DeliveredVersion {
  readonly id: number;
  readonly sha256: string;
  readonly edition: number;
  /** Whether somebody has used the course, which tests set. */
  readonly isUsed?: boolean;
  readonly isClosed?: boolean;
}

export interface SiteBrowser {
  readonly sesskey: string;
  /** The message that the login page shows next. */
  readonly message?: string;
  /** The name of the account that is signed in. */
  readonly user?: string;
}

export interface MoodleAccount {
  /** The account's password in plain text, so that tests can read the password. */
  readonly password: string;
  readonly email?: string;
  readonly suspended?: boolean;
  /** Whether the action suspend-person has suspended the account. */
  readonly isSuspendedByHub?: boolean;
  /** The number of active login sessions. */
  readonly sessions?: number;
  /** The number of emails with a password reset link that Moodle sent to this account. */
  readonly links?: number;
  /** The account's row in mdl_user_password_resets. */
  readonly reset?: { readonly token: string; readonly requested: number };
  /** The account's sign-in method; `manual` if absent. */
  readonly auth?: "nologin" | "oauth2";
}

/** The line that usage.php writes: numbers and names. */
export interface SiteUsage {
  readonly at: number;
  readonly [name: string]: number | null | readonly string[];
}

export interface SiteFiles {
  /** The release of the installed Moodle code. */
  readonly code?: string;
  readonly configured?: boolean;
  /** The site's host name in config.php. Each start of the site updates it. */
  readonly wwwroot?: string;
  /** Whether Moodle's cache in moodledata says that an upgrade is running. The database may say something else. */
  readonly upgrading?: boolean;
  /** File sizes in moodledata/filedir, keyed by content hash. Absent if equal to mdl_files; null if none exists. */
  readonly filedir?: Readonly<Record<string, number>> | null;
  /** The encryption key in moodledata/secret. */
  readonly key?: string;
  /** The contents of a marker file that tests write to moodledata/filedir. */
  readonly marked?: string;
  /** The ID of the last adoption (adapting a copied site to its new name), from the file `wheelwright-adopted`. */
  readonly adopted?: string;
  /** Whether maintenance mode is on, which means that the file climaintenance.html exists. */
  readonly maintenance?: boolean;
  /** The add-ons, as usage.php reports them: `mod_attendance 2024101100`. */
  readonly addons?: readonly string[];
  /** The line that usage.php last wrote. */
  readonly usage?: SiteUsage;
  /** The number of the last attempt to turn maintenance mode on or off. */
  readonly maintenanceAttempt?: string;
  /** The number of the last attempt to change add-ons, and whether it was killed after upgrade.php had started. */
  readonly addonsAttempt?: string;
  readonly isChangingAddons?: boolean;
}

export interface SimulatedSite {
  /** The site's database. Null while no pod behind the Service `db` is ready. */
  readonly database: SiteDatabase | null;
  readonly files: SiteFiles;
  saveDatabase(database: SiteDatabase): void;
  saveFiles(files: SiteFiles): void;
  /** Changes the database as it is now, which may differ from `database` if other programs ran in the meantime. */
  changeDatabase(change: (database: SiteDatabase) => SiteDatabase): void;
  /** Changes the files as they are now, which may differ from `files`. */
  changeFiles(change: (files: SiteFiles) => SiteFiles): void;
}

/** Returns the site with the files on the pod's volume or, without `pod`, on the volume of the Deployment `moodle`. */
export function getSimulatedSite(world: Simulation, namespace: string, pod?: StoredObject): SimulatedSite {
  const [server] = listServicePods(world, namespace, "db");
  const data = findFirstVolumeHandle(world, namespace, server ?? templateOf(world, "StatefulSet", namespace, "db"));
  const files = findFirstVolumeHandle(world, namespace, pod ?? templateOf(world, "Deployment", namespace, "moodle"));
  return {
    database: server && data !== null ? world.volumes.read(data) : null,
    files: files === null ? {} : world.volumes.read(files),
    saveDatabase: (database) => void (data !== null && world.volumes.write(data, database)),
    saveFiles: (next) => void (files !== null && world.volumes.write(files, next)),
    changeDatabase: (change) => void (data !== null && world.volumes.write(data, change(world.volumes.read(data)))),
    changeFiles: (change) => void (files !== null && world.volumes.write(files, change(world.volumes.read(files)))),
  };
}

/** Returns the handle of the volume that the pod's first PVC is bound to. */
export function findFirstVolumeHandle(
  world: Simulation,
  namespace: string,
  pod: StoredObject | undefined,
): string | null {
  const [claim] = pod ? listPvcNames(pod) : [];
  return claim === undefined ? null : volumeHandleOf(world, namespace, claim);
}

/** Returns a workload with its pods' spec instead of its own. For a StatefulSet, it includes the first pod's PVCs. */
function templateOf(world: Simulation, kind: string, namespace: string, name: string): StoredObject | undefined {
  const owner = world.store.get(kind, namespace, name);
  if (!owner) return undefined;
  const { template, volumeClaimTemplates = [] } = owner.spec;
  const claims = volumeClaimTemplates.map(({ metadata }: Json) => (
    { name: metadata.name, persistentVolumeClaim: { claimName: `${metadata.name}-${name}-0` } }
  ));
  return { ...owner, spec: { ...template.spec, volumes: [...claims, ...template.spec.volumes ?? []] } };
}

/** Returns the handle of the volume that the PVC is bound to; null if the PVC is missing or not bound. */
export function volumeHandleOf(world: Simulation, namespace: string, claim: string): string | null {
  const found = world.store.get("PersistentVolumeClaim", namespace, claim);
  return found?.spec.volumeName ?? null;
}

/** Returns the pods that receive a Service's traffic: ready pods and, with `publishNotReadyAddresses`, started pods. */
export function listServicePods(world: Simulation, namespace: string, service: string): StoredObject[] {
  const found = world.store.get("Service", namespace, service);
  if (!found?.spec.selector) return [];
  return world.store.list("Pod", namespace)
    .filter((pod) =>
      matchesSelector({ matchLabels: found.spec.selector }, pod.metadata.labels) &&
      (isPodReady(pod) || (found.spec.publishNotReadyAddresses === true && isPodStarted(pod)))
    );
}

/** Whether the database contains a completely installed site. */
export function isSiteInstalled(database: SiteDatabase | null): boolean {
  return database?.config?.rolesactive === "1";
}

/** Whether an upgrade has locked the site. If an upgrade is killed, its lock remains until it expires. */
export function isUpgradeLocked(database: SiteDatabase | null, now: number): boolean {
  return Number(database?.config?.upgraderunning ?? 0) * 1000 > now;
}

/** Whether the installed code and the database belong to different releases. */
export function isUpgradePending(database: SiteDatabase | null, { code }: SiteFiles): boolean {
  return isSiteInstalled(database) && code !== undefined && database!.config!.release !== code;
}

const BRANCHES: Record<string, string> = {
  "4.1": "20221128",
  "4.2": "20230424",
  "4.3": "20231009",
  "4.4": "20240422",
  "4.5": "20241007",
  "5.0": "20250414",
  "5.1": "20251006",
  "5.2": "20260420",
  "5.3": "20261005",
};

/** Returns a plausible version (a date) for an unknown Moodle branch: that of 4.5, or a later date if above 5.3. */
function guessVersion(branch: string): string {
  const [major = 0, minor = 0] = branch.split(".").map(Number);
  return Number(branch) > 5.3 ? `${2022 + major}${String(minor % 12 + 1).padStart(2, "0")}01` : "20241007";
}

/** Returns the Moodle version and release in an image, for example 2024100712 and `4.5.12 (Build: …)` for `v4.5.12`. */
export function parseMoodleRelease(image: string): { version: string; release: string } {
  const [, branch = "4.5", patch = "12"] = /:v?(\d+\.\d+)(?:\.(\d+))?/.exec(image) ?? [];
  const version = (BRANCHES[branch] ?? guessVersion(branch)) + patch.padStart(2, "0");
  return { version, release: `${branch}.${patch} (Build: 20261005)` };
}

/** Returns the site's host name from the environment variable SITE_URL. */
export function parseSiteHost(env: Readonly<Record<string, string>>): string {
  return /\/\/([^/:]+)/.exec(env.SITE_URL ?? "")?.[1] ?? "localhost";
}
