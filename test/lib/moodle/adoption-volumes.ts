/**
 * Runs adopt.yaml on a site's database as a snapshot contains it: real PostgreSQL, killed while it runs, with its directory
 * copied.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { SILENT_LOG } from "#lib/base/log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import {
  buildUnprivilegedCommand,
  choosePostgresOwner,
  findPostgresBinaries,
} from "#lib/dev/embedded/data-directory.ts";
import { isPostmasterRunning } from "#lib/dev/embedded/postmaster.ts";
import type { SiteOrigin } from "#lib/moodle/inputs.ts";
import { find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { until } from "#test/support/until.ts";

const blueprint = openBlueprint();
const run = promisify(execFile);

/** The script that runs before the database, or before Moodle. */
export function adoptionScript(origin: SiteOrigin, of: "database" | "app"): string {
  const [kind, name] = of === "database" ? ["StatefulSet", "db"] : ["Deployment", "moodle"];
  const set = find(blueprint.spokeObjects(inputsOf(blueprint, { origin }), of), kind!, name!);
  const [{ command }] = set["spec"].template.spec.initContainers;
  return command[2];
}

/** Tables whose rows all give access to the site or identify it. */
export const GOING = [
  ...["external_tokens", "user_private_key", "user_password_resets", "user_devices", "message_airnotifier_devices"],
  ...["oauth2_access_token", "oauth2_refresh_token", "oauth2_system_account", "badge_backpack_oauth2"],
  ...["registration_hubs", "mnet_session", "lti_access_tokens", "tool_mfa_secrets"],
];
const SECRET = "OLD-SECRET";
const CONFIG = [
  "siteidentifier",
  "calendar_exportsalt",
  "cronremotepassword",
  "badges_badgesalt",
  "airnotifieraccesskey",
];
const KEYS = [["mnet", "openssl"], ["mod_lti", "privatekey"], ["mod_lti", "kid"], ["enrol_lti", "lti_13_privatekey"]];

/** The parts of Moodle's schema that matter here. Every secret has the same value, so that none is missed. */
const SITE = `
  create table mdl_config (id bigserial, name text not null unique, value text not null);
  insert into mdl_config (name, value) values ('rolesactive', '1'), ('marked', 'as it was'), ('noemailever', '0'),
    ('chat_serverhost', 'template.invalid');
  insert into mdl_config (name, value) select unnest('{${CONFIG}}'::text[]), '${SECRET}';
  create table mdl_config_plugins (id bigserial, plugin text, name text, value text);
  insert into mdl_config_plugins (plugin, name, value) values ('auth_oauth2', 'typed', 'in by people'),
    ${KEYS.map(([plugin, name]) => `('${plugin}', '${name}', '${SECRET}')`)};
  create table mdl_user (id bigserial, username text, secret text);
  insert into mdl_user (username, secret) values ('ada', '${SECRET}'), ('bob', '');
  ${["sessions", ...GOING].map((name) => `create table mdl_${name} as select '${SECRET}' as token;`).join("\n")}`;

export interface Volume {
  readonly directory: string;
  /** Runs the container's command. */
  adopt(origin: SiteOrigin, password?: string): Promise<{ code: number; said: string }>;
  /** Starts a server on the volume and runs queries with the new password. */
  ask<T>(password: string, question: (sql: postgres.Sql) => Promise<T>): Promise<T>;
}

export interface Volumes {
  /** Copies the volume as it was when PostgreSQL was killed. */
  copy(): Promise<Volume>;
  close(): Promise<void>;
}

/** `site` is the SQL that fills the database. */
export async function openVolumes(site = SITE): Promise<Volumes> {
  const parent = await mkdtemp(join(tmpdir(), "wheelwright-adoption-")), first = join(parent, "first");
  const server = await startEmbeddedPostgres({ directory: first, durable: false, log: SILENT_LOG });
  const url = new URL(server.url);
  await as(url, async (sql) => {
    await sql.unsafe("create role moodle superuser login password 'nobody knows'");
    await sql.unsafe("create database moodle owner moodle");
    await sql.unsafe("alter system set log_statement = 'all'"); // as a person may have left it who looked for something
    await sql.unsafe("alter system set log_min_duration_statement = 0");
  });
  url.pathname = "/moodle";
  await as(url, async (sql) => {
    await sql.unsafe(site);
    await sql.unsafe(
      "checkpoint; create table mdl_course (id bigserial); insert into mdl_course select generate_series(1, 1000)",
    );
    const begun = Promise.withResolvers<void>();
    const cut = sql.begin(async (tx) => { // what was not committed is not there afterwards
      await tx.unsafe("insert into mdl_course select generate_series(1001, 2000)");
      begun.resolve();
      await new Promise(() => {});
    }).catch(() => {});
    await begun.promise;
    await killed(server, join(first, "data"));
    await cut;
  });
  let copies = 0;
  return {
    async copy() {
      const directory = join(parent, `copy-${++copies}`);
      await run("cp", ["-a", first, directory]);
      return volumeIn(directory);
    },
    close: () => rm(parent, { recursive: true, force: true }),
  };
}

/** Kills the server's processes, the first one last. */
async function killed({ pid }: EmbeddedPostgres, data: string): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(async () => !await isPostmasterRunning(pid, data));
}

function volumeIn(directory: string): Volume {
  const data = join(directory, "data");
  return {
    directory,
    async adopt(origin, password = "it's new") {
      const args = ["-c", adoptionScript(origin, "database")];
      const { file, args: all, options } = await buildUnprivilegedCommand(
        await choosePostgresOwner(data),
        "/bin/sh",
        args,
        [data],
      );
      const path = [findPostgresBinaries(), options.env!["PATH"]].join(delimiter);
      const env = { ...options.env, PATH: path, PGDATA: data, DB_PASS: password };
      return await run(file, all, { ...options, env, cwd: "/" }).then(
        ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
        ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
      );
    },
    async ask(password, question) {
      const server = await startEmbeddedPostgres({ directory, durable: false, log: SILENT_LOG });
      try {
        const url = new URL(server.url);
        Object.assign(url, { username: "moodle", password: encodeURIComponent(password), pathname: "/moodle" });
        return await as(url, question);
      } finally {
        await server.stop();
      }
    },
  };
}

async function as<T>(url: URL, question: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url.href, { max: 1, onnotice: () => {}, onclose: () => {} });
  try {
    return await question(sql);
  } finally {
    await sql.end({ timeout: 1 }).catch(() => {});
  }
}

/** Returns every location that still contains the original site's secret. */
export async function secretsIn(sql: postgres.Sql): Promise<string[]> {
  const columns = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'text' order by 1, 2`;
  const places: string[] = [];
  for (const { table, column } of columns) {
    const [row] = await sql`select count(*)::int as n from ${sql(table)} where ${sql(column)} like ${`%${SECRET}%`}`;
    if (row!["n"] > 0) places.push(`${table}.${column}`);
  }
  return places;
}
