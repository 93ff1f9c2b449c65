/** Lists the files of a blueprint (the manifests of sites), and the placeholders that each file may use. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "#lib/base/config.ts";
import { getErrorMessage, getErrorReason } from "#lib/base/errors.ts";
import { readTextFile } from "#lib/moodle/read-text-file.ts";
import {
  ADOPT_FILE_PLACEHOLDERS,
  ADOPTION_CONTAINER_PLACEHOLDERS,
  CRON_PLACEHOLDERS,
  FORMER_HOST_PLACEHOLDERS,
  HUB_PLACEHOLDERS,
  JOB_PLACEHOLDERS,
  LIBRARY_JOB_PLACEHOLDERS,
  LIBRARY_PLACEHOLDERS,
  SECRET_PLACEHOLDERS,
  SEED_PLACEHOLDERS,
  SPOKE_PLACEHOLDERS,
} from "#lib/moodle/values.ts";

/** The names of the Jobs in a blueprint. `reset` deletes a failed installation before the next `install`. */
export const BLUEPRINT_JOBS = [
  ...["install", "reset", "verify", "claim", "setup", "seed", "health", "preflight", "upgrade"] as const,
  ...[
    "closed",
    "maintenance-enable",
    "maintenance-disable",
    "purge",
    "password",
    "sign-in-link",
    "verify-files",
    "protect-sign-in",
    "check-sign-in",
    "suspend-person",
    "reinstate-person",
    "publish-course",
    "deliver-courses",
    "addons-check",
    "addons-apply",
  ] as const,
] as const;
export type BlueprintJobName = (typeof BLUEPRINT_JOBS)[number];

export type SpokeInstallStep =
  | "namespace"
  | "policies"
  | "secrets"
  | "volumes"
  | "database"
  | "seed"
  | "app"
  | "cron"
  | "ingress";
/** The steps that apply a hub's objects. The step `library` runs when the hub publishes a course. */
export type HubStep = "namespace" | "settings" | "issuer" | "library";

export type BlueprintFiles = Readonly<Record<string, string>>;

/** The manifest files that each step of an installation applies. Only the Namespace is created instead of applied. */
export const SPOKE_STEP_FILES: Readonly<Record<SpokeInstallStep, readonly string[]>> = {
  namespace: ["namespace.yaml"],
  policies: ["limits.yaml", "network.yaml"],
  secrets: ["settings.yaml"],
  volumes: ["files.yaml"],
  database: ["database.yaml"],
  seed: ["seed.yaml"],
  app: ["app.yaml"],
  cron: ["cron.yaml"],
  ingress: ["ingress.yaml"],
};

/** The steps that apply a spoke's objects, in the order of an installation. */
export const SPOKE_INSTALL_STEPS = Object.keys(SPOKE_STEP_FILES) as readonly SpokeInstallStep[];

export const JOB_MANIFEST_FILES: Readonly<Record<BlueprintJobName, string>> = {
  install: "install-job.yaml",
  reset: "reset-job.yaml",
  verify: "verify-job.yaml",
  claim: "verify-job.yaml",
  setup: "setup-job.yaml",
  seed: "seed-job.yaml",
  health: "health-job.yaml",
  preflight: "preflight-job.yaml",
  upgrade: "upgrade-job.yaml",
  closed: "closed-job.yaml",
  "maintenance-enable": "maintenance-job.yaml",
  "maintenance-disable": "maintenance-job.yaml",
  purge: "purge-job.yaml",
  password: "password-job.yaml",
  "sign-in-link": "sign-in-link-job.yaml",
  "verify-files": "verify-files-job.yaml",
  "protect-sign-in": "protect-sign-in-job.yaml",
  "check-sign-in": "check-sign-in-job.yaml",
  "suspend-person": "person-job.yaml",
  "reinstate-person": "person-job.yaml",
  "publish-course": "publish-course-job.yaml",
  "deliver-courses": "deliver-courses-job.yaml",
  "addons-check": "addons-job.yaml",
  "addons-apply": "addons-job.yaml",
};

/** The manifest file for each step of a hub. `hub.yaml` contains the Namespace and the settings objects. */
export const HUB_STEP_FILES: Readonly<Record<HubStep, string>> = {
  namespace: "hub.yaml",
  settings: "hub.yaml",
  issuer: "issuer.yaml",
  library: "library.yaml",
};
/** The file with the Secret of a hub's library, which is created only once. */
export const LIBRARY_KEY_FILE_NAME = "library-key.yaml";
/** The file with the Job that checks, deletes or restores packages in a hub's library. */
export const LIBRARY_JOB_FILE_NAME = "library-job.yaml";

/** The files with Secrets. Those in `secrets.yaml` are created only once. `mail.yaml` has the mail relay password. */
export const SECRETS_FILE_NAME = "secrets.yaml";
export const MAIL_SECRET_FILE_NAME = "mail.yaml";
/** The file with the Ingress that redirects a former host of a site. The file is applied for each former host. */
export const FORMER_HOST_FILE_NAME = "former.yaml";

/** The file with containers that adapt data from snapshots to a new site. The site's pods include these containers. */
export const ADOPTION_FILE_NAME = "adopt.yaml";

