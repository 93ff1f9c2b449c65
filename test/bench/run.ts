/** Runs all comparisons with other programs, one after another: `npm run bench -- [--quick] [--json DIRECTORY]`.
 *
 * It takes half an hour. With --quick it takes about four minutes and shows only large changes. --json stores the
 * numbers behind the tables. Each part also runs alone with more options; its first lines list them. */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PARTS: Readonly<Record<string, { readonly quick: readonly string[]; readonly keeps: boolean }>> = {
  requests: { quick: ["--quick"], keeps: true },
  streams: { quick: ["--quick"], keeps: true },
  queue: { quick: ["--quick"], keeps: true },
  telemetry: { quick: ["--quick"], keeps: false },
  installs: { quick: ["--installs", "5", "--starts", "3"], keeps: false },
};

const { values: { quick, json } } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
if (json) await mkdir(json, { recursive: true });
for (const [name, part] of Object.entries(PARTS)) {
  console.log(`\n${name}\n${"=".repeat(name.length)}`);
  const jsonArgs = json && part.keeps ? ["--json", join(json, `${name}.json`)] : [];
  await run([fileURLToPath(new URL(`${name}.ts`, import.meta.url)), ...(quick ? part.quick : []), ...jsonArgs]);
}

async function run(line: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, line, { stdio: "inherit" });
  const status = await new Promise((resolve) => child.once("close", resolve));
  if (status !== 0) process.exit(1);
}
