/** Simulates the PHP scripts that run in Jobs: Moodle's command-line scripts and Wheelwright's own scripts. */
import { SECOND } from "#lib/base/time.ts";
import { findPasswordError } from "#lib/dev/simulator/programs/moodle/database.ts";
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradeLocked,
  isUpgradePending,
  type MoodleAccount,
  type SimulatedSite,
  type SiteDatabase,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { changeSharedSettings, listSharedSettingLines } from "#lib/dev/simulator/programs/moodle/shared-settings.ts";
import { changeSignOn, listSignOnLines } from "#lib/dev/simulator/programs/moodle/sign-on.ts";
import { withUsageMessage } from "#lib/dev/simulator/programs/moodle/usage.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { readConfigData } from "#lib/dev/simulator/programs/environment.ts";
import { generateRandomText } from "#lib/dev/simulator/programs/moodle/boot.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { encryptReply } from "#lib/drivers/crypto/sealed-reply.ts";

type Command = (text: string, site: SimulatedSite & { database: SiteDatabase }, now: number) => ProgramRun;

const succeeded = (...lines: string[]): ProgramRun => ({ lines, exit: 0 });

const COMMANDS: Record<string, Command> = {
  cron: (_, { files, database, changeDatabase }, now) =>
    files.maintenance
      ? { lines: ["CLI maintenance mode active, cron execution suspended."], exit: 1 }
      : isUpgradePending(database, files)
      ? { lines: ["Moodle upgrade pending, cron execution suspended."], exit: 1 }
      : {
        ...succeeded("Server Time: now", "Cron run completed correctly", "Cron completed"),
        done: () => changeDatabase((database) => ({ ...database, tasksAt: Math.floor(now / SECOND) })),
      },
  maintenance,
  cfg: (text, { database }) => {
    const name = /--name=(\w+)/.exec(text)?.[1];
    if (name === undefined || text.includes("--set")) return succeeded();
    const value = database.config?.[name];
    return value === undefined ? { lines: [], exit: 3 } : succeeded(value);
  },
  checks: () => succeeded("OK: All 'status' checks OK"),
  purge_caches: () => succeeded(),
  reset_password: () => succeeded("Password changed"),
  kill_all_sessions: () => succeeded(),
  isinstalled: () => ({ lines: [], exit: 2 }), // for this script, exit code 2 means "installed"
};

/** Turns maintenance mode on or off, or prints whether it is on. Fails if a newer attempt has begun in the meantime. */
function maintenance(text: string, site: SimulatedSite): ProgramRun {
  const on = /--enable\b/.test(text), off = text.includes("--disable");
  const { maintenance = false, maintenanceAttempt } = site.files;
  const attempt = /"\$last" -gt (\d+) /.exec(text)?.[1];
  if (attempt !== undefined && BigInt(maintenanceAttempt ?? 0) > BigInt(attempt)) {
    const line = `not switched: attempt ${maintenanceAttempt} has begun after this one, ${attempt}`;
    return { lines: [line], exit: 1 };
  }
  const heading = "== Maintenance mode ==";
  const status = maintenance ? "Status: enabled" : "Status: disabled";
  const done = on
    ? "Your site is currently in CLI maintenance mode, no web access is allowed."
    : off
    ? "Maintenance mode has been disabled and site is running normally again"
    : status;
  const noted = attempt === undefined ? {} : { maintenanceAttempt: attempt };
  return {
    lines: on && maintenance ? [heading] : [heading, done],
    exit: 0,
    done: () => site.changeFiles((files) => ({ ...files, ...noted, ...(on || off ? { maintenance: on } : {}) })),
  };
}

export function runMoodleCli(context: ProgramContext): ProgramRun {
  const text = [...context.container.command ?? [], ...context.container.args ?? []].join(" ");
  const name = /\/cli\/(\w+)\.php/.exec(text)?.[1] ?? "";
  const path = /\S+\/cli\/\w+\.php/.exec(text)?.[0] ?? "";
  const run = runScriptOnSite(
    context,
    path,
    (site) => ({
      ...(COMMANDS[name] ?? (() => succeeded()))(text, site, context.world.timers.now()),
      delay: "cli",
    }),
  );
  return text.includes("wheelwright-usage.json") ? withUsageMessage(context, run) : run;
}

