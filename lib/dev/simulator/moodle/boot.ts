/**
 * The entry point of the Moodle image: waits for the database, writes config.php, installs what is empty, refuses what
 * is half there, goes on with what is there (upgrade.ts). Afterwards it serves, or is done, if its arguments are `true`.
 */
import type { Context, Run } from "#lib/dev/simulator/program.ts";
import { passwordRefusal } from "#lib/dev/simulator/moodle/database.ts";
import {
  type Database,
  type Files,
  hostOf,
  isInstalled,
  releaseOf,
  type Site,
  siteOf,
} from "#lib/dev/simulator/moodle/site.ts";
import { startOnSite } from "#lib/dev/simulator/moodle/upgrade.ts";

const WHOLE = 494, PART = 415; // tables of an installed site, and of an install that was killed (measured)

/** In a Job. */
export function bootOnce(context: Context): Run {
  return start(context, 0);
}

/** In the Deployment: on an empty database this installs a NEW site, as the image does. */
export function boot(context: Context): Run {
  return start(context, null);
}

/** What lies on the claim mounted at /v, and config.php, is removed; the code stays. */
export function wipeFiles({ world, pod }: Context): Run {
  const site = siteOf(world, pod.metadata.namespace!);
  const { code } = site.files;
  return { lines: [], exit: 0, done: () => site.saveFiles(code === undefined ? {} : { code }) };
}

function start(context: Context, exit: number | null): Run {
  const { world, pod, container, env } = context;
  const site = siteOf(world, pod.metadata.namespace!);
  const failed = (...lines: string[]): Run => ({ lines: [...lines, "*** Failed with return value: 0"], exit: 1 });
  if (!site.database) return { lines: ["Waiting for db:5432 to be ready", "."], exit: null, waits: true, deaf: true };
  const own = site.database.installer === pod.metadata.uid;
  if (!site.files.configured && / /.test(env.MOODLE_SITENAME ?? "")) {
    const rest = env.MOODLE_SITENAME!.split(" ").slice(1).join(" ");
    return failed("Generating config.php file...", `Unrecognised options: ${rest}`, "Please use --help option.");
  }
  const refusal = passwordRefusal(site.database, env.DB_PASS);
  if (refusal) {
    return site.files.configured
      ? failed("!!! <p>Error: Database connection failed</p>", "ERROR: could not determine whether Moodle is installed")
      : failed(
        `PHP Warning:  pg_connect(): Unable to connect to PostgreSQL server: ${refusal} in /var/www/html/lib/dml`,
        "We could not connect to the database you specified. Please check your database settings.",
      );
  }
  const { config } = site.database;
  const broken = (config !== undefined && !isInstalled(site.database)) || site.files.upgrading === true;
  if (broken && !own) {
    return failed(
      "!!! Site is being upgraded, please retry later. !!!",
      "ERROR: could not determine whether Moodle is installed",
    );
  }
  if (isInstalled(site.database)) return startOnSite(context, site, exit);
  return install(site, pod.metadata.uid, container.image, env, exit);
}

function install(site: Site, pod: string, image: string, env: Context["env"], exit: number | null): Run {
  const { release, version } = releaseOf(image);
  const host = hostOf(env);
  const before: Database = { ...site.database, installer: pod, tables: PART, config: { rolesactive: "0" } };
  const files: Files = { ...site.files, code: release, configured: true, wwwroot: host };
  site.saveDatabase(before);
  site.saveFiles({ ...files, upgrading: true });
  const { installer: _, ...rest } = before;
  return {
    lines: [
      "Syncing Moodle code...",
      "Generating config.php file...",
      "Installing Moodle database...",
      "-->System",
      "++ Success ++",
      "Installation completed successfully.",
      ...(exit === null ? ["ready to handle connections"] : ["*** Failed with return value: 0"]),
    ],
    exit,
    deaf: true,
    done: () => {
      const siteidentifier = randomText(32) + host;
      site.saveDatabase({ ...rest, tables: WHOLE, config: { rolesactive: "1", siteidentifier, version, release } });
      site.saveFiles(files);
    },
  };
}

export function randomText(length: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join("");
}
