/**
 * Simulates the Moodle image's entry point: installs a site in an empty database, or starts an existing site. Fails if
 * the installation is incomplete or the image is older than the database. Updates the code from the image, but upgrades
 * the database only on request. Sources: the image's start scripts and Moodle's `admin/cli/upgrade.php`.
 */
import { canReachDatabase } from "#lib/dev/simulator/programs/network.ts";
import { findPasswordError, formatFactLines } from "#lib/dev/simulator/programs/moodle/database.ts";
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradeLocked,
  isUpgradePending,
  parseMoodleRelease,
  parseSiteHost,
  type SimulatedSite,
  type SiteDatabase,
  type SiteFiles,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { listPluginInstallLines } from "#lib/dev/simulator/programs/moodle/plugins.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

const INSTALLED_TABLES = 494, PARTIAL_TABLES = 415; // number of tables of an installed site and of a killed install (measured)

/** Simulates the Moodle image's entry point in a Job: prepares the site and then exits. */
export function runEntryPointInJob(context: ProgramContext): ProgramRun {
  return start(context, 0);
}

/** Simulates the Moodle image's entry point in the Deployment: prepares the site and then serves web pages. */
export function runEntryPointAsServer(context: ProgramContext): ProgramRun {
  return start(context, null);
}

/** Simulates the script that deletes config.php and all of moodledata. The site's code remains. */
export function runFileDeletionScript({ world, pod }: ProgramContext): ProgramRun {
  const site = getSimulatedSite(world, pod.metadata.namespace!, pod);
  return { lines: [], exit: 0, done: () => site.changeFiles(({ code }) => code === undefined ? {} : { code }) };
}

function start(context: ProgramContext, exit: number | null): ProgramRun {
  const { world, pod, env } = context;
  const site = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const failed = (...lines: string[]): ProgramRun => ({
    lines: [...lines, "*** Failed with return value: 0"],
    exit: 1,
  });
  if (!site.database || !canReachDatabase(world, pod)) {
    return { lines: ["Waiting for db:5432 to be ready", "."], exit: null, waits: true, ignoresSigterm: true };
  }
  const own = site.database.installer === pod.metadata.uid;
  if (!site.files.configured && / /.test(env.MOODLE_SITENAME ?? "")) {
    const rest = env.MOODLE_SITENAME!.split(" ").slice(1).join(" ");
    return failed("Generating config.php file...", `Unrecognised options: ${rest}`, "Please use --help option.");
  }
  const refusal = findPasswordError(site.database, env.DB_PASS);
  if (refusal) {
    return site.files.configured
      ? failed("!!! <p>Error: Database connection failed</p>", "ERROR: could not determine whether Moodle is installed")
      : failed(
        `PHP Warning:  pg_connect(): Unable to connect to PostgreSQL server: ${refusal} in /var/www/html/lib/dml`,
        "We could not connect to the database you specified. Please check your database settings.",
      );
  }
  const { config } = site.database;
  const broken = (config !== undefined && !isSiteInstalled(site.database)) || site.files.upgrading === true;
  if (broken && !own) {
    return failed(
      "!!! Site is being upgraded, please retry later. !!!",
      "ERROR: could not determine whether Moodle is installed",
    );
  }
  if (isSiteInstalled(site.database)) return startExistingSite(context, site, exit);
  return install(context, site, exit);
}

function install(
  { pod: { metadata }, container, env }: ProgramContext,
  site: SimulatedSite,
  exit: number | null,
): ProgramRun {
  const pod: string = metadata.uid;
  const { release, version } = parseMoodleRelease(container.image);
  const host = parseSiteHost(env);
  const siteidentifier = generateRandomText(32) + host;
  const config = { rolesactive: "1", siteidentifier, version, release, calendar_exportsalt: generateRandomText(60) };
  const before: SiteDatabase = {
    ...site.database,
    installer: pod,
    tables: PARTIAL_TABLES,
    config: { rolesactive: "0" },
  };
  const files: SiteFiles = {
    key: generateRandomText(32),
    ...site.files,
    code: release,
    configured: true,
    wwwroot: host,
  };
  site.saveDatabase(before);
  site.saveFiles({ ...files, upgrading: true });
  return {
    lines: [
      "Syncing Moodle code...",
      "Generating config.php file...",
      "Installing Moodle database...",
      ...listPluginInstallLines(),
      "Installation completed successfully.",
      ...(exit === null ? ["ready to handle connections"] : [LAST_LINE]),
      ...(container.args?.[0] === "php" ? formatFactLines({ tables: INSTALLED_TABLES, config }) : []),
    ],
    exit,
    delay: "install",
    ignoresSigterm: true,
    done: () => {
      const secrets = {
        "mod_lti/privatekey": generateRandomText(40),
        "enrol_lti/lti_13_privatekey": generateRandomText(40),
      };
      site.changeDatabase(({ installer: _, ...rest }) => ({ ...rest, tables: INSTALLED_TABLES, config, secrets }));
      site.changeFiles(({ upgrading: _, ...rest }) => rest);
    },
  };
}

