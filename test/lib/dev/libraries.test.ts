/** Tests the links to PostgreSQL's libraries, which npm packages cannot contain. */
import { mkdir, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linkPostgresLibraries } from "#lib/dev/embedded/data-directory.ts";

const test = suite<{ directory: string }>("linkPostgresLibraries");

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-libraries-"));
  await mkdir(join(context.directory, "native/lib"), { recursive: true });
});
test.after.each(({ directory }) => rm(directory, { recursive: true, force: true }));

test("creates the listed links, also in parallel and repeatedly", async ({ directory }) => {
  const links = ["libpq.so", "libpq.so.5"].map((name) => (
    { source: "native/lib/libpq.so.5.18", target: `native/lib/${name}` }
  ));
  await writeFile(join(directory, links[0]!.source), "");
  await writeFile(join(directory, "native/pg-symlinks.json"), JSON.stringify(links));
  await Promise.all([linkPostgresLibraries(directory), linkPostgresLibraries(directory)]);
  await linkPostgresLibraries(directory);
  for (const { target } of links) assert.is(await readlink(join(directory, target)), "libpq.so.5.18");
});

test("does nothing for a package without a list", ({ directory }) => linkPostgresLibraries(directory));

test.run();
