/** Runs one command line: parses it, explains what is wrong with it, and knows the exit status of each kind of failure. */
import { parseArgs } from "node:util";
import { ConfigError } from "#lib/config.ts";
import { Fault, messageOf, reasonOf } from "#lib/errors.ts";
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
import { commands } from "./list.ts";
import { release } from "../release.ts";

/** Returns the exit status: 0, or one of sysexits.h. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = line;
  if (["help", "--help", "-h"].includes(name)) return tell(help(rest[0]));
  if (["version", "--version", "-v"].includes(name)) return tell(`wheelwright ${release().version}\n`);
  const command = commands.find((each) => each.name === name);
  if (!command) return refuse(EX_USAGE, `There is no command "${name}".\n\n${help(undefined)}`);
  if (rest.includes("--help") || rest.includes("-h")) return tell(help(name));
  try {
    const given = parse(command, rest);
    await (await command.load())(given);
    return 0;
  } catch (error) {
    return explain(command, error);
  }
}

function parse(command: Command, line: string[]): Given {
  try {
    const { values, positionals } = parseArgs({ args: line, options: command.options, allowPositionals: true });
    if (positionals.length <= command.words) {
      return { options: values as Given["options"], words: positionals };
    }
    throw new Error(`"${positionals[command.words]}" is one word too many`);
  } catch (error) {
    throw new CommandError(EX_USAGE, `${messageOf(error)}\n\n${help(command.name)}`, { cause: error });
  }
}

function explain(command: Command, error: unknown): number {
  if (error instanceof CommandError) return refuse(error.status, error.message);
  if (error instanceof ConfigError) {
    return refuse(EX_CONFIG, `wheelwright ${command.name} cannot start: ${error.message}`);
  }
  if (error instanceof Fault) return refuse(error.kind === "unavailable" ? EX_UNAVAILABLE : EX_DATA, error.message);
  // By its name, because its module brings the database's driver along, which most commands do without.
  if (error instanceof Error && error.name === "MigrationError") return refuse(EX_CONFIG, error.message);
  if (isRefusal(error)) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    const next = error.name === "PostgresError" ? "; wheelwright doctor tells what it asks of the database" : "";
    return refuse(EX_UNAVAILABLE, `wheelwright ${command.name} cannot go on: ${reasonOf(error)}${where}${next}`);
  }
  return refuse(EX_SOFTWARE, error instanceof Error ? error.stack ?? error.message : String(error));
}

/** What the system or the database refused, by its code. All else is a mistake of ours, whose stack tells where it is. */
function isRefusal(error: unknown): error is Error & { readonly path?: string } {
  return error instanceof Error &&
    /^(?:E[A-Z]+|CONNECT\w+|[0-9A-Z]{5})$/.test(String((error as { code?: unknown }).code));
}

function help(name: string | undefined): string {
  const command = commands.find((each) => each.name === name);
  if (!command) {
    const rows = commands.map((each) => `  ${`${each.name} ${each.usage}`.padEnd(44)} ${each.summary}`);
    return `Wheelwright: hubs and spokes of Moodle on Kubernetes.\n\n${rows.join("\n")}\n\n` +
      "Configuration is by environment variables; README.md lists them.\n";
  }
  const options = Object.entries(command.options).map(([option, { help }]) =>
    `  ${`--${option}`.padEnd(20)} ${help}\n`
  );
  return `wheelwright ${command.name} ${command.usage}\n\n${command.summary}\n${options.length ? "\n" : ""}${
    options.join("")
  }`;
}

function tell(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(status: number, message: string): number {
  process.stderr.write(`${message.trimEnd()}\n`);
  return status;
}
