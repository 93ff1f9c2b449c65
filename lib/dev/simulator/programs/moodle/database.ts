/** Simulates PostgreSQL as the sites use it: the server in the StatefulSet, and `psql` in Jobs. */
import { type EventReasonAndMessage, recordKubernetesEvent } from "#lib/dev/simulator/controllers/objects.ts";
import {
  findFirstVolumeHandle,
  getSimulatedSite,
  isSiteInstalled,
  type SiteDatabase,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const ERROR = 1; // psql's exit code after an error in a `-c` command
const STOPPED = 3; // psql's exit code after an error in its input, with ON_ERROR_STOP
const UNREACHABLE = 2;
const NO_DATABASE = 'FATAL:  database "moodle" does not exist';
const NOTE = /comment on database[^\n]*'(wheelwright \w+ )'/;
const raisedException = (words: string) => new RegExp(`raise exception '(not \\w+): ${words}`);

export function servePostgres(context: ProgramContext): ProgramRun {
  const { world, pod, env, container } = context;
  const handle = findFirstVolumeHandle(world, pod.metadata.namespace!, pod), major = readPostgresMajor(container.image);
  if (!env.POSTGRES_PASSWORD) {
    return { lines: ["Error: Database is uninitialized and superuser password is not specified."], exit: 1 };
  }
  const before: SiteDatabase = handle === null ? { password: "" } : world.volumes.read(handle);
  const ready = "database system is ready to accept connections";
  const foreign = findPostgresVersionError(before, major);
  if (foreign) return { lines: foreign, exit: 1 };
  if (before.absent && !context.resumed) return serveWithoutDatabase(context, ready);
  if (handle === null || (before.password !== undefined && !before.absent)) {
    return { lines: [ready], exit: null, delay: "database" };
  }
  const password = env.POSTGRES_PASSWORD;
  world.volumes.write(handle, { password, major, absent: true });
  return {
    lines: ["PostgreSQL init process complete; ready for start up.", ready],
    exit: null,
    delay: "databaseSetUp",
    done: () => world.volumes.write(handle, { password, major }),
  };
}

export function readPostgresMajor(image: string): string {
  return /:(\d+)/.exec(image)?.[1] ?? "";
}

/** Returns PostgreSQL's error if another major version created the data files; otherwise null. */
export function findPostgresVersionError({ major: made = "" }: SiteDatabase, major: string): string[] | null {
  if (made === "" || major === "" || made === major) return null;
  const detail = `DETAIL:  The data directory was initialized by PostgreSQL version ${made}, which is not compatible ` +
    `with this version ${major}.`;
  return ["FATAL:  database files are incompatible with server", detail];
}

/**
 * Simulates a PostgreSQL server without the database `moodle`: the startup probe fails and the container is restarted.
 * The restart is immediate here, but a real kubelet would restart the container after five minutes.
 */
function serveWithoutDatabase({ world, pod, container }: ProgramContext, ready: string): ProgramRun {
  const fieldPath = `spec.containers{${container.name}}`;
  const where = 'connection to server at "127.0.0.1", port 5432 failed';
  const record = (statement: EventReasonAndMessage) =>
    recordKubernetesEvent(world, pod, { by: "kubelet", fieldPath, ...statement });
  record({ warning: "Unhealthy", message: `Startup probe failed: psql: error: ${where}: ${NO_DATABASE}` });
  record({ normal: "Killing", message: `Container ${container.name} failed startup probe, will be restarted` });
  return { lines: ["Skipping initialization", ready, NO_DATABASE], exit: 0 };
}

export function runPsql({ world, pod, container, env }: ProgramContext): ProgramRun {
  const namespace = pod.metadata.namespace!;
  const site = getSimulatedSite(world, namespace);
  const text = [...container.command ?? [], ...container.args ?? []].join("\n");
  if (!site.database) return { lines: [unreachableError(world, namespace)], exit: UNREACHABLE };
  const refusal = findPasswordError(site.database, env.PGPASSWORD);
  if (refusal) return { lines: [`psql: error: ${refusal}`], exit: UNREACHABLE };
  const guarded = runGuard(world, namespace, site.database, text);
  if (guarded.refusal !== null) return { lines: [`ERROR:  ${guarded.refusal}`], exit: ERROR };
  const { database } = guarded;
  if (/drop schema/i.test(text)) {
    const { password, major, comment } = database;
    const left = { ...(password && { password }), ...(major && { major }), ...(comment && { comment }) };
    site.saveDatabase(left); // one write: a real server drops the schema in one transaction
    return { lines: [], exit: 0 };
  }
  if (database !== site.database) {
    site.saveDatabase(database);
    return text.includes("wheelwright claim") ? query(site.database, text) : { lines: [], exit: 0 };
  }
  if (text.includes("create trigger wheelwright_protect_sign_in")) {
    site.saveDatabase({ ...database, isSignInProtected: true });
    return { lines: [], exit: 0 };
  }
  if (text.includes("mdl_config")) return query(database, text);
  return { lines: /select 1\b/i.test(text) ? ["1"] : [], exit: 0 };
}

/** Returns PostgreSQL's error if the password is wrong; null if the password is correct. */
export function findPasswordError(database: SiteDatabase, password: string | undefined): string | null {
  if (password === database.password) return null;
  const where = `connection to server at "db" (10.96.0.20), port 5432 failed`;
  return `${where}: FATAL:  password authentication failed for user "moodle"`;
}

function unreachableError(world: Simulation, namespace: string): string {
  const service = world.store.get("Service", namespace, "db");
  return service
    ? `psql: error: connection to server at "db" (10.96.0.20), port 5432 failed: Connection refused`
    : `psql: error: could not translate host name "db" to address: Name does not resolve`;
}

/**
 * Runs the guards of an SQL script: its checks before a change. If one refuses, returns its refusal; if not, returns
 * the database with the comment that the script sets. A script without guards always passes, even if it drops a site.
 */
function runGuard(
  world: Simulation,
  namespace: string,
  database: SiteDatabase,
  text: string,
): { readonly database: SiteDatabase; readonly refusal: string | null } {
  const [, note = ""] = NOTE.exec(text) ?? [];
  const mine = BigInt(/mine constant bigint := (\d+)/.exec(text)?.[1] ?? 0);
  const noted = BigInt(/ (\d+)$/.exec(database.comment ?? "")?.[1] ?? 0);
  if (/'wheelwright claim '/.test(text)) return { database: recordClaim(database, noted, mine), refusal: null };
  const others = world.store.list("Pod", namespace)
    .some((pod) => pod.metadata.uid === database.installer && pod.status?.phase === "Running");
  const facts: readonly (readonly [applies: boolean, raised: RegExp, words: string])[] = [
    [
      noted > mine || note === "wheelwright seed " && database.comment === `${note}${mine}`,
      raisedException("attempt % has begun after"),
      `attempt ${database.comment} has begun after this one, ${mine}`,
    ],
    [others, raisedException("another session"), "another session uses this database"],
    [isSiteInstalled(database), raisedException("rolesactive is 1"), "rolesactive is 1, an installed site is here"],
    [!isSiteInstalled(database), raisedException("no installed site"), "no installed site is here"],
  ];
  for (const [applies, raised, words] of facts) {
    const not = applies && raised.exec(text)?.[1];
    if (not) return { database, refusal: `${not}: ${words}` };
  }
  return { database: note === "" ? database : { ...database, comment: `${note}${mine}` }, refusal: null };
}

function isAttempt(comment = ""): boolean {
  return comment !== "" && !comment.startsWith("wheelwright claim ");
}

/** Records the attempt's number in the comment on the database, unless the comment contains a higher number. */
function recordClaim(database: SiteDatabase, noted: bigint, mine: bigint): SiteDatabase {
  if (mine <= noted) return database;
  const word = /^wheelwright \w+ /.exec(database.comment ?? "")?.[0].replace(" seed ", " install ") ??
    "wheelwright claim ";
  return { ...database, comment: `${word}${mine}` };
}

/** Returns the lines that the script facts.php prints about a site, for example `tables|494`. */
export function formatFactLines({ config = {}, tables = 0 }: SiteDatabase): string[] {
  const { rolesactive = "", ...others } = config;
  const printed = ["siteidentifier", "version", "release"].filter((name) => name in others);
  return [`tables|${tables}`, `rolesactive|${rolesactive}`, ...printed.map((name) => `${name}|${others[name]}`)];
}

/** Returns the mdl_config rows that the query selects by name, in the output format of `psql -tA`. */
function query(database: SiteDatabase, text: string): ProgramRun {
  const { config, tables = 0 } = database;
  const countLines = [
    ...(text.includes("pg_tables") && tables > 0 ? [`tables|${tables}`] : []),
    ...(text.includes("'attempt'") && isAttempt(database.comment) ? [`attempt|${database.comment}`] : []),
  ];
  if (!config && !text.includes("to_regclass")) {
    return {
      lines: [...countLines, `ERROR:  relation "mdl_config" does not exist`],
      exit: text.includes("ON_ERROR_STOP") && text.includes("<<") ? STOPPED : ERROR,
    };
  }
  const requestedNames = new Set([...text.matchAll(/'(\w+)'/g)].map((match) => match[1]!));
  const rows = Object.entries(config ?? {}).filter(([name]) => requestedNames.has(name)).sort().map(([name, value]) =>
    `${name}|${value}`
  );
  const { courses = [], accounts = {} } = database;
  const people = text.includes("public.mdl_user") && config
    ? [`courses|${courses.length}`, `users|${Object.keys(accounts).length}`]
    : [];
  return { lines: [...countLines, ...rows, ...people], exit: 0 };
}
