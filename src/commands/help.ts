/** Renders the help: the list of commands, or the usage of one command. Lines fit into the terminal. */
import { nouns } from "../cli/nouns.ts";
import { built } from "../release.ts";
import type { Command } from "./command.ts";
import { listed, wrapped } from "./wrap-text.ts";
import { commands } from "./command-list.ts";

const CONFIGURATION = "A server is configured by environment variables; wheelwright config lists them.";

export function helpOfAll(): string {
  const here = commands.filter(({ name }) => !(name === "dev" && built()));
  const row = (name: string, words: string, summary: string) => [`${name} ${words}`.trim(), summary] as const;
  const asked = listed(nouns.map(({ name, usage, summary }) => row(name, usage, summary)));
  const run = listed(here.map((command) => row(command.name, wordsOf(command), command.summary)));
  return `Wheelwright: hubs and spokes of Moodle on Kubernetes.\n\nUse a server that runs:\n\n${asked}\nRun one:\n\n${run}\n` +
    `wheelwright COMMAND --help tells more.\n${wrapped(CONFIGURATION)}\n`;
}

export function helpOfCommand({ name, usage, summary, options }: Command): string {
  const ways = usage.map((way) => `${wrapped(`wheelwright ${name} ${way}`.trim(), "  ")}\n`).join("");
  const flags = listed(Object.entries(options).map(([option, { help }]) => [`--${option}`, help] as const));
  return `${ways}\n${wrapped(summary)}\n\n${flags && `${flags}\n`}${wrapped(CONFIGURATION)}\n`;
}

/** Returns the command's arguments without its options. */
function wordsOf({ usage }: Command): string {
  return [...new Set(usage.map((way) => way.replace(/ ?\[?--.*/, "")))].filter(Boolean).join(" | ");
}