export function generateRandomText(length: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join("");
}

const UPGRADE_LOCK_FACTOR = 10; // lock time per simulated delay; real Moodle locks for at least five minutes
const LOCKED_ERROR = [
  "!!! Site is being upgraded, please retry later. !!!",
  "ERROR: could not determine whether Moodle is installed",
];
const OLDER_CODE_ERROR = "ERROR!!! The code you are using is OLDER than the version that made these databases!";
const LAST_LINE = "*** Failed with return value: 0"; // the entry point also prints this line on success

/** The oldest Moodle release from which a site can be upgraded directly to a branch, keyed by that branch. */
const REQUIRES: Readonly<Record<string, string>> = {
  "4.5": "4.1.2",
  "5.0": "4.2.3",
  "5.1": "4.2.3",
  "5.2": "4.4",
  "5.3": "4.4",
};

/** Starts an existing site and, on request, upgrades its database. `exit` is the exit code; null for a server. */
export function startExistingSite(
  { world, pod, container, env }: ProgramContext,
  site: SimulatedSite,
  exit: number | null,
): ProgramRun {
  const database = site.database!, config = database.config!, now = world.timers.now();
  const { release, version } = parseMoodleRelease(container.image), present = config.version ?? version;
  const upgrades = env.AUTO_UPDATE_MOODLE === "true";
  const synced = `Moodle code sync: ${site.files.code ?? "<empty|unknown>"} → ${release} (mode=auto)`;
  const files = {
    key: generateRandomText(32),
    ...site.files,
    code: release,
    configured: true,
    wwwroot: parseSiteHost(env),
  };
  const failed = (...lines: string[]): ProgramRun => ({ lines: [synced, ...lines, LAST_LINE], exit: 1 });
  site.saveFiles(files); // the code is updated even if a later start script fails
  const own = database.installer === pod.metadata.uid;
  if (isUpgradeLocked(database, now) && !own) return failed(...LOCKED_ERROR);
  if (Number(version) < Number(present)) {
    if (upgrades) site.saveFiles({ ...files, maintenance: true });
    return failed(OLDER_CODE_ERROR);
  }
  const startLines = [synced, "Configuring settings...", "Upgrading admin user"];
  if (!upgrades) {
    const off = /--name=noemailever --set=([01])/.exec(env.POST_CONFIGURE_COMMANDS ?? "")?.[1];
    if (off) site.saveDatabase({ ...database, config: { ...config, noemailever: off } });
    const last = exit === null ? "ready to handle connections" : LAST_LINE;
    return { lines: [...startLines, "Skipped auto update of Moodle", last], exit, delay: "app" };
  }
  site.saveFiles({ ...files, maintenance: true });
  if (!isUpgradePending(database, files)) {
    const lines = [
      ...startLines,
      "Upgrading moodle...",
      `No upgrade needed for the installed version ${release} (${version}).`,
    ];
    return { lines: [...lines, LAST_LINE], exit, done: () => site.changeFiles(withoutMaintenance) };
  }
  const needed = REQUIRES[release.split(".").slice(0, 2).join(".")];
  if (needed !== undefined && compare(config.release ?? "", needed) < 0) {
    const why = `version ${needed} is required and you are running ${config.release}`;
    return failed("Upgrading moodle...", "== Environment ==", "!! moodle !!", why);
  }
  const until = Math.ceil((now + UPGRADE_LOCK_FACTOR * world.delayMs) / 1000);
  site.saveDatabase({ ...database, installer: pod.metadata.uid, config: { ...config, upgraderunning: String(until) } });
  return {
    lines: [
      ...startLines,
      "Upgrading moodle...",
      ...listPluginInstallLines(),
      `Command line upgrade from ${config.release} (${present}) to ${release} (${version}) completed successfully.`,
      ...(exit === null ? ["ready to handle connections"] : [LAST_LINE]),
    ],
    exit,
    delay: "upgrade",
    ignoresSigterm: true,
    done: () => {
      site.changeDatabase(({ installer: _, ...rest }) => {
        const { upgraderunning: __, ...settings } = rest.config ?? {};
        return { ...rest, config: { ...settings, release, version } };
      });
      site.changeFiles(withoutMaintenance);
    },
  };
}

/** Simulates the check of an image before an upgrade: prints the version and release of its Moodle code. */
export function runCodeVersionScript({ container }: ProgramContext): ProgramRun {
  const { release, version } = parseMoodleRelease(container.image);
  return { lines: [`version|${version}.00`, `release|${release}`], exit: 0 };
}

/** Returns the site's files with maintenance mode off. The image's entry point always turns it off at the end. */
function withoutMaintenance({ maintenance: _, ...files }: SimulatedSite["files"]): SimulatedSite["files"] {
  return files;
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => (/^[\d.]+/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const order = (left![i] ?? 0) - (right![i] ?? 0);
    if (order) return order;
  }
  return 0;
}
