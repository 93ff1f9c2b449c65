/** Runs sign-on.php and client.php with a real PHP and stand-ins for Moodle's classes. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tlsFile } from "#test/support/secure-server.ts";

type Row = Record<string, string | number>;
export type Tables = Readonly<Record<string, Readonly<Record<string, Row>>>>;

export interface PhpSite {
  readonly tables: Tables;
  /** The number of records that the script wrote. */
  readonly writes: number;
  readonly lines: readonly string[];
  /** The value that the function returned. */
  readonly result: string | null;
}

export const EMPTY: Tables = { config: {} };
export const SPOKE = { id: "spo_1", redirectUris: ["https://ash.school.example/admin/oauth2callback.php"] };

export interface SignOnScripts {
  /** Runs a function of the scripts on a site. */
  call(tables: Tables, name: string, args: readonly unknown[], env?: Record<string, string>): Promise<PhpSite>;
  /** Runs the function, and kills PHP after this number of writes. Returns what the database then has. */
  kill(tables: Tables, name: string, args: readonly unknown[], writes: number): Promise<Tables | "not killed">;
  close(): Promise<void>;
}

export async function openSignOnScripts(): Promise<SignOnScripts> {
  const directory = await mkdtemp(join(tmpdir(), "sign-on-")), script = join(directory, "script.php");
  const [signOn, client, check] = await Promise.all(
    ["sign-on", "client", "check-sign-in"].map((name) => readFile(`lib/moodle/manifests/${name}.php`, "utf8")),
  );
  const functions = check!.slice(check!.indexOf("/** Returns why the provider's keys"), check!.indexOf("$problem ="));
  await writeFile(script, `${signOn}${client!.slice("<?php".length)}${functions}`);
  const run = (tables: Tables, name: string, args: readonly unknown[], env: Record<string, string>) =>
    promisify(execFile)(
      "php",
      ["test/data/moodle-oauth2.php", JSON.stringify(tables), script, JSON.stringify([name, args])],
      { env: { ...process.env, CA_FILE: tlsFile("ca.crt"), ...env } },
    );
  return {
    async call(tables, name, args, env = {}) {
      const { stdout, stderr } = await run(tables, name, args, env);
      return { ...JSON.parse(stdout), lines: stderr.trim().split("\n") };
    },
    async kill(tables, name, args, writes) {
      const file = join(directory, `tables-${writes}.json`);
      const killed = await run(tables, name, args, { TABLES_FILE: file, KILL_AFTER: String(writes) }).then(
        () => false,
        ({ signal }) => signal === "SIGKILL",
      );
      return killed ? JSON.parse(await readFile(file, "utf8")) : "not killed";
    },
    close: () => rm(directory, { recursive: true }),
  };
}

export const rowsOf = ({ tables }: Pick<PhpSite, "tables">, table: string): Row[] => Object.values(tables[table] ?? {});
