import { suite } from "uvu";
import * as assert from "uvu/assert";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const test = suite("resolve-quickly");
const inNode = "deno" in process.versions ? test.skip : test;
const HOOK = new URL("../../src/resolve-quickly.ts", import.meta.url).href;

/** Runs a program in a new process, with or without the hook, and returns the JSON that the program prints. */
async function run<T>(program: string, hook: boolean): Promise<T> {
  const text = `${hook ? `await import(${JSON.stringify(HOOK)});` : ""} console.log(JSON.stringify(${program}))`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", text], { cwd });
  return JSON.parse(stdout);
}

inNode("finds modules and packages where Node finds them", async () => {
  const specifiers = ["#lib/base/time.ts", "./lib/../src/main.ts", "./lib/app.ts", "hono", "node:fs", "./package.json"];
  const program = `${JSON.stringify(specifiers)}.map((specifier) => import.meta.resolve(specifier))`;
  assert.equal(await run(program, true), await run(program, false));
});

inNode("handles the imports of this project's modules", async () => {
  const program = `await import("#lib/base/no-such-module.ts").catch((error) => error.code)`;
  assert.equal([await run(program, true), await run(program, false)], ["ENOENT", "ERR_MODULE_NOT_FOUND"]);
});

test.run();
