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

export const REMOVE = plan(1, 24 * HOUR, [
  step("snapshot", "Taking a last snapshot", 15 * MINUTE),
  step("namespace", "Deleting the namespace", HOUR),
  step("leftovers", "Making sure that nothing remains", 10 * MINUTE),
]);

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
export const JOBS = ["install", "reset", "verify", "seed", "health"] as const;
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