/** The placeholders that each manifest file may use. */
export const MANIFEST_PLACEHOLDERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Object.values(SPOKE_STEP_FILES).flat().map((file) => [file, new Set(SPOKE_PLACEHOLDERS)] as const),
  ...Object.values(JOB_MANIFEST_FILES).map((file) =>
    [file, new Set([...SPOKE_PLACEHOLDERS, ...JOB_PLACEHOLDERS])] as const
  ),
  ...["database.yaml", "app.yaml"].map((file) =>
    [file, new Set([...SPOKE_PLACEHOLDERS, ...ADOPTION_CONTAINER_PLACEHOLDERS])] as const
  ),
  ["cron.yaml", new Set([...SPOKE_PLACEHOLDERS, ...CRON_PLACEHOLDERS])] as const,
  [ADOPTION_FILE_NAME, new Set([...SPOKE_PLACEHOLDERS, ...ADOPT_FILE_PLACEHOLDERS])] as const,
  ["seed.yaml", new Set([...SPOKE_PLACEHOLDERS, ...SEED_PLACEHOLDERS])] as const,
  [FORMER_HOST_FILE_NAME, new Set([...SPOKE_PLACEHOLDERS, ...FORMER_HOST_PLACEHOLDERS])] as const,
  [SECRETS_FILE_NAME, new Set([...SPOKE_PLACEHOLDERS, ...SECRET_PLACEHOLDERS])] as const,
  [MAIL_SECRET_FILE_NAME, new Set([...SPOKE_PLACEHOLDERS, "SMTP_PASSWORD"])] as const,
  ...Object.values(HUB_STEP_FILES).map((file) => [file, new Set<string>(HUB_PLACEHOLDERS)] as const),
  ["library.yaml", new Set([...HUB_PLACEHOLDERS, ...LIBRARY_PLACEHOLDERS])] as const,
  [LIBRARY_JOB_FILE_NAME, new Set([...HUB_PLACEHOLDERS, ...LIBRARY_JOB_PLACEHOLDERS])] as const,
  [LIBRARY_KEY_FILE_NAME, new Set([...HUB_PLACEHOLDERS, "LIBRARY_KEY"])] as const,
]);

export const SIZES_FILE_NAME = "sizes.yaml";
export const IMAGES_FILE_NAME = "images.yaml";
export const CLUSTER_SETTINGS_FILE_NAME = "surroundings.yaml";
export const SEED_SCRIPT_FILE_NAME = "seed.php";
export const COURSES_SCRIPT_FILE_NAME = "courses.php";
export const SIGN_ON_SCRIPT_FILE_NAME = "sign-on.php";
export const CLIENT_SCRIPT_FILE_NAME = "client.php";
export const PASSWORD_SCRIPT_FILE_NAME = "password.php";
export const SIGN_IN_LINK_SCRIPT_FILE_NAME = "sign-in-link.php";
export const PERSON_SCRIPT_FILE_NAME = "person.php";
export const ADDONS_SCRIPT_FILE_NAME = "addons.php";
export const CHECK_SIGN_IN_SCRIPT_FILE_NAME = "check-sign-in.php";
export const LIBRARY_SCRIPT_FILE_NAME = "library.php";
export const PACKAGES_SCRIPT_FILE_NAME = "packages.php";
export const PUBLISH_COURSE_SCRIPT_FILE_NAME = "publish-course.php";
export const DELIVER_COURSES_SCRIPT_FILE_NAME = "deliver-courses.php";
export const SITE_INFO_FILE_NAME = "facts.php";
export const VERIFY_FILES_SCRIPT_NAME = "verify-files.php";
export const USAGE_SCRIPT_NAME = "usage.php";

export const BLUEPRINT_FILE_NAMES: readonly string[] = [
  ...MANIFEST_PLACEHOLDERS.keys(),
  SIZES_FILE_NAME,
  IMAGES_FILE_NAME,
  CLUSTER_SETTINGS_FILE_NAME,
  SEED_SCRIPT_FILE_NAME,
  COURSES_SCRIPT_FILE_NAME,
  SIGN_ON_SCRIPT_FILE_NAME,
  CLIENT_SCRIPT_FILE_NAME,
  PASSWORD_SCRIPT_FILE_NAME,
  SIGN_IN_LINK_SCRIPT_FILE_NAME,
  CHECK_SIGN_IN_SCRIPT_FILE_NAME,
  ADDONS_SCRIPT_FILE_NAME,
  PERSON_SCRIPT_FILE_NAME,
  LIBRARY_SCRIPT_FILE_NAME,
  PACKAGES_SCRIPT_FILE_NAME,
  PUBLISH_COURSE_SCRIPT_FILE_NAME,
  DELIVER_COURSES_SCRIPT_FILE_NAME,
  SITE_INFO_FILE_NAME,
  VERIFY_FILES_SCRIPT_NAME,
  USAGE_SCRIPT_NAME,
].sort();

/** Reads the blueprint files in a directory, which override built-in files. Throws a ConfigError with all problems. */
export async function readBlueprintOverlay(directory: string): Promise<BlueprintFiles> {
  // Ignores files that start with a dot, because Kubernetes adds such files to a mounted ConfigMap.
  const names = (await listDirectory(directory)).filter((name) => !name.startsWith("."));
  const problems = names.filter((name) => !BLUEPRINT_FILE_NAMES.includes(name))
    .map((name) =>
      `BLUEPRINT_DIR contains the unknown file ${name}. Allowed files: ${BLUEPRINT_FILE_NAMES.join(", ")}`
    );
  const files: Record<string, string> = {};
  for (const name of names.filter((each) => BLUEPRINT_FILE_NAMES.includes(each))) {
    try {
      files[name] = await readTextFile(join(directory, name));
    } catch (error) {
      problems.push(`BLUEPRINT_DIR: ${getErrorMessage(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return files;
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    throw new ConfigError([`BLUEPRINT_DIR points to a directory that cannot be read: ${getErrorReason(error)}`]);
  }
}
