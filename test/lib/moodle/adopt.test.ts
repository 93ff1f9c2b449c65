/** Tests the scripts of adopt.yaml with a real PostgreSQL and a real directory. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SiteOrigin } from "#lib/moodle/inputs.ts";
import { findFailureCause } from "#lib/moodle/log-causes.ts";
import { adoptionScript, openVolumes, secretsIn, type Volumes } from "#test/lib/moodle/adoption-volumes.ts";
import { rejection } from "#test/support/until.ts";

const NEW = { adoptionId: "k5r2dg7w1x", identity: "new" } as const,
  SAME = { adoptionId: "k5r2dg7w1x", identity: "same" } as const;
const OTHER: SiteOrigin = { adoptionId: "9n3m8k5r2d", identity: "new" };
const valueOf = "select value from mdl_config where name = ";

const test = suite<{ volumes: Volumes }>("adopt.yaml: database");
test.before(async (context) => {
  context.volumes = await openVolumes();
});
test.after(({ volumes }) => volumes.close());

test("removes all secrets of the original from a separate site, and keeps its data", async ({ volumes }) => {
  const volume = await volumes.copy();
  const { code, said: output } = await volume.adopt(NEW);
  assert.equal([code, output.split("\n").includes("adopted")], [0, true], output);
  assert.not.match(output, /it's new|it''s new|insert into/, "no statement is logged");
  await volume.ask("it's new", async (sql) => {
    assert.equal(await secretsIn(sql), []);
    const [identifier] = await sql.unsafe(`${valueOf}'siteidentifier'`);
    assert.match(identifier!["value"], /^[0-9a-f]{32}biology\.spokes\.example\.org$/);
    const [salt] = await sql.unsafe(`${valueOf}'calendar_exportsalt'`);
    assert.is(salt!["value"].length, 36, "an empty salt would be known to everybody");
    assert.equal([...await sql.unsafe(`${valueOf}'noemailever'`)], [{ value: "1" }]);
    assert.equal([...await sql.unsafe(`${valueOf}'chat_serverhost'`)], [{ value: "biology.spokes.example.org" }]);
    assert.equal([...await sql.unsafe(`${valueOf}'marked'`)], [{ value: "as it was" }]);
    assert.equal([...await sql`select value from mdl_config_plugins`], [{ value: "in by people" }]);
    assert.equal([...await sql`select count(*)::int as n from mdl_course`], [{ n: 1000 }]);
  });
});

test("ends the sessions of a site that continues, and keeps its keys", async ({ volumes }) => {
  const volume = await volumes.copy(), [before, after] = [await volumes.copy(), volume];
  assert.is((await volume.adopt(SAME)).code, 0);
  await before.adopt({ ...SAME, adoptionId: OTHER.adoptionId }); // for the password alone
  const places = await before.ask("it's new", secretsIn);
  assert.ok(places.length > 10, places.join());
  await after.ask("it's new", async (sql) => {
    assert.equal(await secretsIn(sql), places);
    assert.equal([...await sql`select * from mdl_sessions`], []);
    assert.equal([...await sql.unsafe(`${valueOf}'noemailever'`)], [{ value: "0" }]);
  });
});

test("runs once per adoption ID, and sets the password at each start", async ({ volumes }) => {
  const volume = await volumes.copy(), identifier = `${valueOf}'siteidentifier'`, password = `"'; $x \\ %s\``;
  await volume.adopt(NEW);
  const [first] = await volume.ask("it's new", async (sql) => {
    await sql`insert into mdl_sessions values ('of the copy itself')`;
    return await sql.unsafe(identifier);
  });
  assert.is((await volume.adopt(NEW, password)).code, 0);
  await volume.ask(password, async (sql) => {
    assert.equal([...await sql.unsafe(identifier)], [first]);
    assert.is((await sql`select * from mdl_sessions`).length, 1);
  });
  assert.match((await rejection(volume.ask("it's new", (sql) => sql`select 1`))).message, /password authentication/);
  assert.is((await volume.adopt(OTHER)).code, 0);
  await volume.ask("it's new", async (sql) => {
    assert.not.equal([...await sql.unsafe(identifier)], [first]);
    assert.equal([...await sql`select * from mdl_sessions`], []);
  });
});

for (
  const [what, harm, code, words] of [
    [
      "an empty volume",
      (data: string) => rm(join(data, "PG_VERSION")),
      "NoSiteInSnapshot",
      /this volume contains no database/,
    ],
    [
      "the data of another major version",
      (data: string) => writeFile(join(data, "PG_VERSION"), "12\n"),
      "OtherPostgres",
      /incompatible/,
    ],
    [
      "a database that is damaged",
      (data: string) => truncate(join(data, "global/pg_control"), 10),
      "DatabaseDamaged",
      /pg_control/,
    ],
  ] as const
) {
  test(`refuses ${what}, with the reason`, async ({ volumes }) => {
    const volume = await volumes.copy();
    await harm(join(volume.directory, "data"));
    const { code: exit, said: output } = await volume.adopt(NEW);
    assert.is.not(exit, 0, output);
    assert.match(output, words);
    assert.not.match(output, /^adopted|it's new|it''s new/m);
    assert.is(findFailureCause(output.split("\n"))?.code, code);
  });
}

test("changes nothing after an error, and is not marked as done", async ({ volumes }) => {
  const volume = await volumes.copy();
  await volume.adopt(SAME);
  await volume.ask("it's new", (sql) => sql`alter table mdl_user rename column secret to other`);
  const { code, said: output } = await volume.adopt(OTHER, "of the second try");
  assert.is.not(code, 0);
  assert.match(output, /FATAL: {2}column "secret" does not exist/);
  assert.not.match(output, /^adopted|second try/m);
  await volume.ask("of the second try", async (sql) => {
    await sql`alter table mdl_user rename column other to secret`;
    assert.ok((await secretsIn(sql)).includes("mdl_config.value"), "one transaction, which is rolled back");
  });
  assert.is((await volume.adopt(OTHER)).code, 0);
});

test("refuses a database without a site", async ({ volumes }) => {
  const volume = await volumes.copy();
  await volume.adopt(SAME);
  await volume.ask("it's new", (sql) => sql`drop table mdl_config`);
  const { code, said: output } = await volume.adopt(OTHER);
  assert.is.not(code, 0);
  assert.is(findFailureCause(output.split("\n"))?.code, "NoSiteInSnapshot", output);
});

test.run();

const files = suite<{ directory: string }>("adopt.yaml: files");
files.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-files-"));
});
files.after.each(({ directory }) => rm(directory, { recursive: true, force: true }));

const LEFT = ["html/config.php", "html/version.php", "moodledata/filedir/aa", "moodledata/muc", "moodledata/secret"];
const PASSING = ["cache", "localcache", "temp", "sessions", "lock", "climaintenance.html"].map((name) =>
  `moodledata/${name}`
);

async function fill(directory: string): Promise<void> {
  for (const path of [...LEFT, ...PASSING]) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), "");
  }
}

async function adopt(directory: string, origin: SiteOrigin): Promise<string> {
  const script = adoptionScript(origin, "app").replace("cd /v", () => `cd '${directory}'`);
  return await promisify(execFile)("/bin/sh", ["-c", script]).then(({ stdout }) => stdout, ({ stdout }) => stdout);
}

const listEntries = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(directory.length + 1)).sort();

files("removes temporary files, and for a separate site also keys and settings", async ({ directory }) => {
  await fill(directory);
  assert.is(await adopt(directory, SAME), "adopted\n");
  assert.equal(await listEntries(directory), [...LEFT, "wheelwright-adopted"]);
  assert.is(await adopt(directory, OTHER), "adopted\n");
  assert.equal(await listEntries(directory), ["html/version.php", "moodledata/filedir/aa", "wheelwright-adopted"]);
});

files("runs once per adoption ID", async ({ directory }) => {
  await fill(directory);
  await adopt(directory, NEW);
  await fill(directory); // the site has its own by now
  await adopt(directory, NEW);
  assert.equal(await listEntries(directory), [...LEFT, ...PASSING, "wheelwright-adopted"].sort());
});

files("refuses an empty volume", async ({ directory }) => {
  const output = await adopt(directory, NEW);
  assert.is(findFailureCause(output.split("\n"))?.code, "NoSiteInSnapshot", output);
  assert.equal(await listEntries(directory), []);
});

files.run();
