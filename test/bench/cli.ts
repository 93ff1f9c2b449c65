/** Measures how long a command takes as a process, from start to end: `npm run bench -- cli [--rounds N]
 * [--json FILE]`. The default is 40 rounds.
 *
 * Measures `wheelwright me` against a warm server, `--help` without a server, and Node doing nothing. They take turns,
 * so that other load on the machine affects all of them. The executable is measured too if `npm run build` created
 * one. Prints the median, the 90th percentile and the ratio to Node alone. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatNumber, median, percentile, ratioOf, renderTable } from "#test/bench/statistics.ts";
import type { BenchmarkResults } from "#test/bench/summary.ts";
import { openStage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";

const GOAL = 2; // the highest accepted ratio of `wheelwright me` to Node alone
const WARM_UP = 3; // rounds after which the compile caches are filled
const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SOURCES = [process.execPath, fileOf("src/wheelwright.js")], EXECUTABLE = fileOf("dist/wheelwright");

async function main(rounds: number, json: string | undefined): Promise<void> {
  const stage = await openStage(), home = await mkdtemp(join(tmpdir(), "wheelwright-bench-"));
  const { plaintext } = await createTestToken(stage.scene.db, stage.scene.people.operator, "cli");
  const env = { HOME: home, WHEELWRIGHT_URL: stage.proxy.url, WHEELWRIGHT_TOKEN: plaintext };
  const subjects = new Map([
    ["node -e 0", [process.execPath, "-e", "0"]],
    ["wheelwright --help", [...SOURCES, "--help"]],
    ["wheelwright me", [...SOURCES, "me"]],
    ...existsSync(EXECUTABLE) ? [["dist/wheelwright me", [EXECUTABLE, "me"]] as const] : [],
  ]);
  const times = new Map([...subjects.keys()].map((name) => [name, [] as number[]]));
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      for (const [name, line] of subjects) {
        const ms = await timeOf(line, env);
        if (round >= 0) times.get(name)!.push(ms);
      }
    }
  } finally {
    await stage.close();
    await rm(home, { recursive: true, force: true });
  }
  const bare = times.get("node -e 0")!;
  console.log(renderTable([
    [`${rounds} times, ms`, "median", "p90", "beside Node alone"],
    ...[...times].map(([name, ms]) => [
      name,
      formatNumber(median(ms)),
      formatNumber(percentile(ms, 0.9)),
      formatNumber(ratioOf(ms, bare).median),
    ]),
  ]));
  if (!json) return;
  const peers = [{ name: "`node -e 0`", values: bare, goal: GOAL }];
  const figures = [{ name: "`wheelwright me`: time", unit: "ms", values: times.get("wheelwright me")!, peers }];
  await writeFile(json, JSON.stringify({ figures } satisfies BenchmarkResults, null, 1));
}

/** Returns milliseconds. Throws if the command fails. */
async function timeOf([file, ...line]: readonly string[], env: Record<string, string>): Promise<number> {
  const began = performance.now(), child = spawn(file!, line, { env, stdio: "ignore" });
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (status !== 0) throw new Error(`${file} ${line.join(" ")} ended with ${status}`);
  return performance.now() - began;
}

const { values } = parseArgs({ options: { rounds: { type: "string" }, json: { type: "string" } } });
await main(Number(values.rounds ?? 40), values.json);
