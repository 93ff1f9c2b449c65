/** Tests usage.php and the command of the CronJob with a real PHP, shell, database and files. Skipped without PHP. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseUsageLine } from "#lib/moodle/usage-line.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { missingPhpReason } from "#test/support/php.ts";

interface Context {
  db: TestDatabase;
  directory: string;
}

const test = suite<Context>(`usage.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;
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

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-usage-"));
  context.db = await openTestDatabase();
  for (const each of TABLES.split(";")) await context.db.sql(each);
  for (const each of ["html", "data"]) await mkdir(join(context.directory, each));
});
test.after.each(async ({ db, directory }) => {
  await db.close();
  await rm(directory, { recursive: true });
});

/** Runs the command of the CronJob as the kubelet does. Returns its exit status and the termination message. */
async function runTasks({ db, directory }: Context, more: Record<string, string> = {}) {
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

const now = () => Math.floor(Date.now() / 1000);

inPhp("counts people, courses and stored files, and then runs the scheduled tasks", async (context) => {
  const { db, directory } = context;
  await db.sql(
    `insert into mdl_user (username, deleted, lastaccess) values ('guest', 0, ${now()}), ('ann', 0, ${now()}),
    ('bob', 0, ${now() - 29 * 86400}), ('eve', 0, ${now() - 31 * 86400}), ('new', 0, 0), ('gone', 1, ${now()})`,
  );
  await db.sql("insert into mdl_course (category) values (0), (1), (1)");
  await db.sql(
    "insert into mdl_config_plugins (plugin, name, value) values ('tool_task', 'lastcronstart', '1795000000')",
  );
  await db.sql(
    `insert into mdl_files (contenthash, filesize, referencefileid) values ('a', 1000, null), ('a', 1000, null),
    ('b', 234, null), ('c', 9999, 4)`,
  );
  await writeFile(join(directory, "html/big"), Buffer.alloc(300_000, 1));
  const { status, output, message } = await runTasks(context);
  assert.is(status, 1, "the exit status is that of the scheduled tasks, whose script is missing here");
  assert.match(output, "Could not open input file: /var/www/html/admin/cli/cron.php");
  const line = parseUsageLine(message!)!;
  assert.equal(
    [line.content, line.users, line.activeUsers, line.courses, line.tasksAt],
    [1234, 4, 2, 2, 1_795_000_000],
  );
  assert.ok(line.database! > 1_000_000 && line.databaseLog! > 0 && Math.abs(line.at - now()) < 600);
  assert.ok(line.folders! >= 300_000 && line.disk! > line.diskUsed! && line.diskUsed! > 0);
  assert.ok(message!.length < 400, "short enough for what other checks add");
});

inPhp("names the settings whose value differs from what the hub shares", async (context) => {
  await context.db.sql(
    `insert into mdl_config (name, value) values ('lang', 'fr'), ('forcelogin', '1'), ('theme', 'boost')`,
  );
  await context.db.sql(
    `insert into mdl_config_plugins (plugin, name, value) values ('local_wheelwright', 'shared_lang', 'de'),
    ('local_wheelwright', 'former_lang', '"en"'), ('local_wheelwright', 'shared_forcelogin', '1'),
    ('local_wheelwright', 'shared_timezone', 'Europe/Berlin'), ('other', 'shared_theme', 'classic')`,
  );
  assert.equal(parseUsageLine((await runTasks(context)).message!)!.changedSettings, ["lang", "timezone"]);
});

inPhp("repeats the line until it is 15 minutes old, and also if the database does not answer", async (context) => {
  const { message } = await runTasks(context), file = join(context.directory, "data/wheelwright-usage.json");
  await context.db.sql("insert into mdl_course (category) values (1)");
  assert.is((await runTasks(context)).message, message);
  const old = JSON.parse(await readFile(file, "utf8")), earlier = now() - 901;
  await writeFile(file, JSON.stringify({ ...old, at: earlier }));
  assert.is(parseUsageLine((await runTasks(context, { DB_NAME: "nowhere" })).message!)!.at, earlier);
  const later = parseUsageLine((await runTasks(context)).message!)!;
  assert.equal([later.courses, later.foldersAt], [1, old.foldersAt]);
});

inPhp("writes a line for an incomplete installation, and after a damaged or future line", async (context) => {
  await context.db.sql("drop table mdl_user");
  await writeFile(join(context.directory, "data/wheelwright-usage.json"), '{"at": 99999999999, "users": 7');
  const line = parseUsageLine((await runTasks(context)).message!)!;
  assert.equal([line.users, line.activeUsers, line.courses, line.tasksAt], [null, null, 0, null]);
  await writeFile(join(context.directory, "data/wheelwright-usage.json"), '{"at": 99999999999, "users": 7}');
  assert.ok(parseUsageLine((await runTasks(context)).message!)!.at <= now());
});

/** Writes a program in the place of Moodle's checks, which prints this text and ends with this status. */
async function writeChecks({ directory }: Context, text: string, status: number): Promise<void> {
  await mkdir(join(directory, "html/admin/cli"), { recursive: true });
  const program = `<?php echo $argv[1] === "--type=status" ? ${JSON.stringify(text)} : "wrong type"; exit(${status});`;
  await writeFile(join(directory, "html/admin/cli/checks.php"), program);
}

inPhp("names failing tasks, and says since when a task waits that could run", async (context) => {
  const { db } = context, time = now();
  await db.sql(
    `insert into mdl_task_scheduled (classname, faildelay, disabled) values ('\\core\\task\\send_mail', 240, 0),
    ('\\mod_forum\\task\\cron_task', 86400, 0), ('\\core\\task\\off', 60, 1), ('\\core\\task\\fine', 0, 0)`,
  );
  await db.sql(`insert into mdl_task_adhoc (classname, nextruntime, faildelay, attemptsavailable) values
    ('\\core\\task\\backup', ${time - 20_000}, 0, 12), ('\\core\\task\\given_up', ${time - 90_000}, 60, 0),
    ('\\core\\task\\later', ${time + 900}, 60, 3), ('<b>not a class</b>', ${time + 900}, 999999, 3)`);
  const line = parseUsageLine((await runTasks(context)).message!)!;
  assert.equal([line.failingTasks, line.failingTaskNames, line.tasksWaitingSince], [
    5,
    ["\\mod_forum\\task\\cron_task", "\\core\\task\\send_mail", "\\core\\task\\given_up", "\\core\\task\\later"],
    time - 20_000,
  ]);
  await db.sql("alter table mdl_task_adhoc drop column attemptsavailable"); // as before Moodle 4.2
  const older = parseUsageLine((await runTasks(context, { MEASURE_SECONDS: "-1" })).message!)!;
  assert.is(older.tasksWaitingSince, time - 90_000);
});

inPhp("makes Moodle's own checks once an hour, and names those of Moodle that failed", async (context) => {
  const critical = "CRITICAL: Upgrade (core_upgradecheck)\nWARNING: Ad hoc (tool_task_adhocqueue)\n" +
    "CRITICAL: Theirs (tool_heartbeat_authcheck)\nCRITICAL: Delay (tool_task_maxfaildelay)\n";
  await writeChecks(context, critical, 2);
  const first = parseUsageLine((await runTasks(context)).message!)!;
  assert.equal(first.failedChecks, ["core_upgradecheck", "tool_task_maxfaildelay"]);
  await writeChecks(context, "OK: All 'status' checks OK", 0);
  const again = parseUsageLine((await runTasks(context, { MEASURE_SECONDS: "-1" })).message!)!;
  assert.equal([again.failedChecks, again.checkedAt], [first.failedChecks, first.checkedAt]);
  const later = await runTasks(context, { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" });
  assert.equal(parseUsageLine(later.message!)!.failedChecks, []);
  await writeChecks(context, "PHP Fatal error", 255);
  const broken = await runTasks(context, { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" });
  assert.is(parseUsageLine(broken.message!)!.failedChecks, null);
});

inPhp("stays below the size of a termination message, however long the names are", async (context) => {
  const name = (i: number) => `\\\\${"n".repeat(118)}${i}`;
  await context.db.sql(`insert into mdl_task_scheduled (classname, faildelay) values
    ${Array.from({ length: 30 }, (_, i) => `('${name(i).slice(1, 120)}${i}', 60)`).join(", ")}`);
  const checks = Array.from({ length: 30 }, (_, i) => `CRITICAL: x (core_${"c".repeat(55)}${i})`).join("\n");
  await writeChecks(context, checks, 2);
  const { message } = await runTasks(context), line = parseUsageLine(message!)!;
  assert.is(line.failingTasks, 30);
  assert.is(line.failedChecks!.length, 10);
  assert.ok(message!.length < 3000, `${message!.length} bytes`);
});

/** Writes a config.php in the place of Moodle's, with a plugin manager that knows these plugins. */
async function writePlugins({ directory }: Context, plugins: string): Promise<void> {
  const program = `<?php
    class plugin {
      public $component, $source, $versiondisk, $versiondb, $enabled;
      function __construct($component, $source, $versiondisk, $versiondb, $enabled) {
        foreach (get_defined_vars() as $name => $value) $this->$name = $value;
      }
      function is_enabled() { return $this->enabled; }
    }
    class core_plugin_manager {
      static function instance() { return new self; }
      function get_plugins() { echo "A notice"; return ['mod' => ${plugins}]; }
    }`;
  await writeFile(join(directory, "html/config.php"), program);
}

inPhp(
  "lists add-ons once an hour, with their versions, and keeps the list while an add-on is broken",
  async (context) => {
    await writePlugins(
      context,
      `[new plugin('mod_forum', 'std', 2024100700, 2024100700, true),
    new plugin('theme_space', 'ext', 2024101100.05, 2024101100, null), new plugin('mod_off', 'ext', 2023, 2022, false),
    new plugin('block_gone', 'ext', null, 2021, true)]`,
    );
    const first = parseUsageLine((await runTasks(context)).message!)!;
    const addons = [
      { component: "block_gone", version: 2021, enabled: true },
      { component: "mod_off", version: 2023, enabled: false },
      { component: "theme_space", version: 2024101100.05, enabled: true },
    ];
    assert.equal([first.addons, first.addonCount], [addons, 3]);
    assert.ok(Math.abs(first.addonsAt! - now()) < 600);
    await writePlugins(context, "[new plugin('mod_new', 'ext', 1, 1, true)]");
    const again = parseUsageLine((await runTasks(context, { MEASURE_SECONDS: "-1" })).message!)!;
    assert.equal([again.addons, again.addonsAt], [addons, first.addonsAt]);
    const hourly = { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" };
    assert.equal(parseUsageLine((await runTasks(context, hourly)).message!)!.addons!.map((each) => each.component), [
      "mod_new",
    ]);
    await writePlugins(context, "throw new Exception('broken')");
    const broken = parseUsageLine((await runTasks(context, hourly)).message!)!;
    assert.equal([broken.addons!.length, broken.addonCount], [1, 1]);
    assert.is((await runTasks(context, hourly)).status, 1, "the scheduled tasks run");
  },
);

inPhp("leaves out add-ons that do not fit into the message, but counts them", async (context) => {
  await writePlugins(
    context,
    "array_map(fn($i) => new plugin('mod_' . str_pad('x', 30, 'x') . $i, 'ext', 2024101100, 1, true), range(100, 399))",
  );
  const { message } = await runTasks(context), line = parseUsageLine(message!)!;
  assert.is(line.addonCount, 300);
  assert.ok(line.addons!.length > 50 && line.addons!.length < 100, `${line.addons!.length} add-ons`);
  assert.ok(message!.length <= 4000, `${message!.length} bytes`);
});

test.run();
