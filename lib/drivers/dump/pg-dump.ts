/** Runs pg_dump on an exported snapshot of the database. */
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { extendEnvironment, type ProcessVariables } from "#lib/base/environment.ts";
import { type DatabaseAddress, type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { CONNECTION_KEYWORDS } from "#lib/base/database-keywords.ts";
import { COPY_END, formatCopyLine, parseCopyLine, splitCopyText } from "#lib/drivers/dump/script.ts";

interface PgDumpOptions {
  readonly url: DatabaseSource;
  readonly snapshot: string;
  readonly schema: string;
  readonly tables: readonly string[];
}

/** Returns whether the installed pg_dump supports this major version of PostgreSQL. Older servers are supported. */
export async function supportsPgDump(server: number): Promise<boolean> {
  const version = await promisify(execFile)("pg_dump", ["--version"]).catch(() => null);
  return Number(/\d+/.exec(version?.stdout ?? "")?.[0] ?? 0) >= server;
}

/** The error for a pg_dump run that failed. The message includes the last line that pg_dump printed. */
export class PgDumpFailed extends Error {
  override readonly name = "PgDumpFailed";
}

/** Yields the tables' rows in COPY format, without table definitions. Throws PgDumpFailed. */
export async function* streamPgDump({ url, snapshot, schema, tables }: PgDumpOptions): AsyncGenerator<Buffer> {
  const child = spawn("pg_dump", [
    ...["--data-only", "--no-password", "--encoding=UTF8", `--snapshot=${snapshot}`],
    ...tables.map((table) => `--table="${schema}"."${table}"`),
  ], { env: extendEnvironment(variablesFor(resolveDatabaseAddress(url))), stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr = (stderr + text).slice(-2000));
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  ended.catch(() => {});
  try {
    for await (const piece of splitCopyText(child.stdout)) {
      if (typeof piece !== "string") yield piece.bytes;
      else {
        const table = parseCopyLine(piece);
        if (table) yield Buffer.from(formatCopyLine(table.table, table.columns));
        else if (piece === COPY_END) yield Buffer.from(`${piece}\n`);
      }
    }
    const status = await ended;
    if (status !== 0) {
      const message = `pg_dump ended with status ${status}: ${stderr.trim().split("\n").at(-1)}`;
      throw new PgDumpFailed(message);
    }
  } finally {
    child.kill();
  }
}

/**
 * Converts the database address to libpq's environment variables, because other users can see command-line arguments.
 * Sets or unsets every libpq variable, so that this process's own variables have no effect. PGTZ makes pg_dump write
 * times in UTC.
 */
function variablesFor(address: DatabaseAddress): ProcessVariables {
  const { hosts, tls } = address;
  const unset = Object.values(CONNECTION_KEYWORDS).flatMap(({ variable }) => variable ? [[variable, undefined]] : []);
  return {
    ...Object.fromEntries(unset),
    PGHOST: hosts.map(({ host }) => host).join(","),
    PGPORT: hosts.map(({ port }) => port).join(","),
    PGDATABASE: address.database,
    PGUSER: address.user,
    PGPASSWORD: address.password ?? undefined,
    PGPASSFILE: address.passfile ?? undefined,
    PGOPTIONS: address.options ?? undefined,
    PGTARGETSESSIONATTRS: address.target,
    PGSSLMODE: tls.mode,
    PGSSLNEGOTIATION: tls.direct ? "direct" : undefined,
    PGSSLROOTCERT: tls.rootCert ?? undefined,
    PGSSLCERT: tls.cert ?? undefined,
    PGSSLKEY: tls.key ?? undefined,
    PGSSLMINPROTOCOLVERSION: tls.minVersion ?? undefined,
    PGSSLMAXPROTOCOLVERSION: tls.maxVersion ?? undefined,
    PGTZ: "UTC",
  };
}
