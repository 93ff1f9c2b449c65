/** Runs one command line: parses it, explains what is wrong with it, and knows the exit status of each kind of failure. */
import { parseArgs } from "node:util";
import { ConfigError } from "#lib/base/config.ts";
import { Fault, reasonOf, StartError } from "#lib/base/errors.ts";
import { nearest } from "#lib/base/nearest.ts";
import { built, release } from "../release.ts";
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

const CONFIGURATION = "Configuration is by environment variables; wheelwright config lists them.\n";

/** Returns the exit status: 0, or one of sysexits.h. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = line;
  if (["help", "--help", "-h"].includes(name)) return tell(help(rest[0]));
  if (["version", "--version", "-v"].includes(name)) return tell(`wheelwright ${release().version}\n`);
  const command = commands.find((each) => each.name === name);
  if (!command) {
    const meant = didYouMean(name, commands.map((each) => each.name));
    return refuse(EX_USAGE, `There is no command "${name}"${meant}\n\n${help(undefined)}`);
  }
  if (rest.includes("--help") || rest.includes("-h")) return tell(help(name));
  try {
    await command.run(parse(command, rest));
    return 0;
  } catch (error) {
    return explain(command, error);
  }
}

/** Judged by ourselves: what parseArgs says of a mistake is made for programmers. */
function parse(command: Command, line: string[]): Given {
  const { values, positionals, tokens } = parseArgs({
    ...{ args: line, options: command.options },
    ...{ strict: false, allowPositionals: true, tokens: true },
  });
  const problem = tokens.map((token) => token.kind === "option" ? problemOf(command, token) : null).find(Boolean) ??
    problemOfWords(command, positionals);
  if (problem) throw new CommandError(EX_USAGE, `${problem}\n\n${help(command.name)}`);
  return { options: values, words: positionals };
}

interface Option {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function problemOf({ name: command, options }: Command, { name, rawName, value, inlineValue }: Option): string | null {
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!known) {
    const meant = didYouMean(rawName, Object.keys(options).map((each) => `--${each}`));
    return `wheelwright ${command} has no option ${rawName}${meant}`;
  }
  if (known.type === "boolean") return value === undefined ? null : `${rawName} takes no value`;
  return value && (inlineValue || !value.startsWith("-")) ? null : `${rawName} needs a value: ${known.help}`;
}

function problemOfWords({ name, words, first }: Command, given: readonly string[]): string | null {
  const [word] = given;
  if (first && word === undefined) return `wheelwright ${name} needs to know what to do: ${first.join(" or ")}`;
  if (first && !first.includes(word!)) return `There is no wheelwright ${name} ${word}${didYouMean(word!, first)}`;
  return given.length > words ? `"${given[words]}" is one word too many` : null;
}

/** What a sentence on a mistyped name ends with. */
function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? "" : `; did you mean ${meant}?`;
}

function explain(command: Command, error: unknown): number {
  if (error instanceof CommandError) return refuse(error.status, error.message);
  if (error instanceof ConfigError) {
    return refuse(EX_CONFIG, `wheelwright ${command.name} cannot start: ${error.message}`);
  }
  if (error instanceof StartError) return refuse(EX_UNAVAILABLE, error.message);
  if (error instanceof Fault) return refuse(error.kind === "unavailable" ? EX_UNAVAILABLE : EX_DATA, error.message);
  // By its name, because its module brings the database's driver along, which most commands do without.
  if (error instanceof Error && error.name === "MigrationError") return refuse(EX_CONFIG, error.message);
  if (isRefusal(error)) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    const next = error.name === "PostgresError" ? "; wheelwright doctor tells what it asks of the database" : "";
    return refuse(EX_UNAVAILABLE, `wheelwright ${command.name} cannot go on: ${reasonOf(error)}${where}${next}`);
  }
  const what = error instanceof Error ? error.stack ?? error.message : String(error);
  return refuse(EX_SOFTWARE, `wheelwright ${command.name} ended by a mistake of its own; please report it:\n${what}`);
}

/** What the system or the database refused, by its code. All else is a mistake of ours, whose stack tells where it is. */
function isRefusal(error: unknown): error is Error & { readonly path?: string } {
  return error instanceof Error &&
    /^(?:E[A-Z]+|CONNECT\w+|[0-9A-Z]{5})$/.test(String((error as { code?: unknown }).code));
}

function help(name: string | undefined): string {
  const command = commands.find((each) => each.name === name);
  if (!command) {
    const shown = commands.filter(({ name }) => !(name === "dev" && built()));
    const width = Math.max(...shown.map(({ name, usage }) => name.length + usage.length + 1));
    const rows = shown.map((each) => `  ${`${each.name} ${each.usage}`.padEnd(width)}  ${each.summary}`);
    return `Wheelwright: hubs and spokes of Moodle on Kubernetes.\n\n${rows.join("\n")}\n\n${CONFIGURATION}`;
  }
  const options = Object.entries(command.options).map(([option, { help }]) =>
    `  ${`--${option}`.padEnd(20)} ${help}\n`
  );
  return `wheelwright ${command.name} ${command.usage}\n\n${command.summary}\n${options.length ? "\n" : ""}${
    options.join("")
  }\n${CONFIGURATION}`;
}

function tell(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(status: number, message: string): number {
  process.stderr.write(`${message.trimEnd()}\n`);
  return status;
}