/** Simulates seed.php: creates a site's initial content, prints a line for each change, and finally prints `seeded`. */
export function runSeedScript(context: ProgramContext): ProgramRun {
  const { env, world, pod } = context;
  const read = (name: string) => readConfigData(world, pod.metadata.namespace!, "ConfigMap", name);
  const scripts = read("seed-script");
  if (!scripts?.["seed.php"]) return { lines: ["Could not open input file: /seed/seed.php"], exit: 1 };
  if (!scripts["courses.php"]) {
    return { lines: ["PHP Fatal error:  Failed opening required '/seed/courses.php'"], exit: 255 };
  }
  const settings = (pod.spec.volumes ?? []).some((volume: Json) => volume.configMap?.name === "seed")
    ? read("seed") ?? {}
    : {};
  const changes = settings.SEED_CHANGES?.split(" ");
  const isRequested = (part: string, setting?: string): boolean => !!setting && (changes?.includes(part) ?? true);
  const administers = isRequested("administrator", settings.SEED_ADMIN_EMAIL) && !!env.ADMIN_PASSWORD;
  const courses: { shortname: string }[] = isRequested("courses", settings.SEED_COURSES)
    ? JSON.parse(settings.SEED_COURSES!)
    : [];
  const changeLines = (account: MoodleAccount | undefined): string[] => [
    ...(isRequested("title", settings.SEED_TITLE) ? ["title set"] : []),
    ...(isRequested("mail", settings.SEED_MAIL) ? [`mail ${settings.SEED_MAIL}`] : []),
    ...(administers ? [`administrator ${describeAdmin(account, settings.SEED_ADMIN_EMAIL!)}`] : []),
    ...(isRequested("brand", settings.SEED_BRAND_COLOR || settings.SEED_BRAND_SCSS) ? ["brand set"] : []),
    ...(isRequested("brand", settings.SEED_BRAND_LOGO) ? ["logo set"] : []),
    ...(isRequested("sign-on", settings.SEED_SIGN_IN || settings.SEED_ISSUER_NAME)
      ? listSignOnLines(settings, env)
      : []),
    ...(isRequested("settings", settings.SEED_SETTINGS) ? listSharedSettingLines(settings.SEED_SETTINGS!) : []),
    ...courses.map(({ shortname }) => `course created: ${shortname}`),
  ];
  return runScriptOnSite(context, "/var/www/html/config.php", (site) => ({
    lines: [...changeLines(site.database.accounts?.admin), "seeded"],
    exit: 0,
    delay: "seed",
    done: () =>
      site.changeDatabase((database) => {
        const { accounts = {}, courses: there = [], config: before } = database;
        const made = { password: env.ADMIN_PASSWORD!, ...accounts.admin, email: settings.SEED_ADMIN_EMAIL! };
        const { brandcolor: _, ...plain } = before ?? {};
        const config = {
          ...(changes?.includes("brand") ? plain : before),
          ...(isRequested("title", settings.SEED_TITLE) && { fullname: settings.SEED_TITLE! }),
          ...(isRequested("mail", settings.SEED_MAIL) && { noemailever: settings.SEED_MAIL === "off" ? "1" : "0" }),
          ...(isRequested("brand", settings.SEED_BRAND_COLOR) && { brandcolor: settings.SEED_BRAND_COLOR! }),
          ...(isRequested("sign-on", settings.SEED_SIGN_IN) && changeSignOn(settings, env)),
          ...(isRequested("settings", settings.SEED_SETTINGS) && changeSharedSettings(before, settings.SEED_SETTINGS!)),
        };
        const all = [...new Set([...there, ...courses.map(({ shortname }) => shortname)])];
        const content = { accounts: { ...accounts, ...(administers && { admin: made }) }, courses: all };
        return { ...database, ...content, config };
      }),
  }));
}

