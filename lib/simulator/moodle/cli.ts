/** Moodle's command line: `php …/cli/NAME.php` in Jobs, and the blueprint's seed. */
import type { Context, Run } from "#lib/simulator/program.ts";
import { passwordRefusal } from "#lib/simulator/moodle/database.ts";
import { type Database, isInstalled, type Site, siteOf } from "#lib/simulator/moodle/site.ts";
import { readSource } from "#lib/simulator/environment.ts";
import type { Json } from "#lib/simulator/object.ts";

type Command = (text: string, site: Site & { database: Database }) => Run;

const said = (...lines: string[]): Run => ({ lines, exit: 0 });

const COMMANDS: Record<string, Command> = {
  cron: (_, { files }) =>
    files.maintenance
      ? { lines: ["CLI maintenance mode active, cron execution suspended."], exit: 1 }
      : said("Server Time: now", "Cron run completed correctly", "Cron completed"),
  maintenance: (text, site) => {
    const on = /--enable(later)?\b/.test(text), changes = on || text.includes("--disable");
    return {
      lines: [`== CLI maintenance mode ==`, on ? "Site is currently not available" : "Site is available"],
      exit: 0,
      ...(changes ? { done: () => site.saveFiles({ ...site.files, maintenance: on }) } : {}),
    };
  },
  cfg: (text, { database }) => {
    const name = /--name=(\w+)/.exec(text)?.[1];
    if (name === undefined || text.includes("--set")) return said();
    const value = database.config?.[name];
    return value === undefined ? { lines: [], exit: 3 } : said(value);
  },
  checks: () => said("OK: All 'status' checks OK"),
  purge_caches: () => said(),
  reset_password: () => said("Password changed"),
  kill_all_sessions: () => said(),
  isinstalled: () => ({ lines: [], exit: 2 }), // 2 is "yes" for this one
};

export function runCli(context: Context): Run {
  const text = [...context.container.command ?? [], ...context.container.args ?? []].join(" ");
  const name = /\/cli\/(\w+)\.php/.exec(text)?.[1] ?? "";
  const path = /\S+\/cli\/\w+\.php/.exec(text)?.[0] ?? "";
  return onSite(context, path, (site) => (COMMANDS[name] ?? (() => said()))(text, site));
}

/** Prints what it was given to do, and `seeded`. */
export function runSeed(context: Context): Run {
  const { env, world, pod } = context;
  const read = (name: string) => readSource(world, pod.metadata.namespace!, "ConfigMap", name);
  const scripts = read("seed-script");
  if (!scripts?.["seed.php"]) return { lines: ["Could not open input file: /seed/seed.php"], exit: 1 };
  if (!scripts["courses.php"]) {
    return { lines: ["PHP Fatal error:  Failed opening required '/seed/courses.php'"], exit: 255 };
  }
  const settings = (pod.spec.volumes ?? []).some((volume: Json) => volume.configMap?.name === "seed")
    ? read("seed") ?? {}
    : {};
  const courses: { shortname: string }[] = JSON.parse(settings.SEED_COURSES ?? "[]");
  const done = [
    ...(settings.SEED_TITLE ? ["title set"] : []),
    ...(settings.SEED_MAIL ? [`mail ${settings.SEED_MAIL}`] : []),
    ...(settings.SEED_ADMIN_EMAIL && env.ADMIN_PASSWORD ? ["administrator created"] : []),
    ...(settings.SEED_BRAND_COLOR || settings.SEED_BRAND_SCSS ? ["brand set"] : []),
    ...(settings.SEED_BRAND_LOGO ? ["logo set"] : []),
    ...(settings.SEED_ISSUER_NAME && env.SEED_ISSUER_CLIENT_SECRET ? ["single sign-on set"] : []),
    ...courses.map(({ shortname }) => `course created: ${shortname}`),
  ];
  return onSite(context, "/var/www/html/config.php", () => said(...done, "seeded"));
}

/** What every script needs first: code, config.php, a database that answers, and a whole site in it. */
function onSite({ world, pod }: Context, path: string, run: (site: Site & { database: Database }) => Run): Run {
  const site = siteOf(world, pod.metadata.namespace!);
  const failed = (...lines: string[]): Run => ({ lines, exit: 1 });
  if (!site.files.code) return failed(`Could not open input file: ${path}`);
  if (!site.files.configured) return failed("PHP Fatal error:  Failed opening required '/var/www/html/config.php'");
  const { database } = site;
  const password = readSource(world, pod.metadata.namespace!, "Secret", "moodle")?.DB_PASS;
  if (!database || passwordRefusal(database, password)) return failed("!!! <p>Error: Database connection failed</p>");
  if (!isInstalled(database)) return failed("!!! Site is being upgraded, please retry later. !!!");
  return run({ ...site, database });
}
