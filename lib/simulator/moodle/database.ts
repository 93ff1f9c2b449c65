/** PostgreSQL as the blueprint uses it: the server of the StatefulSet, and `psql` in Jobs. */
import type { Context, Run } from "#lib/simulator/program.ts";
import { type Database, siteOf, volumeOf } from "#lib/simulator/moodle/site.ts";
import type { World } from "#lib/simulator/world.ts";

const ERROR = 3; // psql's exit code where ON_ERROR_STOP met an error
const UNREACHABLE = 2;

export function servePostgres({ world, pod, env }: Context): Run {
  const claim = (pod.spec.volumes ?? []).map((volume: { persistentVolumeClaim?: { claimName: string } }) =>
    volume.persistentVolumeClaim?.claimName
  ).find((name: string | undefined) => name !== undefined);
  const handle = claim === undefined ? null : volumeOf(world, pod.metadata.namespace!, claim);
  if (!env.POSTGRES_PASSWORD) {
    return { lines: ["Error: Database is uninitialized and superuser password is not specified."], exit: 1 };
  }
  const fresh = handle !== null && world.volumes.read(handle).password === undefined;
  if (fresh) world.volumes.write(handle, { password: env.POSTGRES_PASSWORD });
  const lines = [
    "PostgreSQL init process complete; ready for start up.",
    "database system is ready to accept connections",
  ];
  return { lines: fresh ? lines : lines.slice(1), exit: null };
}

export function runPsql({ world, pod, container, env }: Context): Run {
  const namespace = pod.metadata.namespace!;
  const site = siteOf(world, namespace);
  const text = [...container.command ?? [], ...container.args ?? []].join("\n");
  if (!site.database) return { lines: [unreachable(world, namespace)], exit: UNREACHABLE };
  const refusal = passwordRefusal(site.database, env.PGPASSWORD);
  if (refusal) return { lines: [`psql: error: ${refusal}`], exit: UNREACHABLE };
  if (/drop schema/i.test(text)) return dropSchema(world, namespace, site.database, text, site.saveDatabase);
  if (text.includes("mdl_config")) return query(site.database, text);
  return { lines: /select 1\b/i.test(text) ? ["1"] : [], exit: 0 };
}

/** The server's words about a password that is not the database's; null if it is. */
export function passwordRefusal(database: Database, password: string | undefined): string | null {
  if (password === database.password) return null;
  const where = `connection to server at "db" (10.96.0.20), port 5432 failed`;
  return `${where}: FATAL:  password authentication failed for user "moodle"`;
}

function unreachable(world: World, namespace: string): string {
  const service = world.store.get(world.kinds.of("v1", "Service")!, namespace, "db");
  return service
    ? `psql: error: connection to server at "db" (10.96.0.20), port 5432 failed: Connection refused`
    : `psql: error: could not translate host name "db" to address: Name does not resolve`;
}

/** Only what asks first is refused: plain SQL drops an installed site too. */
function dropSchema(
  world: World,
  namespace: string,
  database: Database,
  text: string,
  save: (next: Database) => void,
): Run {
  const failed = (why: string): Run => ({ lines: [`ERROR:  ${why}`], exit: ERROR });
  const at = world.store.list(world.kinds.of("v1", "Pod")!, namespace)
    .some((pod) => pod.metadata.uid === database.installer && pod.status?.phase === "Running");
  if (text.includes("pg_stat_activity") && at) return failed("not reset: another session is at work in this database");
  if (text.includes("rolesactive") && database.config?.rolesactive === "1") {
    return failed("not reset: rolesactive is 1, an installed site is here");
  }
  const { password } = database;
  return { lines: [], exit: 0, done: () => save(password === undefined ? {} : { password }) };
}

/** The rows of mdl_config whose names the query mentions, as `psql -tA` prints them. */
function query(database: Database, text: string): Run {
  const { config, tables = 0 } = database;
  const counted = text.includes("pg_tables") && tables > 0 ? [`tables|${tables}`] : [];
  if (!config && !text.includes("to_regclass")) {
    return {
      lines: [...counted, `ERROR:  relation "mdl_config" does not exist`],
      exit: text.includes("ON_ERROR_STOP") ? ERROR : 1,
    };
  }
  const asked = new Set([...text.matchAll(/'(\w+)'/g)].map((match) => match[1]!));
  const rows = Object.entries(config ?? {}).filter(([name]) => asked.has(name)).sort().map(([name, value]) =>
    `${name}|${value}`
  );
  return { lines: [...counted, ...rows], exit: 0 };
}
