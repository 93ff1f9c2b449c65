/** The program: finds the command that was asked for, runs it, and turns what it could not do into an exit status. */
import { runCommand } from "./commands/run.ts";

process.exitCode = await runCommand(process.argv.slice(2));
