/**
 * How long a command takes as a process, from its start to its end: `npm run cli -- [--rounds N]`, 40 unless told.
 *
 * `wheelwright me` against a warm server, `--help`, which asks none, and Node with nothing to do, in turns, so that what
 * disturbs the machine disturbs all. The executable is measured, too, where `npm run build` has made one. Prints the median,
 * the time that nine in ten do not exceed, and how often Node alone goes into it. The target is 150 ms for `me`.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, percentile, ratioOf, short, table } from "#test/bench/figures.ts";
import { openStage } from "#test/lib/client/stage.ts";
import { makeToken } from "#test/support/people.ts";

const WARM_UP = 3; // rounds after which what is compiled is kept
const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SOURCES = [process.execPath, fileOf("src/wheelwright.js")], EXECUTABLE = fileOf("dist/wheelwright");

async function main(rounds: number): Promise<void> {
  const stage = await openStage(), home = await mkdtemp(join(tmpdir(), "wheelwright-bench-"));
  const { plaintext } = await makeToken(stage.scene.db, stage.scene.people.operator, "cli");
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
  console.log(table([
    [`${rounds} times, ms`, "median", "p90", "beside Node alone"],
    ...[...times].map(([name, ms]) => [
      name,
      short(median(ms)),
      short(percentile(ms, 0.9)),
      short(ratioOf(ms, bare).median),
    ]),
  ]));
}

/** Milliseconds. Throws where it does not end well. */
async function timeOf([file, ...line]: readonly string[], env: Record<string, string>): Promise<number> {
  const began = performance.now(), child = spawn(file!, line, { env, stdio: "ignore" });
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (status !== 0) throw new Error(`${file} ${line.join(" ")} ended with ${status}`);
  return performance.now() - began;
}

const { values } = parseArgs({ options: { rounds: { type: "string" } } });
await main(Number(values.rounds ?? 40));
