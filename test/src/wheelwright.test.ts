/** Tests src/wheelwright.js: started through links, with an old Node, and in a terminal. */
import { spawn, spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { until } from "#test/support/until.ts";
import { hasTerminals } from "./cli/cli-fixture.ts";

const FILE = fileURLToPath(new URL("../../src/wheelwright.js", import.meta.url));
const NODE = "deno" in process.versions
  ? fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url))
  : process.execPath;
const hasNode = spawnSync(NODE, ["--version"]).status === 0;
/** Makes Node report an old version. */
const OLD =
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;

const test = suite<{ directory: string }>("src/wheelwright.js");
const byNode = hasNode ? test : test.skip;

/** Prints its arguments and each signal that it receives. */
const MAIN = `
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => process.stdout.write(\`heard \${name}\\n\`));
process.stdin.on("data", (text) => process.exit(Number(/\\d+/.exec(String(text)))));
process.stdout.write(\`given \${process.argv.slice(2).join(" ")} by \${process.versions.node}\\n\`);
`;

test.before.each(async (context) => {
  const directory = context.directory = await mkdtemp(join(tmpdir(), "wheelwright-start-"));
  await mkdir(join(directory, "clone/src"), { recursive: true });
  await copyFile(FILE, join(directory, "clone/src/wheelwright.js"));
  await writeFile(join(directory, "clone/src/main.ts"), MAIN);
  await writeFile(join(directory, "clone/package.json"), '{"type": "module"}');
});
test.after.each(({ directory }) => rm(directory, { recursive: true, force: true }));

async function bringNode(directory: string): Promise<void> {
  await mkdir(join(directory, "clone/node_modules/.bin"), { recursive: true });
  await symlink(NODE, join(directory, "clone/node_modules/.bin/node"));
}

function start(file: string, args: readonly string[]) {
  const child = spawn(file, args, { env: { PATH: process.env.PATH!, SHELL: "/bin/sh", TERM: "xterm" } });
  let text = "";
  for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (some) => text += some);
  const ended = new Promise((resolve) => child.once("close", (status, signal) => resolve(status ?? signal)));
  return { child, text: () => text, says: (word: string) => until(() => text.includes(word)), ended };
}

byNode("starts through symbolic links, as npm link creates them", async ({ directory }) => {
  const { bin } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  assert.is(bin.wheelwright, "src/wheelwright.js");
  assert.ok((await stat(FILE)).mode & 0o100, "it can be executed");
  await symlink(FILE, join(directory, "linked"));
  await symlink(join(directory, "linked"), join(directory, "wheelwright"));
  const { text, ended } = start(NODE, [join(directory, "wheelwright"), "--version"]);
  assert.is(await ended, 0, text());
  assert.match(text(), /^wheelwright \d/);
});

byNode("starts again with the Node that npm installed if the first Node is too old", async ({ directory }) => {
  await bringNode(directory);
  const again = start(NODE, ["--import", OLD, join(directory, "clone/src/wheelwright.js"), "spokes", "a  b"]);
  await again.says("given spokes a  b by ");
  assert.not.match(again.text(), / by 20\.1\.0/);
  process.kill(again.child.pid!, "SIGTERM"); // not child.kill: on Deno that closes what it says, too
  await again.says("heard SIGTERM");
  again.child.stdin.write("5\n");
  assert.is(await again.ended, 5);
});

byNode("starts with the installed Node if npm created no link", async ({ directory }) => {
  const folder = join(directory, `clone/node_modules/node-linux-${process.arch}/bin`);
  await mkdir(folder, { recursive: true });
  await symlink(NODE, join(folder, "node"));
  const again = start(NODE, ["--import", OLD, join(directory, "clone/src/wheelwright.js"), "spokes"]);
  await again.says("given spokes by ");
  again.child.stdin.write("5\n");
  assert.is(await again.ended, 5);
});

byNode("ends with the same signal as its child", async ({ directory }) => {
  await bringNode(directory);
  await writeFile(join(directory, "clone/src/main.ts"), 'process.kill(process.pid, "SIGKILL");');
  assert.is(await start(NODE, ["--import", OLD, join(directory, "clone/src/wheelwright.js")]).ended, "SIGKILL");
});

byNode("ends when npm receives a signal", async ({ directory }) => {
  await bringNode(directory);
  const { scripts } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const { start: dev, wheelwright } = scripts;
  const description = { type: "module", scripts: { start: dev, wheelwright } };
  await writeFile(join(directory, "clone/package.json"), JSON.stringify(description));
  await writeFile(join(directory, "clone/src/main.ts"), `${MAIN}process.on("SIGTERM", () => process.exit(0));\n`);
  for (const line of [["start"], ["run", "wheelwright", "--", "serve"]]) {
    const npm = start("npm", ["--prefix", join(directory, "clone"), ...line]);
    await npm.says("given ");
    process.kill(npm.child.pid!, "SIGTERM");
    assert.is(await npm.ended, 0, line.join(" "));
    assert.match(npm.text(), "heard SIGTERM", line.join(" "));
  }
});

byNode("names the required Node version if npm installed none", async ({ directory }) => {
  const { text, ended } = start(NODE, ["--import", OLD, join(directory, "clone/src/wheelwright.js")]);
  assert.is(await ended, 1);
  assert.match(
    text(),
    /^wheelwright needs Node 24 or newer, but this is Node 20\.1\.0\. On Linux, run npm ci in \S+ to install it\n$/,
  );
});

byNode("names the missing package if the installed Node cannot be loaded", async ({ directory }) => {
  await mkdir(join(directory, "clone/node_modules/.bin"), { recursive: true });
  const loader = "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  const script = `#!/bin/sh\necho '${loader}' >&2\nexit 127\n`;
  await writeFile(join(directory, "clone/node_modules/.bin/node"), script, { mode: 0o755 });
  const { text, ended } = start(NODE, ["--import", OLD, join(directory, "clone/src/wheelwright.js"), "dev"]);
  assert.is(await ended, 127);
  assert.match(text(), /libatomic\.so\.1: cannot open.*\n.*apt-get install libatomic1/);
});

byNode("prints what dev starts before the program is loaded", async ({ directory }) => {
  await bringNode(directory);
  await writeFile(join(directory, "clone/src/main.ts"), 'process.stderr.write("loaded\\n");');
  const file = join(directory, "clone/src/wheelwright.js");
  const dev = start(NODE, ["--import", OLD, file, "dev"]), help = start(NODE, [file, "dev", "--help"]);
  await Promise.all([dev.ended, help.ended]);
  assert.equal([dev.text().replace(/^Starting Wheelwright.*\n/, ""), help.text()], ["loaded\n", "loaded\n"]);
  assert.match(dev.text(), /^Starting Wheelwright on this machine/);
});

(hasTerminals && hasNode ? test : test.skip)("hands Ctrl-C of a terminal on no second time", async ({ directory }) => {
  await bringNode(directory);
  const file = join(directory, "clone/src/wheelwright.js");
  const terminal = start("script", ["-qec", `exec '${NODE}' --import '${OLD}' '${file}'`, "/dev/null"]);
  await terminal.says("given ");
  terminal.child.stdin.write("\x03");
  await terminal.says("heard SIGINT");
  terminal.child.stdin.write("6\r");
  assert.is(await terminal.ended, 6);
  assert.is(terminal.text().match(/heard SIGINT/g)!.length, 1);
});

test.run();
