/**
 * The sequences of steps, as data: what they are called, what a person reads while they run, how long each may take.
 *
 * A step is recorded under its name when it is finished, so names are never changed without a new version.
 */
const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE;

export interface PlanStep {
  readonly name: string;
  readonly label: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface Plan {
  readonly version: number;
  readonly steps: readonly PlanStep[];
  /** Milliseconds from the first start until a transient error becomes final. */
  readonly timeLimit: number;
}

function plan(version: number, timeLimit: number, steps: readonly PlanStep[]): Plan {
  return { version, timeLimit, steps };
}

function step(name: string, label: string, timeout: number): PlanStep {
  return { name, label, timeout };
}

// Images are pulled in database and install. Those two wait longest: a slow registry is no failure. install is longer
// than its Job's own 1800 s, of which the last 30 may pass until the entry point hears that it is to stop.
export const PROVISION = plan(1, 2 * HOUR, [
  step("namespace", "Creating the namespace", MINUTE),
  step("policies", "Setting limits and network policies", MINUTE),
  step("secrets", "Making passwords and settings", MINUTE),
  step("database", "Starting the database", 15 * MINUTE),
  step("install", "Installing Moodle", 40 * MINUTE),
  step("verify", "Checking the installation", 6 * MINUTE),
  step("seed", "Setting title, administrator and look", 35 * MINUTE),
  step("app", "Starting Moodle", 16 * MINUTE),
  step("cron", "Turning on scheduled tasks", MINUTE),
  step("ingress", "Opening the site to the web", 15 * MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

// It goes on for as long as it takes: its time limit ends nothing.
export const REMOVE = plan(2, 24 * HOUR, [
  step("stop", "Stopping the site", 10 * MINUTE),
  step("snapshot", "Taking a last snapshot", 15 * MINUTE),
  step("namespace", "Deleting the namespace", HOUR),
  step("leftovers", "Making sure that nothing remains", 10 * MINUTE),
]);

/** As earlier releases had it, for what they began. */
export const REMOVE_1 = plan(1, 24 * HOUR, REMOVE.steps.filter(({ name }) => name !== "stop"));

/** In this order, so that no scheduled task starts while the site goes, and the database is the last to close. */
export const SUSPEND = plan(1, HOUR, [
  step("cron", "Pausing scheduled tasks", 15 * MINUTE),
  step("app", "Stopping Moodle", 5 * MINUTE),
  step("database", "Stopping the database", 5 * MINUTE),
]);

/** The data is looked at before Moodle starts: with an empty database it would install itself anew. */
export const RESUME = plan(1, HOUR, [
  step("database", "Starting the database", 15 * MINUTE),
  step("verify", "Checking that the data is still the site's own", 6 * MINUTE),
  step("app", "Starting Moodle", 16 * MINUTE),
  step("cron", "Turning on scheduled tasks", MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

export const RESTART = plan(1, HOUR, [
  step("verify", "Checking that the data is still the site's own", 6 * MINUTE),
  step("app", "Restarting Moodle", 16 * MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

/**
 * Until `stop` nothing has been touched; from then on the way back is the backup that was taken first. The image is pulled
 * in prepare, and migrate is longer than its Job's own 6 hours.
 */
export const UPGRADE = plan(1, 10 * HOUR, [
  step("prepare", "Checking what the upgrade needs", 35 * MINUTE),
  step("backup", "Taking a backup", 30 * MINUTE),
  step("stop", "Stopping Moodle", 20 * MINUTE),
  step("migrate", "Upgrading Moodle's database", 7 * HOUR),
  step("app", "Starting the new version", 40 * MINUTE),
  step("verify", "Checking the upgraded site", 6 * MINUTE),
  step("cron", "Turning on scheduled tasks", MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

/** The quota grows first and shrinks last, so that at no time something has no room. */
export const RESIZE = plan(1, 2 * HOUR, [
  step("prepare", "Comparing the sizes", 6 * MINUTE),
  step("room", "Making room", MINUTE),
  step("disks", "Growing the disks", 30 * MINUTE),
  step("database", "Resizing the database", 15 * MINUTE),
  step("verify", "Checking that the data is still the site's own", 6 * MINUTE),
  step("app", "Resizing Moodle", 16 * MINUTE),
  step("cron", "Resizing scheduled tasks", MINUTE),
  step("limits", "Setting the limits of the new size", MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

/** Scheduled tasks fail while a site is in maintenance, so they pause first. */
export const MAINTENANCE_ON = plan(1, HOUR, [
  step("cron", "Pausing scheduled tasks", 15 * MINUTE),
  step("enable", "Turning maintenance on", 6 * MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

export const MAINTENANCE_OFF = plan(1, HOUR, [
  step("disable", "Turning maintenance off", 6 * MINUTE),
  step("cron", "Turning on scheduled tasks", MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

export const PURGE_CACHES = plan(1, HOUR, [step("purge", "Purging caches", 10 * MINUTE)]);

/** Longer than a scheduled task's own hour. */
export const RUN_CRON = plan(1, 2 * HOUR, [step("run", "Running scheduled tasks", 70 * MINUTE)]);

export const RESET_ADMIN_PASSWORD = plan(1, HOUR, [
  step("secret", "Making a new password", MINUTE),
  step("account", "Setting it in Moodle", 12 * MINUTE),
]);

export const BACKUP = plan(1, 2 * HOUR, [
  step("snapshots", "Taking snapshots of the volumes", 30 * MINUTE),
  step("retention", "Removing what is past its time", 10 * MINUTE),
]);

/** Puts what the blueprint has back in its place, in the order of an install. */
export const REAPPLY = plan(1, 2 * HOUR, [
  step("policies", "Setting limits and network policies", MINUTE),
  step("secrets", "Writing the settings", MINUTE),
  step("database", "Putting the database right", 15 * MINUTE),
  step("verify", "Checking that the data is still the site's own", 6 * MINUTE),
  step("app", "Putting Moodle right", 16 * MINUTE),
  step("cron", "Putting scheduled tasks right", MINUTE),
  step("ingress", "Opening the site to the web", 15 * MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
]);

/** Each step looks whether there is anything to change, and returns at once where there is not. */
export const CONFIGURE = plan(1, 2 * HOUR, [
  step("prepare", "Comparing what is wished with what there is", MINUTE),
  step("seed", "Setting title, administrator and look", 35 * MINUTE),
  step("ingress", "Opening the new address", 15 * MINUTE),
  step("verify", "Checking that the data is still the site's own", 6 * MINUTE),
  step("app", "Telling the site its new address", 16 * MINUTE),
  step("caches", "Purging caches", 10 * MINUTE),
  step("health", "Looking at the site's login page", 6 * MINUTE),
  step("redirect", "Leading former addresses to the present one", 2 * MINUTE),
]);

export const PROVISION_HUB = plan(1, HOUR, [
  step("namespace", "Creating the hub's namespace", MINUTE),
  step("rooms", "Making room for what spokes share", MINUTE),
  step("issuer", "Setting up certificates", 5 * MINUTE),
]);

export const REMOVE_HUB = plan(1, 24 * HOUR, [
  step("namespace", "Deleting the hub's namespace", HOUR),
  step("leftovers", "Making sure that nothing remains", 10 * MINUTE),
]);

/** Which Job of the blueprint a step runs; install runs reset first when an earlier attempt did not end. */
export const JOBS = [
  ...["install", "reset", "verify", "claim", "seed", "health", "preflight", "upgrade"] as const,
  ...["closed", "maintenance-enable", "maintenance-disable", "purge", "password", "sign-in-link"] as const,
] as const;
export type JobName = (typeof JOBS)[number];

export type SpokeStep =
  | "namespace"
  | "policies"
  | "secrets"
  | "database"
  | "install"
  | "seed"
  | "app"
  | "cron"
  | "ingress";
export type HubStep = "namespace" | "rooms" | "issuer";
