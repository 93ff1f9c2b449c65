/** Formats the help: the list of commands, or the usage of one command. Wraps lines to the terminal's width. */
import { clientCommands } from "../cli/nouns.ts";
import { findBuildInfo } from "../release.ts";
import type { Command } from "./command.ts";
import { formatRows, wrapText } from "./wrap-text.ts";
import { ALL_COMMANDS } from "./command-list.ts";

const CONFIGURATION_HINT = "Environment variables configure a server. To list the variables, run 'wheelwright config'.";

export function renderHelp(): string {
  const available = ALL_COMMANDS.filter(({ name }) => !(name === "dev" && findBuildInfo()));
  const row = (name: string, words: string, summary: string) => [`${name} ${words}`.trim(), summary] as const;
  const clientRows = formatRows(clientCommands.map(({ name, usage, summary }) => row(name, usage, summary)));
  const serverRows = formatRows(available.map((command) => row(command.name, argumentsOf(command), command.summary)));
  return `Wheelwright runs Moodle sites on Kubernetes.\n\nClient commands, for a running server:\n\n${clientRows}\nServer commands, for this machine:\n\n${serverRows}\n` +
    `${wrapText("Run 'wheelwright COMMAND --help' for details.")}\n${wrapText(CONFIGURATION_HINT)}\n`;
}

export function renderCommandHelp({ name, usage, summary, options }: Command): string {
  const ways = usage.map((way) => `${wrapText(`wheelwright ${name} ${way}`.trim(), "  ")}\n`).join("");
  const flags = formatRows(Object.entries(options).map(([option, { help }]) => [`--${option}`, help] as const));
  return `${ways}\n${wrapText(summary)}\n\n${flags && `${flags}\n`}${wrapText(CONFIGURATION_HINT)}\n`;
}

/** Returns a command's arguments without its options. */
function argumentsOf({ usage }: Command): string {
  return [...new Set(usage.map((way) => way.replace(/ ?\[?--.*/, "")))].filter(Boolean).join(" | ");
}
