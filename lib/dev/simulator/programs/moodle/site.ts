/**
 * One Moodle as it lies on volumes: those that the pods of a namespace mount, whatever their claims are called. Its database is
 * the one that answers at the Service `db`; code and data are those of whoever asks.
 */
import { selects } from "#lib/dev/simulator/admission/selectors.ts";
import { isReady, isStarted } from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimsOfPod } from "#lib/dev/simulator/controllers/scheduler.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface SiteDatabase {
  /** What the first start made of it; a password given later changes nothing. */
  readonly password?: string;
  /** What PostgreSQL says of damaged pages; its recovery ends there. */
  readonly damaged?: string;
  /** The major version of the PostgreSQL that made it. */
  readonly major?: string;
  /** Whether the database itself was never made: its server was killed between setting up and making it. */
  readonly absent?: boolean;
  /** Its comment, in which the blueprint's guards note the last attempt. */
  readonly comment?: string;
  /** The tables in it: none, a part of an install's, or all. */
  readonly tables?: number;
  /** mdl_config. */
  readonly config?: Readonly<Record<string, string>>;
  /** mdl_files: what was uploaded, in bytes by the hash of its content. */
  readonly uploads?: Readonly<Record<string, number>>;
  /** Short names of the courses in it, the front page left out. */
  readonly courses?: readonly string[];
  /**
   * What lets somebody in or speaks for the site, besides mdl_config: what is in a table, by its name without the prefix
   * (`external_tokens`), or in mdl_config_plugins (`mod_lti/privatekey`).
   */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The uid of the pod that is installing. */
  readonly installer?: string;
  /** mdl_user, by name: whom the seed has made. */
  readonly accounts?: Readonly<Record<string, MoodleAccount>>;
  /** The last attempt that gave the administrator a password. */
  readonly passwordAttempt?: string;
}

export interface MoodleAccount {
  /** As it was given: a hash would tell a test nothing. */
  readonly password: string;
  readonly email?: string;
  readonly suspended?: boolean;
  /** Browsers that are signed in. */
  readonly sessions?: number;
  /** Links for a new password that were mailed. */
  readonly links?: number;
  /** Its row in mdl_user_password_resets. */
  readonly reset?: { readonly token: string; readonly requested: number };
  /** How it signs in; manual where it does not say. */
  readonly auth?: "nologin" | "oauth2";
}

export interface SiteFiles {
  /** The release whose code is there. */
  readonly code?: string;
  /** Whether there is a config.php. */
  readonly configured?: boolean;
  /** Of config.php: the host that the site takes for its own, as its last start was told. */
  readonly wwwroot?: string;
  /** What moodledata's cache remembers: an upgrade under way, whatever the database says by now. */
  readonly upgrading?: boolean;
  /** moodledata/filedir, in bytes by the hash; absent where it has what the database names, null where it was removed. */
  readonly filedir?: Readonly<Record<string, number>> | null;
  /** moodledata/secret: the key of what is kept encrypted. */
  readonly key?: string;
  /** A file in moodledata/filedir. */
  readonly marked?: string;
  /** wheelwright-adopted: the last turn. */
  readonly adopted?: string;
  /** climaintenance.html */
  readonly maintenance?: boolean;
  /** The last attempt to turn maintenance on or off. */
  readonly maintenanceAttempt?: string;
}

export interface SimulatedSite {
  /** null while nothing answers at `db`. */
  readonly database: SiteDatabase | null;
  readonly files: SiteFiles;
  saveDatabase(database: SiteDatabase): void;
  saveFiles(files: SiteFiles): void;
}

/** As the pod has it; without one, as the site's own pods have it, or would. */
export function siteOf(world: World, namespace: string, pod?: StoredObject): SimulatedSite {
  const [server] = readyBehind(world, namespace, "db");
  const data = firstVolume(world, namespace, server ?? templateOf(world, "StatefulSet", namespace, "db"));
  const files = firstVolume(world, namespace, pod ?? templateOf(world, "Deployment", namespace, "moodle"));
  return {
    database: server && data !== null ? world.volumes.read(data) : null,
    files: files === null ? {} : world.volumes.read(files),
    saveDatabase: (database) => void (data !== null && world.volumes.write(data, database)),
    saveFiles: (next) => void (files !== null && world.volumes.write(files, next)),
  };
}

/** The handle behind the first claim that the pod names. */
export function firstVolume(world: World, namespace: string, pod: StoredObject | undefined): string | null {
  const [claim] = pod ? claimsOfPod(pod) : [];
  return claim === undefined ? null : volumeOf(world, namespace, claim);
}

/** A pod as it would be made, its claims those of a StatefulSet's templates. */
function templateOf(world: World, kind: string, namespace: string, name: string): StoredObject | undefined {
  const owner = world.store.get(kind, namespace, name);
  if (!owner) return undefined;
  const { template, volumeClaimTemplates = [] } = owner.spec;
  const claims = volumeClaimTemplates.map(({ metadata }: Json) => (
    { name: metadata.name, persistentVolumeClaim: { claimName: `${metadata.name}-${name}-0` } }
  ));
  return { ...owner, spec: { ...template.spec, volumes: [...claims, ...template.spec.volumes ?? []] } };
}

/** The handle of the volume behind a claim; null until it is bound. */
function volumeOf(world: World, namespace: string, claim: string): string | null {
  const found = world.store.get("PersistentVolumeClaim", namespace, claim);
  return found?.spec.volumeName ?? null;
}

/** The pods that a Service leads to: ready ones, or with `publishNotReadyAddresses` all whose containers serve. */
export function readyBehind(world: World, namespace: string, service: string): StoredObject[] {
  const found = world.store.get("Service", namespace, service);
  if (!found?.spec.selector) return [];
  return world.store.list("Pod", namespace)
    .filter((pod) =>
      selects({ matchLabels: found.spec.selector }, pod.metadata.labels) &&
      (isReady(pod) || (found.spec.publishNotReadyAddresses === true && isStarted(pod)))
    );
}

/** Whether the site in this database is whole. */
export function isInstalled(database: SiteDatabase | null): boolean {
  return database?.config?.rolesactive === "1";
}

/** Whether an upgrade keeps everybody away: one under way, or one that was killed, until its time has passed. */
export function isLocked(database: SiteDatabase | null, now: number): boolean {
  return Number(database?.config?.upgraderunning ?? 0) * 1000 > now;
}

/** Whether the code that lies there is newer than the database. */
export function pendingUpgrade(database: SiteDatabase | null, { code }: SiteFiles): boolean {
  return isInstalled(database) && code !== undefined && database!.config!.release !== code;
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

/** A branch that is still to come is newer than those that are there; any other name is of no known age. */
function unheardOf(branch: string): string {
  const [major = 0, minor = 0] = branch.split(".").map(Number);
  return Number(branch) > 5.3 ? `${2022 + major}${String(minor % 12 + 1).padStart(2, "0")}01` : "20241007";
}

/** What mdl_config says of the code in an image: `…:v4.5.12` is 2024100712 and `4.5.12 (Build: …)`. */
export function releaseOf(image: string): { version: string; release: string } {
  const [, branch = "4.5", patch = "12"] = /:v?(\d+\.\d+)(?:\.(\d+))?/.exec(image) ?? [];
  const version = (BRANCHES[branch] ?? unheardOf(branch)) + patch.padStart(2, "0");
  return { version, release: `${branch}.${patch} (Build: 20261005)` };
}

/** Of the address that a start is told. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  return /\/\/([^/:]+)/.exec(env.SITE_URL ?? "")?.[1] ?? "localhost";
}
