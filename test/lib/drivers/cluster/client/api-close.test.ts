/** Tests that a closed cluster does not keep the process running, even after errors. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";

const PROGRAM = fileURLToPath(new URL("../../../../support/kube/exercise-client.ts", import.meta.url));
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

const test = suite("close");

test("exits after close without unhandled rejections", async () => {
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const child = spawn(process.execPath, [...BEFORE, PROGRAM, simulator.url], { stdio: ["ignore", "pipe", "pipe"] });
  const outputLines: string[] = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => outputLines.push(String(chunk)));
  const timer = setTimeout(() => child.kill("SIGKILL"), 50_000);
  let closedAt = 0;
  child.stdout.once("data", () => closedAt = performance.now());
  const status = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  await simulator.close();
  assert.is(status, 0, outputLines.join(""));
  assert.match(outputLines.join(""), /^closed rejected rejected \w+\n$/);
  assert.ok(performance.now() - closedAt < 20_000, "the pending wait ended");
});

test.run();
