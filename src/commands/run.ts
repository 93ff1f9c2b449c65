/** Runs one command line: parses it, explains errors, and returns the exit status for each kind of failure. */
import { Fault, reasonOf, StartError } from "#lib/base/errors.ts";
import { commandMeant } from "../cli/suggestions.ts";
import { isVerbOf, nouns } from "../cli/nouns.ts";
import { release } from "../release.ts";
import {
  type Command,
  CommandError,
  EX_CONFIG,
  EX_DATA,
  EX_SOFTWARE,
  EX_UNAVAILABLE,
  EX_USAGE,
  type Given,
} from "./command.ts";
import { helpOfAll, helpOfCommand } from "./help.ts";
import { didYouMean, readLine } from "./parse-options.ts";
import { commands } from "./command-list.ts";

/** Returns the exit status: 0, 2 for an invalid command line, one of sysexits.h, or the command's own. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = line;
  if (["help", "--help", "-h"].includes(name)) {
    return rest.length > 0 ? await runCommand([...rest, "--help"]) : tell(helpOfAll());
  }
  if (["version", "--version", "-v", "-V"].includes(name)) return tell(`wheelwright ${release().version}\n`);
  const command = commands.find((each) => each.name === name);
  if (isVerbOf(name, rest[0], command?.first)) return await (await import("../cli/run.ts")).runNoun(name, rest);
  if (!command) {
    const meant = commandMeant(name, [...commands, ...nouns].map((each) => each.name));
    return refuse(EX_USAGE, `There is no command "${name}"${meant}\nwheelwright --help lists them`);
  }
  if (rest.includes("--help") || rest.includes("-h")) return tell(helpOfCommand(command));
  try {
    await command.run(parse(command, rest));
    return 0;
  } catch (error) {
    return explain(command, error);
  }
}

function parse(command: Command, line: readonly string[]): Given {
  const { values, tokens, problem } = readLine(command.name, command.options, line);
  const words = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : []);
  const wrong = problem ?? problemOfWords(command, words);
  if (wrong) throw new CommandError(EX_USAGE, `${wrong}\n\n${helpOfCommand(command)}`);
  return { options: values, words };
}

function problemOfWords({ name, words, first }: Command, given: readonly string[]): string | null {
  const [word] = given;
  if (first && word === undefined) return `wheelwright ${name} needs to know what to do: ${first.join(" or ")}`;
  if (first && !first.includes(word!)) return `There is no wheelwright ${name} ${word}${didYouMean(word!, first)}`;
  return given.length > words ? `"${given[words]}" is one word too many` : null;
}

function explain(command: Command, error: unknown): number {
  if (error instanceof CommandError) return refuse(error.status, error.message);
  // Compares names, because importing the classes would load modules that most commands do not need.
  if (error instanceof Error && error.name === "ConfigError") {
    return refuse(EX_CONFIG, `wheelwright ${command.name} cannot start: ${error.message}`);
  }
  if (error instanceof StartError) return refuse(EX_UNAVAILABLE, error.message);
  if (error instanceof Fault) return refuse(error.kind === "unavailable" ? EX_UNAVAILABLE : EX_DATA, error.message);
  if (error instanceof Error && error.name === "MigrationError") return refuse(EX_CONFIG, error.message);
  if (isRefusal(error)) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    const next = error.name === "PostgresError" ? "; wheelwright doctor tells what it asks of the database" : "";
    return refuse(EX_UNAVAILABLE, `wheelwright ${command.name} cannot go on: ${reasonOf(error)}${where}${next}`);
  }
  const what = error instanceof Error ? error.stack ?? error.message : String(error);
  return refuse(EX_SOFTWARE, `wheelwright ${command.name} ended by a mistake of its own; please report it:\n${what}`);
}

/** Whether the system or the database reported the error, which then has a code. Other errors are bugs. */
function isRefusal(error: unknown): error is Error & { readonly path?: string } {
  return error instanceof Error &&
    /^(?:E[A-Z]+|CONNECT\w+|[0-9A-Z]{5})$/.test(String((error as { code?: unknown }).code));
}

function tell(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(status: number, message: string): number {
  process.stderr.write(`${message.trimEnd()}\n`);
  return status;
}
