/** Tests the file of `login`: its permissions and atomic writes. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { changeSettings, findSettingsPath, readSettings, type ServerProfile } from "#src/cli/settings.ts";
import { rejection } from "#test/support/until.ts";
import { canMount, mountSmall, unmount } from "./cli-fixture.ts";

const test = suite<{ base: string; file: string }>("the file of login");

const PROFILE: ServerProfile = {
  url: "https://a.example",
  token: "ww_cli_one",
  tokenId: "tok_1",
  email: "ada@school.example",
};
const add = (file: string, name: string) =>
  changeSettings(file, ({ profiles }) => ({ profiles: { ...profiles, [name]: PROFILE } }));
const silent = () => {};

test.before.each(async (context) => {
  context.base = await mkdtemp(join(tmpdir(), "wheelwright-settings-"));
  context.file = findSettingsPath({ XDG_CONFIG_HOME: context.base });
});
test.after.each(async ({ base }) => {
  unmount(base);
  await rm(base, { recursive: true, force: true });
});

test("is in XDG_CONFIG_HOME, or in .config by default", () => {
  assert.is(findSettingsPath({ XDG_CONFIG_HOME: "/etc/xdg", HOME: "/home/ada" }), "/etc/xdg/wheelwright/servers.json");
  assert.is(
    findSettingsPath({ XDG_CONFIG_HOME: "here", HOME: "/home/ada" }),
    "/home/ada/.config/wheelwright/servers.json",
  );
});

test("is readable only by its user", async ({ file }) => {
  await add(file, "one");
  const modes = [(await stat(file)).mode & 0o777, (await stat(dirname(file))).mode & 0o777];
  assert.equal(modes, [0o600, 0o700]);
  assert.equal(readSettings(file, silent).profiles, { one: PROFILE });
});

test("causes a warning if other users can read it", async ({ file }) => {
  await add(file, "one");
  await chmod(file, 0o644);
  const warnings: string[] = [];
  readSettings(file, (text) => warnings.push(text));
  assert.is(warnings.length, 1);
  assert.match(warnings[0]!, /Other users of this machine can read .*chmod 600/);
});

test("stores the profiles of simultaneous logins", async ({ file }) => {
  const names = ["one", "two", "three", "four"];
  await Promise.all(names.map((name) => add(file, name)));
  assert.equal(Object.keys(readSettings(file, silent).profiles).sort(), [...names].sort());
  assert.equal(await readdir(dirname(file)), ["servers.json"]);
});

test("remains unchanged if it is malformed", async ({ file }) => {
  await mkdir(dirname(file), { recursive: true });
  for (const text of ["{", "[]", '{"profiles": {"one": {"url": 3}}}']) {
    await writeFile(file, text, { mode: 0o600 });
    assert.match((await rejection(add(file, "two"))).message, /is not a valid settings file/);
    assert.is(await readFile(file, "utf8"), text);
  }
});

test("remains unchanged in a read-only directory", async ({ base }) => {
  await writeFile(join(base, "in-the-way"), "");
  const { message } = await rejection(add(findSettingsPath({ XDG_CONFIG_HOME: join(base, "in-the-way") }), "one"));
  assert.match(message, /^Cannot use \S+servers\.json: .*. To use another directory, set XDG_CONFIG_HOME$/);
});

(canMount ? test : test.skip)(
  "remains unchanged on a full disk",
  async ({ base, file }) => {
    const fill = mountSmall(base);
    await add(file, "one");
    fill();
    const before = await readFile(file, "utf8");
    const { message } = await rejection(add(file, "two"));
    assert.match(message, /^Cannot use \S+servers\.json: the disk is full\. [^\n]+$/);
    assert.is(await readFile(file, "utf8"), before);
    assert.equal(await readdir(dirname(file)), ["servers.json"]);
  },
);

test.run();
