/** Tests usage.php and the command of the CronJob with a real PHP, shell, database and files. Skipped without PHP. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseUsageLine } from "#lib/moodle/usage-line.ts";
import { missingPhpReason } from "#test/support/php.ts";
import { closeSiteOnDisk, openSiteOnDisk, runUsageScript, type SiteOnDisk } from "./usage-script.ts";

const test = suite<SiteOnDisk>(`usage.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;
test.before.each(async (context) => void Object.assign(context, await openSiteOnDisk()));
test.after.each(closeSiteOnDisk);

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
  const { status, output, message } = await runUsageScript(context);
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
  assert.equal(parseUsageLine((await runUsageScript(context)).message!)!.changedSettings, ["lang", "timezone"]);
});

inPhp("repeats the line until it is 15 minutes old, and also if the database does not answer", async (context) => {
  const { message } = await runUsageScript(context), file = join(context.directory, "data/wheelwright-usage.json");
  await context.db.sql("insert into mdl_course (category) values (1)");
  assert.is((await runUsageScript(context)).message, message);
  const old = JSON.parse(await readFile(file, "utf8")), earlier = now() - 901;
  await writeFile(file, JSON.stringify({ ...old, at: earlier }));
  assert.is(parseUsageLine((await runUsageScript(context, { DB_NAME: "nowhere" })).message!)!.at, earlier);
  const later = parseUsageLine((await runUsageScript(context)).message!)!;
  assert.equal([later.courses, later.foldersAt], [1, old.foldersAt]);
});

inPhp("writes a line for an incomplete installation, and after a damaged or future line", async (context) => {
  await context.db.sql("drop table mdl_user");
  await writeFile(join(context.directory, "data/wheelwright-usage.json"), '{"at": 99999999999, "users": 7');
  const line = parseUsageLine((await runUsageScript(context)).message!)!;
  assert.equal([line.users, line.activeUsers, line.courses, line.tasksAt], [null, null, 0, null]);
  await writeFile(join(context.directory, "data/wheelwright-usage.json"), '{"at": 99999999999, "users": 7}');
  assert.ok(parseUsageLine((await runUsageScript(context)).message!)!.at <= now());
});

/** Writes a program in the place of Moodle's checks, which prints this text and ends with this status. */
async function writeChecks({ directory }: SiteOnDisk, text: string, status: number): Promise<void> {
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
  const line = parseUsageLine((await runUsageScript(context)).message!)!;
  assert.equal([line.failingTasks, line.failingTaskNames, line.tasksWaitingSince], [
    5,
    ["\\mod_forum\\task\\cron_task", "\\core\\task\\send_mail", "\\core\\task\\given_up", "\\core\\task\\later"],
    time - 20_000,
  ]);
  await db.sql("alter table mdl_task_adhoc drop column attemptsavailable"); // as before Moodle 4.2
  const older = parseUsageLine((await runUsageScript(context, { MEASURE_SECONDS: "-1" })).message!)!;
  assert.is(older.tasksWaitingSince, time - 90_000);
});

inPhp("makes Moodle's own checks once an hour, and names those of Moodle that failed", async (context) => {
  const critical = "CRITICAL: Upgrade (core_upgradecheck)\nWARNING: Ad hoc (tool_task_adhocqueue)\n" +
    "CRITICAL: Theirs (tool_heartbeat_authcheck)\nCRITICAL: Delay (tool_task_maxfaildelay)\n";
  await writeChecks(context, critical, 2);
  const first = parseUsageLine((await runUsageScript(context)).message!)!;
  assert.equal(first.failedChecks, ["core_upgradecheck", "tool_task_maxfaildelay"]);
  await writeChecks(context, "OK: All 'status' checks OK", 0);
  const again = parseUsageLine((await runUsageScript(context, { MEASURE_SECONDS: "-1" })).message!)!;
  assert.equal([again.failedChecks, again.checkedAt], [first.failedChecks, first.checkedAt]);
  const later = await runUsageScript(context, { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" });
  assert.equal(parseUsageLine(later.message!)!.failedChecks, []);
  await writeChecks(context, "PHP Fatal error", 255);
  const broken = await runUsageScript(context, { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" });
  assert.is(parseUsageLine(broken.message!)!.failedChecks, null);
});

inPhp("stays below the size of a termination message, however long the names are", async (context) => {
  const name = (i: number) => `\\\\${"n".repeat(118)}${i}`;
  await context.db.sql(`insert into mdl_task_scheduled (classname, faildelay) values
    ${Array.from({ length: 30 }, (_, i) => `('${name(i).slice(1, 120)}${i}', 60)`).join(", ")}`);
  const checks = Array.from({ length: 30 }, (_, i) => `CRITICAL: x (core_${"c".repeat(55)}${i})`).join("\n");
  await writeChecks(context, checks, 2);
  const { message } = await runUsageScript(context), line = parseUsageLine(message!)!;
  assert.is(line.failingTasks, 30);
  assert.is(line.failedChecks!.length, 10);
  assert.ok(message!.length < 3000, `${message!.length} bytes`);
});

/** Writes a config.php in the place of Moodle's, with a plugin manager that knows these plugins. */
async function writePlugins({ directory }: SiteOnDisk, plugins: string): Promise<void> {
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
    const first = parseUsageLine((await runUsageScript(context)).message!)!;
    const addons = [
      { component: "block_gone", version: 2021, enabled: true },
      { component: "mod_off", version: 2023, enabled: false },
      { component: "theme_space", version: 2024101100.05, enabled: true },
    ];
    assert.equal([first.addons, first.addonCount], [addons, 3]);
    assert.ok(Math.abs(first.addonsAt! - now()) < 600);
    await writePlugins(context, "[new plugin('mod_new', 'ext', 1, 1, true)]");
    const again = parseUsageLine((await runUsageScript(context, { MEASURE_SECONDS: "-1" })).message!)!;
    assert.equal([again.addons, again.addonsAt], [addons, first.addonsAt]);
    const hourly = { MEASURE_SECONDS: "-1", CHECK_SECONDS: "-1" };
    assert.equal(
      parseUsageLine((await runUsageScript(context, hourly)).message!)!.addons!.map((each) => each.component),
      [
        "mod_new",
      ],
    );
    await writePlugins(context, "throw new Exception('broken')");
    const broken = parseUsageLine((await runUsageScript(context, hourly)).message!)!;
    assert.equal([broken.addons!.length, broken.addonCount], [1, 1]);
    assert.is((await runUsageScript(context, hourly)).status, 1, "the scheduled tasks run");
  },
);

inPhp("leaves out add-ons that do not fit into the message, but counts them", async (context) => {
  await writePlugins(
    context,
    "array_map(fn($i) => new plugin('mod_' . str_pad('x', 30, 'x') . $i, 'ext', 2024101100, 1, true), range(100, 399))",
  );
  const { message } = await runUsageScript(context), line = parseUsageLine(message!)!;
  assert.is(line.addonCount, 300);
  assert.ok(line.addons!.length > 50 && line.addons!.length < 100, `${line.addons!.length} add-ons`);
  assert.ok(message!.length <= 4000, `${message!.length} bytes`);
});

test.run();
