/** Runs one command line: finds the command, parses the arguments, and reports errors with an exit status. */
import { processEnvironment } from "#lib/base/environment.ts";
import { readProgramRelease } from "../release.ts";
import type { CliContext, Command, CommandGroup } from "./command.ts";
import { CLIENT_COMMANDS, loadCommand, SERVER_COMMANDS } from "./commands.ts";
import { describeError, EXIT, UsageError } from "./exit-status.ts";
import { renderCommandHelp, renderGroupHelp, renderHelp, renderUsage } from "./help.ts";
import { print, printWarning } from "./output.ts";
import { type CliOptions, formatTitle, parseCommand, suggestOption } from "./parse.ts";
import { suggestCommand, suggestVerb } from "./suggestions.ts";
import { detectTerminal } from "./terminal.ts";

/** The hidden command that the shell completion scripts run. */
const COMPLETION_COMMAND = "__complete";

/** Runs a command and returns its exit status: 0, 2 for an invalid command line, or another status for a failure. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = line;
  if (["help", "--help", "-h"].includes(name)) {
    return rest.length > 0 ? await runCommand([...rest, "--help"]) : printAll(renderHelp());
  }
  if (["version", "--version", "-v", "-V"].includes(name)) {
    return printAll(`wheelwright ${readProgramRelease().version}\n`);
  }
  if (name === COMPLETION_COMMAND) {
    return await (await import("./complete.ts")).printCompletions(createCliContext, rest);
  }
  const noun = await loadCommand(name);
  if (!noun) {
    const suggestion = suggestCommand(name, [...CLIENT_COMMANDS, ...SERVER_COMMANDS].map((each) => each.name));
    const usage = "Usage: wheelwright COMMAND\nRun 'wheelwright --help' for a list of commands.";
    printWarning(`Unknown command "${name}"${suggestion}\n\n${usage}`);
    return EXIT.usage;
  }
  let command: Command | null = null;
  try {
    const found = findVerb(noun, rest);
    command = found.command;
    if (!command) return printAll(renderGroupHelp(noun));
    if (wantsHelp(found.rest)) return printAll(renderCommandHelp(noun, command));
    const { typed, ...options } = parseCommand(formatTitle(noun, command), command, found.rest);
    // Exits when the program that reads this output closes the pipe, as `head` does.
    if (!command.local) process.stdout.once("error", () => process.exit(process.exitCode ?? 0));
    const connection = command.local ? null : await import("./connection.ts"); // loads the API client
    await command.run(createCliContext(options, connection), typed);
    return 0;
  } catch (error) {
    return reportError(noun, command, error);
  }
}

function printAll(text: string): number {
  print(text);
  return 0;
}

/** An error for a noun without a verb. The program shows the verbs below the message. */
class MissingVerb extends UsageError {}

/** Prints the message of an error to standard error, with the usage if the command line is wrong. */
function reportError(noun: CommandGroup, command: Command | null, error: unknown): number {
  const local = command?.local === true, title = formatTitle(noun, command ?? { name: "" });
  const { status, message } = describeError(error, title, local);
  if (error instanceof MissingVerb) printWarning(`${message}\n\n${renderGroupHelp(noun).trimEnd()}`);
  else if (error instanceof UsageError) {
    const usage = renderUsage(noun, command).replace(/^/, "Usage: ").replace(/\n(?=wheelwright)/g, "\n       ");
    printWarning(`${message}\n\n${usage}Run 'wheelwright ${title} --help' for details.`);
  } else if (local) process.stderr.write(`${message.trimEnd()}\n`); // may contain colours
  else if (message) printWarning(message);
  return status;
}

function wantsHelp(line: readonly string[]): boolean {
  const end = line.indexOf("--");
  return (end < 0 ? line : line.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Returns the command. Returns null if the line requests the help of a noun. Throws a UsageError for an unknown verb. */
function findVerb(noun: CommandGroup, line: readonly string[]) {
  const { name: title, verbs } = noun, [name, ...rest] = line;
  if (verbs[0]!.name === "") return { command: verbs[0]!, rest: line };
  if (name === undefined || name.startsWith("-")) {
    if (wantsHelp(line)) return { command: null, rest: [] };
    if (name === undefined) throw new MissingVerb(`wheelwright ${title} needs a subcommand`);
    throw new UsageError(`wheelwright ${title} needs a subcommand before ${name}${suggestOption(name, [])}`);
  }
  const command = verbs.find((each) => each.name === name);
  if (command) return { command, rest };
  const suggestion = suggestVerb(noun, name) || `. Available: ${verbs.map((each) => each.name).join(", ")}`;
  throw new UsageError(`Unknown subcommand "${name}" of wheelwright ${title}${suggestion}`);
}

/**
 * Creates the context in which a command runs. Reads the settings only when the command uses a server. `connection` is
 * null for a command that works on this machine.
 */
function createCliContext(options: CliOptions, connection: typeof import("./connection.ts") | null): CliContext {
  const env = processEnvironment(), terminal = detectTerminal(env);
  let api: CliContext["api"] | undefined;
  const cli: CliContext = {
    ...options,
    env,
    unreportedFields: new Set(Array.isArray(options.json) ? options.json : []),
    terminal: options.wide ? { ...terminal, width: Infinity } : terminal,
    get api() {
      return api ??= connection!.connectSignedIn(cli);
    },
    get publicApi() {
      return connection!.connectWithoutSignIn(cli);
    },
  };
  return cli;
}
