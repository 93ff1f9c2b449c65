/** Tests which program reads the rows of `wheelwright backup`. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rowsIn } from "#test/lib/drivers/dump/dump-scene.ts";
import { type BackupContext, withBackups } from "#test/src/commands/backup-fixture.ts";

const test = suite<BackupContext>("streamPgDump");
withBackups(test);

/** Installs a fake pg_dump that writes one user and records its arguments. */
async function fakePgDump(directory: string, { version = "99.1", then = "exit 0" } = {}): Promise<string> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  await writeFile(
    join(bin, "pg_dump"),
    `#!/bin/sh
if [ "$1" = --version ]; then echo "pg_dump (PostgreSQL) ${version} (Debian)"; exit 0; fi
echo "$@" > '${directory}/called'
cat <<'END'
--
-- PostgreSQL database dump
--

\\restrict abc

SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);

--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, email, display_name) FROM stdin;
usr_0	by@pg.dump	\\\\N
\\.


SELECT pg_catalog.setval('public.jobs_seq_seq', 1, false);

\\unrestrict abc
END
${then}
`,
  );
  await chmod(join(bin, "pg_dump"), 0o755);
  return `${bin}${delimiter}${process.env.PATH}`;
}

test("reads the rows with a compatible pg_dump in the same snapshot", async ({ run, file, db, directory }) => {
  const PATH = await fakePgDump(directory), { password } = new URL(db.url);
  const { status, text } = await run(["backup", file], { DATABASE_URL: db.url, PATH });
  assert.is(status, 0, text);
  assert.match(text, "1 table, 1 rows");
  assert.match(text, "read by pg_dump");
  const called = await readFile(join(directory, "called"), "utf8");
  assert.match(called, /--data-only .*--snapshot=[\dA-F-]+ .*--table="public"."users"/);
  assert.ok(password === "" || !called.includes(password));
  assert.not.match(called, "sessions");
  const url = await db.freshUrl();
  const restored = await run(["restore-database", file], { DATABASE_URL: url });
  assert.is(restored.status, 0, restored.text);
  assert.equal((await rowsIn(url)).users!.length, 1);
});

test("reads with COPY if pg_dump is older than the server or cannot connect", async ({ run, file, db, directory }) => {
  for (const fake of [{ version: "9.6.24" }, { then: "exit 1" }]) {
    const PATH = await fakePgDump(directory, fake);
    if (fake.then) {
      await writeFile(join(directory, "bin/pg_dump"), "#!/bin/sh\n[ $1 = --version ] && echo 99 || exit 1\n");
    }
    const { status, text } = await run(["backup", file], { DATABASE_URL: db.url, PATH });
    assert.is(status, 0, text);
    assert.match(text, /\d+ tables, .*read by COPY/);
    await rm(join(directory, "bin"), { recursive: true });
  }
});

test("leaves no file if pg_dump fails", async ({ run, file, db, directory }) => {
  const PATH = await fakePgDump(directory, { then: "echo 'pg_dump: error: connection lost' >&2; exit 1" });
  const { status, text } = await run(["backup", file], { DATABASE_URL: db.url, PATH });
  assert.is(status, 69, text);
  assert.match(text, "pg_dump ended with status 1: pg_dump: error: connection lost");
  assert.equal((await readdir(directory)).filter((name) => name.startsWith("it")), []);
});

test.run();
