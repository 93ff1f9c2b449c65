/** Starts the program: finds the requested command, runs it, and sets the exit status. */
import module from "node:module";
import { fileURLToPath } from "node:url";
import { exitOnSignals } from "./pid-1-signals.ts";
import { findBuildInfo } from "./release.ts";

// Ignores errors of a closed terminal or pipe, so that running work continues.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

if (process.pid === 1) exitOnSignals();

// Stripping types and compiling take half of the start. Node caches the result if it may write; Deno always does.
if (!findBuildInfo()) {
  module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/wheelwright", import.meta.url)));
}

const { runCommand } = await import("./commands/run.ts");
process.exitCode = await runCommand(process.argv.slice(2));
