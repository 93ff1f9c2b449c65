/** The program: finds the command that was asked for, runs it, and turns what it could not do into an exit status. */
import module from "node:module";
import { fileURLToPath } from "node:url";
import { endBySignals } from "./first-process.ts";
import { built } from "./release.ts";

// A terminal that was closed, or a pipe that nobody reads, takes no more words; that is no reason to leave work half done.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

if (process.pid === 1) endBySignals();

// To strip and compile the sources is half of a start. Node keeps that for the next one, where it may write; Deno does so anyway.
if (!built()) {
  module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/wheelwright", import.meta.url)));
}

const { runCommand } = await import("./commands/run.ts");
process.exitCode = await runCommand(process.argv.slice(2));