function describeAdmin(account: MoodleAccount | undefined, email: string): string {
  return account === undefined ? "created" : account.email === email ? "kept" : "address changed";
}

/** Runs a PHP script on a site. Fails if the code, config.php, the database or a complete installation is missing. */
export function runScriptOnSite(
  { world, pod }: ProgramContext,
  path: string,
  run: (site: SimulatedSite & { database: SiteDatabase }) => ProgramRun,
): ProgramRun {
  const site = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const failed = (...lines: string[]): ProgramRun => ({ lines, exit: 1 });
  if (!site.files.code) return failed(`Could not open input file: ${path}`);
  if (!site.files.configured) return failed("PHP Fatal error:  Failed opening required '/var/www/html/config.php'");
  const { database } = site;
  const password = readConfigData(world, pod.metadata.namespace!, "Secret", "moodle")?.DB_PASS;
  if (!database || findPasswordError(database, password)) {
    return failed("!!! <p>Error: Database connection failed</p>");
  }
  if (!isSiteInstalled(database) || isUpgradeLocked(database, world.timers.now())) {
    return failed("!!! Site is being upgraded, please retry later. !!!");
  }
  return run({ ...site, database });
}

export function runPasswordScript(context: ProgramContext): ProgramRun {
  return runScriptOnSite(
    context,
    "/var/www/html/config.php",
    (site) => ({ ...setPassword(site, context.env), delay: "cli" }),
  );
}

function setPassword(
  site: SimulatedSite & { database: SiteDatabase },
  { ADMIN_PASSWORD: password, FENCE = "0" }: ProgramContext["env"],
): ProgramRun {
  const { database } = site, { accounts = {}, passwordAttempt = "0" } = database;
  const failed = (exit: number, line: string): ProgramRun => ({ lines: [line], exit });
  if (!password) return failed(1, "The Secret admin contains no password");
  const { admin } = accounts;
  if (!admin) {
    return failed(3, "refused: there is no account named admin; it was renamed or deleted, or was never created");
  }
  if (admin.suspended) return failed(3, "refused: the account admin is suspended");
  if (BigInt(passwordAttempt) > BigInt(FENCE)) {
    return failed(1, `not changed: attempt ${passwordAttempt} has begun after this one, ${FENCE}`);
  }
  const mails = database.config?.noemailever !== "1";
  return {
    lines: ["account set", "sessions ended", mails ? "mailed" : "not mailed: the site sends no mail", "agreed"],
    exit: 0,
    done: () =>
      site.changeDatabase((database) => {
        const { reset: _, links = 0, ...kept } = database.accounts?.admin ?? admin;
        const after = { ...kept, password, sessions: 0, links: links + (mails ? 1 : 0) };
        return { ...database, passwordAttempt: FENCE, accounts: { ...database.accounts, admin: after } };
      }),
  };
}

export function runSignInLinkScript(context: ProgramContext): ProgramRun {
  return runScriptOnSite(context, "/var/www/html/config.php", (site) => {
    const { database } = site, { accounts = {}, config = {} } = database, { admin } = accounts;
    const refused = findLinkRefusal(database, admin);
    if (refused !== null || !admin) return { lines: [`refused: ${refused}`], exit: 3 };
    const requested = Math.floor(context.world.timers.now() / SECOND), token = generateRandomText(32);
    const answer = JSON.stringify({ token, expires: requested + Number(config.pwresettime ?? 1800) });
    return {
      lines: [`sealed: ${encryptReply(answer, context.env.LINK_KEY!)}`],
      exit: 0,
      delay: "cli",
      done: () =>
        site.changeDatabase((database) => {
          const after = { ...database.accounts?.admin ?? admin, reset: { token, requested } };
          return { ...database, accounts: { ...database.accounts, admin: after } };
        }),
    };
  });
}

function findLinkRefusal({ config }: SiteDatabase, admin: MoodleAccount | undefined): string | null {
  if (config?.forgottenpasswordurl) return "page";
  if (!admin) return "missing";
  if (admin.suspended) return "suspended";
  if (admin.auth === "nologin") return "closed";
  return admin.auth === "oauth2" ? "elsewhere" : null;
}
