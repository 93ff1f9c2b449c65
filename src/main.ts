/** The program: finds the command that was asked for, runs it, and turns what it could not do into an exit status. */
import { runCommand } from "./commands/run.ts";

// A terminal that was closed, or a pipe that nobody reads, takes no more words; that is no reason to leave work half done.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

process.exitCode = await runCommand(process.argv.slice(2));
