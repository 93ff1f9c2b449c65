/** Runs usage.php by the command of the CronJob, with a real PHP, shell, database and files. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

/** The database and the folders of a site. */
export interface SiteOnDisk {
  db: TestDatabase;
  directory: string;
}

const blueprint = openBlueprint();
const { spec } = blueprint.spokeObjects(inputsOf(blueprint), "cron")[0]!;
const [shell, flag, ...words] = spec.jobTemplate.spec.template.spec.containers[0].command as string[];

/** The tables of Moodle that the script reads, with the columns and types of Moodle's lib/db/install.xml. */
const TABLES = `
  create table mdl_files (id bigserial primary key, contenthash varchar(40) not null default '',
    pathnamehash varchar(40) not null default '', filename varchar(255) not null default '',
    filesize bigint not null, referencefileid bigint);
  create table mdl_user (id bigserial primary key, deleted smallint not null default 0,
    username varchar(100) not null default '', lastaccess bigint not null default 0);
  create table mdl_course (id bigserial primary key, category bigint not null default 0);
  create table mdl_config_plugins (id bigserial primary key, plugin varchar(100) not null default 'core',
    name varchar(100) not null default '', value text not null);
  create table mdl_config (id bigserial primary key, name varchar(255) not null default '', value text not null);
  create table mdl_task_scheduled (id bigserial primary key, component varchar(255) not null default '',
    classname varchar(255) not null, nextruntime bigint, faildelay bigint, disabled smallint not null default 0);
  create table mdl_task_adhoc (id bigserial primary key, component varchar(255) not null default '',
    classname varchar(255) not null, nextruntime bigint not null, faildelay bigint, attemptsavailable smallint)`;

export async function openSiteOnDisk(): Promise<SiteOnDisk> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-usage-")), db = await openTestDatabase();
  for (const each of TABLES.split(";")) await db.sql(each);
  for (const each of ["html", "data"]) await mkdir(join(directory, each));
  return { directory, db };
}

export async function closeSiteOnDisk({ db, directory }: SiteOnDisk): Promise<void> {
  await db.close();
  await rm(directory, { recursive: true });
}

/** Runs the command of the CronJob as the kubelet does. Returns its exit status and the termination message. */
export async function runUsageScript({ db, directory }: SiteOnDisk, more: Record<string, string> = {}) {
  const { hostname, port, pathname, username, password } = new URL(db.url), message = join(directory, "message");
  const env = {
    PATH: process.env["PATH"],
    ...{ DB_HOST: hostname || "127.0.0.1", DB_PORT: port || "5432", DB_NAME: pathname.slice(1) },
    ...{ DB_USER: decodeURIComponent(username), DB_PASS: decodeURIComponent(password), MESSAGE_FILE: message },
    ...{ HTML_DIR: join(directory, "html"), DATA_DIR: join(directory, "data"), ...more },
  };
  await rm(message, { force: true });
  const args = [flag!, ...words.map((word) => word.replaceAll("$$(", "$("))];
  const { status, output } = await new Promise<{ status: unknown; output: string }>((resolve) =>
    execFile(
      shell!,
      args,
      { env },
      (error, stdout, stderr) => resolve({ status: error ? error.code : 0, output: stdout + stderr }),
    )
  );
  return { status, output, message: await readFile(message, "utf8").catch(() => null) };
}
