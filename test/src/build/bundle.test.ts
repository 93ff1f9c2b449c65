/** Tests the bundle for the executable: complete, reproducible, and independent of the checkout. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Bundle, bundleProgram } from "#src/build/bundle.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MADE = { version: "7.8.9", commit: "0123456789abcdef" };
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

const test = suite<{ made: Bundle; directory: string }>("bundle");

test.before(async (context) => {
  context.made = await bundleProgram(ROOT, MADE);
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-bundle-"));
  for (const [name, text] of context.made.modules) await writeFile(join(context.directory, name), text);
});
test.after(async (context) => {
  await stop(); // its process would keep this one alive
  await rm(context.directory, { recursive: true, force: true });
});

/** Runs the bundle in a directory without other files. */
function run(directory: string, line: string[]): Promise<{ status: number; text: string }> {
  const { PATH, HOME, DENO_DIR } = process.env;
  const env = { PATH, HOME, ...(DENO_DIR && { DENO_DIR }), DATA_DIR: join(directory, "data") };
  return new Promise((resolve) =>
    execFile(process.execPath, [...BEFORE, join(directory, "main.mjs"), ...line], {
      cwd: directory,
      env,
      maxBuffer: 10_000_000,
    }, (error, stdout, stderr) => resolve({ status: Number(error?.code ?? 0), text: stdout + stderr }))
  );
}

test("imports only built-in modules", ({ made }) => {
  assert.ok(made.imports.includes("node:http"));
  assert.equal(made.imports.filter((name) => /bufferutil|supports-color|esbuild|embedded|[.#@]/.test(name)), []);
});

test("is reproducible and contains no local paths", async ({ made }) => {
  const again = await bundleProgram(ROOT, MADE);
  assert.equal([...again.modules.keys()], [...made.modules.keys()]);
  for (const [name, text] of made.modules) {
    assert.is(again.modules.get(name) === text, true, name); // not assert.equal: a difference would print megabytes
    assert.is(text.includes(ROOT), false, name);
  }
});

test("loads only the modules that a command needs", ({ made }) => {
  assert.ok(made.modules.get("main.mjs")!.length < 600_000);
  assert.ok(made.modules.size > 10);
});

test("prints its version without the checkout", async ({ directory }) => {
  assert.equal(await run(directory, ["--version"]), { status: 0, text: "wheelwright 7.8.9\n" });
});

test("contains the licences of all packages, Wheelwright and Node", async ({ made, directory }) => {
  const { status, text } = await run(directory, ["licenses"]);
  assert.is(status, 0);
  for (const directory of made.packages) {
    assert.match(text, `\n${directory.replace(/.*node_modules\//, "")} `, directory);
  }
  assert.ok(text.startsWith(`${"=".repeat(80)}\nWheelwright (Apache-2.0)`));
  assert.match(text, /\nNode\.js \d+\.\d+\.\d+ \(MIT/);
});

test("dev explains that it needs the checkout, and creates nothing", async ({ directory }) => {
  const { status, text } = await run(directory, ["dev"]);
  assert.is(status, 69);
  assert.match(text, /^wheelwright dev needs the source checkout.*npm ci --omit=dev && npm start.*\n$/);
});

test("resets a password only with a configured database", async ({ directory }) => {
  const { status, text } = await run(directory, ["admin", "reset-password", "ada@school.example"]);
  assert.is(status, 78);
  assert.match(text, "DATABASE_URL is missing: set DATABASE_URL or POSTGRES_PASSWORD");
});

test.run();
