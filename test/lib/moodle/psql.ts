/** Runs the SQL of a Job's psql command against a real PostgreSQL, in one transaction. */
import postgres from "postgres";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();

export interface Psql {
  readonly command: readonly string[];
  readonly statements: readonly string[];
  /** The environment variables with literal values. */
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the first psql command of the Job. */
export function psqlOf(name: BlueprintJobName, fence: string): Psql {
  const { initContainers = [], containers } =
    blueprint.jobObject(inputsOf(blueprint), name, fence)["spec"].template.spec;
  const { command, env = [] } = [...initContainers, ...containers].find((each) => each.command?.[0] === "psql");
  return {
    command,
    statements: command.filter((_: string, i: number) => command[i - 1] === "-c"),
    env: Object.fromEntries(env.map((each: { name: string; value?: string }) => [each.name, each.value ?? ""])),
  };
}

/** Runs statements like psql --single-transaction -c … -c …. */
export async function run(url: string, psql: Psql, edit = (sql: string) => sql): Promise<void> {
  const name = psql.env["PGAPPNAME"] ?? "psql";
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: name } });
  try {
    await sql.begin(async (tx) => {
      for (const statement of psql.statements) await tx.unsafe(edit(statement));
    });
  } finally {
    await sql.end();
  }
}

export async function query(url: string, text: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...await sql.unsafe(text)];
  } finally {
    await sql.end();
  }
}

export async function tables(url: string): Promise<string[]> {
  const rows = await query(url, "select tablename from pg_tables where schemaname = 'public' order by tablename");
  return rows.map((row) => row["tablename"]);
}

/** The tables that an installation leaves in this state. */
export const CONFIG = "create table mdl_config (name text, value text); insert into mdl_config values ('rolesactive', ";
