/** Tests the output and exit statuses of `wheelwright audit` as a process. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { createId } from "#lib/base/ids.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { UsageError } from "#src/cli/exit-status.ts";
import { verifyAuditLog } from "#src/commands/audit.ts";
import { migrations } from "#src/migrations.ts";
import { eventAt, sealAll, tamper, write } from "#test/lib/audit/scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  directory: string;
  hub: string;
  run: (...line: string[]) => Promise<Result>;
}

interface Result {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly text: string;
  /** The first line of output that is JSON. */
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

const test = suite<Scene>("wheelwright audit");

async function run(line: readonly string[], env: Record<string, string>): Promise<Result> {
  const program = startProgram(["audit", ...line], env);
  const status = await program.ended;
  const json = program.lines.find((text) => /^[[{]/.test(text));
  return { status, lines: program.lines, text: program.lines.join("\n"), json: json && JSON.parse(json) };
}

test.before(async (scene) => {
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-audit-"));
});
test.before.each(async (scene) => {
  const db = scene.db = await openTestDatabase();
  scene.hub = await insertHub(db, await insertUser(db));
  await write(db, scene.hub, 20);
  await write(db, null, 5);
  await sealAll(db);
  scene.run = (...line) => run(line, { DATABASE_URL: db.url });
});
test.after.each(({ db }) => db.close());
test.after(({ directory }) => rm(directory, { recursive: true }));

test("heads prints one line per chain, and verify reads such a file after the chains have grown", async (scene) => {
  const heads = await scene.run("heads");
  assert.is(heads.status, 0);
  assert.equal(heads.lines.map((line) => line.replace(/[0-9a-f]{64}$/, "HASH")), [
    `${scene.hub}:20:HASH`,
    "system:5:HASH",
  ]);
  const file = join(scene.directory, "heads");
  await writeFile(file, `${heads.text}\n\n`);
  await write(scene.db, scene.hub, 3);
  await sealAll(scene.db);
  await write(scene.db, null, 2);
  const { status, text } = await scene.run("verify", "--against", file);
  assert.is(status, 0, text);
  assert.match(text, /^CHAIN +SEALED +UNSEALED +EXPORTED +RESULT$/m);
  assert.match(text, new RegExp(`^${scene.hub} +23 +0 +20 +matches seals and exported heads$`, "m"));
  assert.match(text, /^system +5 +2 +5 +matches seals and exported heads$/m);
  assert.match(text, /^Not sealed yet: 2 events\. For these, only the number was checked, not the content\.$/m);
  assert.match(text, /^Events after the number in column EXPORTED/m);
});

test("verify without heads explains its limits", async ({ run }) => {
  const { status, text } = await run("verify");
  assert.is(status, 0);
  assert.match(text, /^system +5 +0 +- +matches seals$/m);
  assert.match(text, /which the table owner can also change/);
});

test("exits with 1 for a changed event, and names its chain and position", async (scene) => {
  const early = (await scene.run("heads", "--chain", scene.hub)).text;
  await write(scene.db, scene.hub, 10);
  await sealAll(scene.db);
  const late = (await scene.run("heads", "--chain", scene.hub)).text;
  await tamper(scene.db, `update audit_events set ip = 'x' where id = '${await eventAt(scene.db, scene.hub, 25)}'`);
  const { status, text } = await scene.run("verify", "--against", early, "--against", late);
  assert.is(status, 1);
  assert.match(text, new RegExp(`^${scene.hub} +30 +0 +30 +DOES NOT MATCH$`, "m"));
  assert.match(text, /^system +5 +0 +- +matches seals$/m);
  assert.match(
    text,
    /^ {2}Events up to 20 match the export\. The first difference is in one of the events 21 to 30\.$/m,
  );
  assert.match(text, new RegExp(`^The audit log does not match: ${scene.hub}$`, "m"));
  const { status: other } = await scene.run("verify", "--chain", "system");
  assert.is(other, 0);
});

test("exits with 1 for an event that was deleted before it was sealed", async (scene) => {
  await write(scene.db, null, 2);
  await tamper(
    scene.db,
    "delete from audit_events where at = (select max(at) from audit_events where federation_id is null)",
  );
  const { status, text } = await scene.run("verify");
  assert.is(status, 1);
  assert.match(text, /^system +5 +1 +- +DOES NOT MATCH$/m);
  assert.match(text, /^ {2}The database counted 7 events, but 6 are left: events were deleted or moved\.$/m);
});

test("detects a deleted chain by its exported head", async (scene) => {
  const heads = (await scene.run("heads", "--json")).json;
  assert.equal(heads.map(({ chain, count }: { chain: string; count: number }) => [chain, count]), [
    [scene.hub, 20],
    ["system", 5],
  ]);
  const system = `system:5:${heads[1].hash}`;
  await tamper(
    scene.db,
    "delete from audit_events where federation_id is null",
    "delete from audit_seals where chain = 'system'",
    "delete from audit_counts where chain = 'system'",
  );
  assert.is((await scene.run("verify")).status, 0);
  const { status, json, text } = await scene.run("verify", "--json", "--against", system);
  assert.is(status, 1);
  assert.is(json.ok, false);
  assert.equal(json.chains.map((one: { chain: string; ok: boolean }) => [one.chain, one.ok]), [
    [scene.hub, true],
    ["system", false],
  ]);
  assert.equal(json.chains[1].differs, { after: 0, through: 5 });
  assert.match(text, /The log ends too early/);
});

test("rejects invalid heads, files, chains and subcommands as usage errors", async ({ run, directory }) => {
  const [wrong, empty, none] = ["wrong", "empty", "none"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(wrong, "\nsystem:5:abc\n");
  await writeFile(empty, "\n");
  const lines: [Parameters<typeof verifyAuditLog>[0], RegExp][] = [
    [{ chain: "north" }, /--chain must be "system" or the ID of a hub/],
    [{ against: [none] }, /neither a head \(CHAIN:COUNT:HASH\) nor a readable file/],
    [{ against: [wrong] }, /Line 2 of .*wrong is not a head/],
    [{ against: [empty] }, /--against contains no head/],
    [{ chain: createId("fed"), against: [`system:5:${"a".repeat(64)}`] }, /contains no head of fed_/],
  ];
  for (const [options, message] of lines) {
    const error = await rejection(verifyAuditLog(options));
    assert.instance(error, UsageError);
    assert.match(error.message, message);
  }
  for (const line of [["seal"], ["heads", "--against", "x"]]) assert.is((await run(...line)).status, 2);
  const { status, text } = await run("verify", "--chain", createId("fed"));
  assert.is(status, 2);
  assert.match(text, /^This database has no audit chain fed_\w+$/m);
});

test("reports a missing, unnamed or unmigrated database in one sentence", async ({ db, directory }) => {
  const cases: [Record<string, string>, number, RegExp][] = [
    [
      { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
      69,
      /^The database cannot be reached .*: connection refused/,
    ],
    [{ DATA_DIR: join(directory, "nothing") }, 78, /DATABASE_URL is missing/],
    [{ DATABASE_URL: await db.freshUrl() }, 69, /Run 'wheelwright migrate'/],
  ];
  for (const [env, expected, message] of cases) {
    const { status, text } = await run(["verify"], env);
    assert.is(status, expected, text);
    assert.match(text, message);
    assert.not.match(text, /\bat .*\.ts:\d+/, "no stack");
  }
  assert.not.ok(existsSync(join(directory, "nothing")));
});

test("uses the running database of dev if no variables are set", async ({ directory }) => {
  const dev = join(directory, "dev");
  const server = await startEmbeddedPostgres({ directory: join(dev, "postgres"), durable: false, log: SILENT_LOG });
  try {
    await migrate(server.url, migrations);
    const { status, text } = await run(["verify"], { DATA_DIR: dev });
    assert.equal([status, text], [0, "The audit log is empty"]);
    const [row] = await withAdminConnection(server.url, (sql) => sql`select 1 as one`);
    assert.is(row!.one, 1);
  } finally {
    await server.stop();
  }
});

test.run();
