/** Starts the program: finds the command to run, runs it, and sets the exit status. */
import module from "node:module";
import { fileURLToPath } from "node:url";
import { exitOnSignals } from "./pid-1-signals.ts";
import { findBuildInfo } from "./release.ts";

// Ignores errors from a closed terminal or pipe, so that work in progress continues.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

if (process.pid === 1) exitOnSignals();

// Enables Node's compile cache, because compiling TypeScript takes half of the startup time. Deno has its own cache.
if (!findBuildInfo()) {
  module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/wheelwright", import.meta.url)));
  await import("./resolve-quickly.ts");
}

const { runCommand } = await import("./cli/run.ts");
process.exitCode = await runCommand(process.argv.slice(2));
