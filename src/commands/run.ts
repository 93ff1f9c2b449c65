/** Runs one command line: parses it, explains errors, and returns an exit status for each kind of failure. */
import { Fault, getErrorReason, StartError } from "#lib/base/errors.ts";
import { suggestCommand } from "../cli/suggestions.ts";
import { clientCommands, isClientCommand } from "../cli/nouns.ts";
import { readProgramRelease } from "../release.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  EXIT_CODE_CONFIG,
  EXIT_CODE_DATA,
  EXIT_CODE_SOFTWARE,
  EXIT_CODE_UNAVAILABLE,
  EXIT_CODE_USAGE,
} from "./command.ts";
import { renderCommandHelp, renderHelp } from "./help.ts";
import { parseOptions, suggestSimilarName } from "./parse-options.ts";
import { ALL_COMMANDS } from "./command-list.ts";

/** Runs a command and returns its exit status: 0, 2 for an invalid command line, or another status for a failure. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = line;
  if (["help", "--help", "-h"].includes(name)) {
    return rest.length > 0 ? await runCommand([...rest, "--help"]) : printText(renderHelp());
  }
  if (["version", "--version", "-v", "-V"].includes(name)) {
    return printText(`wheelwright ${readProgramRelease().version}\n`);
  }
  const command = ALL_COMMANDS.find((each) => each.name === name);
  if (isClientCommand(name, rest[0], command?.first)) {
    return await (await import("../cli/run.ts")).runClientCommand(name, rest);
  }
  if (!command) {
    const suggestion = suggestCommand(name, [...ALL_COMMANDS, ...clientCommands].map((each) => each.name));
    return printError(
      EXIT_CODE_USAGE,
      `Unknown command "${name}"${suggestion}\nRun 'wheelwright --help' for a list of commands.`,
    );
  }
  if (rest.includes("--help") || rest.includes("-h")) return printText(renderCommandHelp(command));
  try {
    await command.run(parse(command, rest));
    return 0;
  } catch (error) {
    return explainError(command, error);
  }
}

function parse(command: Command, line: readonly string[]): CommandArguments {
  const { values, tokens, problem } = parseOptions(command.options, line);
  const words = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : []);
  const wrong = problem ?? findArgumentProblem(command, words);
  if (wrong) throw new CommandError(EXIT_CODE_USAGE, `${wrong}\n\n${renderCommandHelp(command)}`);
  return { options: values, words };
}

function findArgumentProblem({ name, words, first }: Command, args: readonly string[]): string | null {
  const [word] = args;
  if (first && word === undefined) return `wheelwright ${name} needs a subcommand: ${first.join(" or ")}`;
  if (first && !first.includes(word!)) {
    return `Unknown subcommand "${word}" of wheelwright ${name}${suggestSimilarName(word!, first)}`;
  }
  return args.length > words ? `Unexpected argument "${args[words]}"` : null;
}

function explainError(command: Command, error: unknown): number {
  if (error instanceof CommandError) return printError(error.status, error.message);
  // Compares error names, because importing the error classes would load modules that most commands do not need.
  if (error instanceof Error && error.name === "ConfigError") {
    return printError(EXIT_CODE_CONFIG, `wheelwright ${command.name} cannot start: ${error.message}`);
  }
  if (error instanceof StartError) return printError(EXIT_CODE_UNAVAILABLE, error.message);
  if (error instanceof Fault) {
    return printError(error.kind === "unavailable" ? EXIT_CODE_UNAVAILABLE : EXIT_CODE_DATA, error.message);
  }
  if (error instanceof Error && error.name === "MigrationError") return printError(EXIT_CODE_CONFIG, error.message);
  if (isSystemError(error)) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    const next = error.name === "PostgresError" ? ". To check the database, run 'wheelwright doctor'" : "";
    return printError(
      EXIT_CODE_UNAVAILABLE,
      `wheelwright ${command.name} failed: ${getErrorReason(error)}${where}${next}`,
    );
  }
  const what = error instanceof Error ? error.stack ?? error.message : String(error);
  return printError(
    EXIT_CODE_SOFTWARE,
    `wheelwright ${command.name} failed unexpectedly. Please report this bug:\n${what}`,
  );
}

/** Whether the operating system or the database reported the error. Such errors have a code; other errors are bugs. */
function isSystemError(error: unknown): error is Error & { readonly path?: string } {
  return error instanceof Error &&
    /^(?:E[A-Z]+|CONNECT\w+|[0-9A-Z]{5})$/.test(String((error as { code?: unknown }).code));
}

function printText(text: string): number {
  process.stdout.write(text);
  return 0;
}

function printError(status: number, message: string): number {
  process.stderr.write(`${message.trimEnd()}\n`);
  return status;
}
