/** Tests `wheelwright restore --library` as a process, after the packages of a hub's course were lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  backUpLibrary,
  type LibraryScene,
  listStoredPackages,
  openLibraryScene,
  publishEdition,
} from "#test/lib/workers/courses/library-scene.ts";
import { startProgram } from "#test/support/program.ts";

const test = suite<LibraryScene>("wheelwright restore --library");
test.before(openLibraryScene);
test.after(({ scene }) => scene.close());

async function run({ scene }: LibraryScene, ...options: string[]) {
  const program = startProgram(["restore", "--library", ...options], { DATABASE_URL: scene.db.url });
  return { status: await program.ended, text: program.lines.join("\n") };
}

test("lists the backups, shows what would happen, and restores the packages", async (context) => {
  const sha256 = await publishEdition(context, 1), { volumes } = context.scene.simulator;
  assert.equal(await run(context, "--hub", "north", "--list"), { status: 0, text: "No backups." });
  const none = await run(context, "--hub", "north");
  assert.match(none.text, "The library of the hub north has no backup that is ready");
  await backUpLibrary(context);
  assert.match(
    (await run(context, "--hub", "north", "--list")).text,
    /BACKUP +TAKEN +PACKAGES +SIZE\nlib_\w+ .* UTC +1/,
  );
  const [handle] = volumes.entries().find(([, { packages = {} }]) => sha256 in packages)!;
  volumes.write(handle, { packages: {} });
  const preview = await run(context, "--hub", "north", "--dry-run");
  assert.match(
    preview.text,
    /Missing packages of the hub north would be copied from the backup lib_\w+ of .* UTC\.\nNothing/,
  );
  const { status, text } = await run(context, "--hub", "north");
  assert.is(status, 0, text);
  assert.match(text, "Done: the operation succeeded");
  assert.equal(listStoredPackages(context), [sha256]);
});

test("needs a hub, and no spoke", async (context) => {
  const message = "--library needs --hub HUB, and no SPOKE";
  for (const options of [[], ["north/ash", "--hub", "north"]]) {
    assert.match((await run(context, ...options)).text, message);
  }
  const other = await run(context, "--hub", "north", "--back");
  assert.match(other.text, "--library can be combined only with");
  assert.match((await run(context, "--hub", "nowhere")).text, "No hub nowhere found");
});

test.run();
