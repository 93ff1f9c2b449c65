/** Lists the files of a blueprint (the manifests of sites), and the placeholders that each file may use. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "#lib/base/config.ts";
import { messageOf, reasonOf } from "#lib/base/errors.ts";
import { readTextFile } from "#lib/moodle/read-text-file.ts";
import {
  ADOPT_FILE_PLACEHOLDERS,
  ADOPTION_CONTAINER_PLACEHOLDERS,
  FORMER_HOST_PLACEHOLDERS,
  HUB_PLACEHOLDERS,
  JOB_PLACEHOLDERS,
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
  ] as const,
] as const;
export type BlueprintJobName = (typeof BLUEPRINT_JOBS)[number];

export type SpokeStep =
  | "namespace"
  | "policies"
  | "secrets"
  | "volumes"
  | "database"
  | "seed"
  | "app"
  | "cron"
  | "ingress";
export type HubStep = "namespace" | "settings" | "issuer";

export type BlueprintFiles = Readonly<Record<string, string>>;

/** The manifest files that each step of an installation applies. Only the Namespace is created instead of applied. */
export const STEP_FILES: Readonly<Record<SpokeStep, readonly string[]>> = {
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
export const SPOKE_STEPS = Object.keys(STEP_FILES) as readonly SpokeStep[];

export const JOB_FILES: Readonly<Record<BlueprintJobName, string>> = {
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
};

/** The manifest file for each step that creates a hub. `hub.yaml` contains the Namespace and the settings objects. */
export const HUB_FILES: Readonly<Record<HubStep, string>> = {
  namespace: "hub.yaml",
  settings: "hub.yaml",
  issuer: "issuer.yaml",
};

/** The files with Secrets. Those in `secrets.yaml` are created only once. `mail.yaml` has the mail relay password. */
export const SECRETS_FILE = "secrets.yaml";
export const MAIL_FILE = "mail.yaml";
/** The file with the Ingress that redirects a former host of a site. The file is applied for each former host. */
export const FORMER_HOST_FILE = "former.yaml";

/** The file with containers that adapt data from snapshots to a new site. The site's pods include these containers. */
export const ADOPT_FILE = "adopt.yaml";

/** The placeholders that each manifest file may use. */
export const MANIFEST_PLACEHOLDERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Object.values(STEP_FILES).flat().map((file) => [file, new Set(SPOKE_PLACEHOLDERS)] as const),
  ...Object.values(JOB_FILES).map((file) => [file, new Set([...SPOKE_PLACEHOLDERS, ...JOB_PLACEHOLDERS])] as const),
  ...["database.yaml", "app.yaml"].map((file) =>
    [file, new Set([...SPOKE_PLACEHOLDERS, ...ADOPTION_CONTAINER_PLACEHOLDERS])] as const
  ),
  [ADOPT_FILE, new Set([...SPOKE_PLACEHOLDERS, ...ADOPT_FILE_PLACEHOLDERS])] as const,
  ["seed.yaml", new Set([...SPOKE_PLACEHOLDERS, ...SEED_PLACEHOLDERS])] as const,
  [FORMER_HOST_FILE, new Set([...SPOKE_PLACEHOLDERS, ...FORMER_HOST_PLACEHOLDERS])] as const,
  [SECRETS_FILE, new Set([...SPOKE_PLACEHOLDERS, ...SECRET_PLACEHOLDERS])] as const,
  [MAIL_FILE, new Set([...SPOKE_PLACEHOLDERS, "SMTP_PASSWORD"])] as const,
  ...Object.values(HUB_FILES).map((file) => [file, new Set(HUB_PLACEHOLDERS)] as const),
]);

export const SIZES_FILE = "sizes.yaml";
export const IMAGES_FILE = "images.yaml";
export const CLUSTER_SETTINGS_FILE = "surroundings.yaml";
export const SEED_FILE = "seed.php";
export const COURSES_FILE = "courses.php";
export const PASSWORD_FILE = "password.php";
export const SIGN_IN_LINK_FILE = "sign-in-link.php";
export const SITE_FACTS_FILE = "facts.php";
export const VERIFY_FILES_FILE = "verify-files.php";

export const BLUEPRINT_FILE_NAMES: readonly string[] = [
  ...MANIFEST_PLACEHOLDERS.keys(),
  SIZES_FILE,
  IMAGES_FILE,
  CLUSTER_SETTINGS_FILE,
  SEED_FILE,
  COURSES_FILE,
  PASSWORD_FILE,
  SIGN_IN_LINK_FILE,
  SITE_FACTS_FILE,
  VERIFY_FILES_FILE,
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
      problems.push(`BLUEPRINT_DIR: ${messageOf(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return files;
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    throw new ConfigError([`BLUEPRINT_DIR points to a directory that cannot be read: ${reasonOf(error)}`]);
  }
}
