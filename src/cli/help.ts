/** Formats the help: the list of commands, the verbs of a noun, or one command. Wraps lines to the terminal's width. */
import { findBuildInfo } from "../release.ts";
import type { Command, CommandGroup, OptionDeclaration, OptionDeclarations } from "./command.ts";
import { CLIENT_COMMANDS, type CommandEntry, SERVER_COMMANDS } from "./commands.ts";
import { commonOptions, formatTitle } from "./parse.ts";
import { formatRows, wrapText } from "./text.ts";

const CONFIGURATION_HINT = "Environment variables configure a server. To list the variables, run 'wheelwright config'.";

export function renderHelp(): string {
  const rows = (entries: readonly CommandEntry[]) => formatRows(entries.map(({ title, summary }) => [title, summary]));
  const available = SERVER_COMMANDS.filter(({ name }) => !(name === "dev" && findBuildInfo()));
  return `Wheelwright runs Moodle sites on Kubernetes.\n\nClient commands, for a running server:\n\n${
    rows(CLIENT_COMMANDS)
  }\nServer commands, for this machine:\n\n${rows(available)}\n` +
    `${wrapText("Run 'wheelwright COMMAND --help' for details.")}\n${wrapText(CONFIGURATION_HINT)}\n`;
}

export function renderGroupHelp(noun: CommandGroup): string {
  const rows = noun.verbs.map((verb) => [[verb.name, ...verb.words].join(" "), verb.summary] as const);
  const examples = noun.verbs.flatMap((verb) => verb.examples.slice(0, 1)).slice(0, 6);
  return `${renderUsage(noun)}\n${wrapText(noun.summary)}\n\n${formatRows(rows)}${renderExamples(examples)}\n${
    wrapText(`Run 'wheelwright ${noun.name} VERB --help' for details.`)
  }\n`;
}

export function renderCommandHelp(noun: CommandGroup, command: Command): string {
  const { options, local, more } = command, own = formatRows(optionRows(options));
  const common = formatRows(optionRows(commonOptions(command)));
  const parts = [
    `${wrapText(command.summary || noun.summary)}\n`,
    more && `${more.split("\n").map((line) => wrapText(line)).join("\n")}\n`,
    own && `Options\n${own}`,
    `Global options\n${common}`,
    renderExamples(command.examples).slice(1),
    local ? `${wrapText(CONFIGURATION_HINT)}\n` : "",
  ];
  return `${renderUsage(noun, command)}\n${parts.filter(Boolean).join("\n")}`;
}

/** Returns the command lines that a command or noun accepts, each as a line. */
export function renderUsage(noun: CommandGroup, command: Command | null = null): string {
  const ways = command ? command.usage.length > 0 ? command.usage : [defaultUsage(command)] : ["VERB"];
  const title = formatTitle(noun, command ?? { name: "" });
  return ways.map((way) => `${wrapText(`wheelwright ${title} ${way}`.trim(), "  ")}\n`).join("");
}

/** Returns the arguments. Includes the options of a command on this machine, which are few. */
function defaultUsage({ words, options, local }: Command): string {
  const all = local ? Object.entries(options).map(([name, option]) => `[${formatOption(name, option)}]`) : [];
  return [...words, ...all].join(" ");
}

function formatOption(name: string, { type, value }: OptionDeclaration): string {
  return `--${name}${type === "string" ? ` ${value && !value.includes("|") ? value : name.toUpperCase()}` : ""}`;
}

function optionRows(options: OptionDeclarations): (readonly [string, string])[] {
  return Object.entries(options).map(([name, option]) => {
    const { value, short, help } = option, choices = value?.includes("|") ? ` (${value.split("|").join(", ")})` : "";
    return [`${short ? `-${short}, ` : ""}${formatOption(name, option)}`, `${help}${choices}`];
  });
}

function renderExamples(lines: readonly string[]): string {
  return lines.length > 0 ? `\nExamples\n${lines.map((line) => `  $ wheelwright ${line}\n`).join("")}` : "";
}
