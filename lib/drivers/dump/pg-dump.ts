/** pg_dump, where this machine has one: it writes the same rows as we do, and knows of what a server may have in store. */
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { environmentWith } from "#lib/base/environment.ts";
import { Fault } from "#lib/base/errors.ts";
import { copied, COPY_END, copyLine, piecesOf } from "#lib/drivers/dump/script.ts";

interface DumpWish {
  readonly url: string;
  /** As the server has exported it. */
  readonly snapshot: string;
  readonly schema: string;
  readonly tables: readonly string[];
}

/** Whether there is one that can read a server of this major version; it reads older ones, and refuses newer ones. */
export async function hasPgDump(server: number): Promise<boolean> {
  const told = await promisify(execFile)("pg_dump", ["--version"]).catch(() => null);
  return Number(/\d+/.exec(told?.stdout ?? "")?.[0] ?? 0) >= server;
}

/** The rows alone. Throws its own words where it fails. */
export async function* pgDump({ url, snapshot, schema, tables }: DumpWish): AsyncGenerator<Buffer> {
  const address = new URL(url), PGPASSWORD = decodeURIComponent(address.password);
  address.password = ""; // others on the machine could read it among the arguments
  const child = spawn("pg_dump", [
    ...["--data-only", "--no-password", "--encoding=UTF8", `--snapshot=${snapshot}`, `--dbname=${address.href}`],
    ...tables.map((table) => `--table="${schema}"."${table}"`),
  ], { env: environmentWith({ PGPASSWORD }), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => said = (said + text).slice(-2000));
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  ended.catch(() => {});
  try {
    for await (const piece of piecesOf(child.stdout)) {
      if (typeof piece !== "string") yield piece.bytes;
      else {
        const table = copied(piece);
        if (table) yield Buffer.from(copyLine(table.table, table.columns));
        else if (piece === COPY_END) yield Buffer.from(`${piece}\n`);
      }
    }
    const status = await ended;
    if (status !== 0) {
      const message = `pg_dump ended with status ${status}: ${said.trim().split("\n").at(-1)}`;
      throw new Fault("unavailable", "pg_dump_failed", message);
    }
  } finally {
    child.kill();
  }
}
