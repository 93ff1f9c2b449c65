/** What --help says: which commands there are, and how one is used. In a terminal no line is wider than that. */
import { nouns } from "../cli/nouns.ts";
import { built } from "../release.ts";
import type { Command } from "./command.ts";
import { commands } from "./list.ts";

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

/** What it takes besides options. */
function wordsOf({ usage }: Command): string {
  return [...new Set(usage.map((way) => way.replace(/ ?\[?--.*/, "")))].filter(Boolean).join(" | ");
}

/** A row each: what is typed, and what it does, beside it where the terminal leaves room for that, and else below. */
export function listed(rows: readonly (readonly [typed: string, what: string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length)) + 4, isNarrow = width + LEAST > columns();
  return rows.map(([typed, what]) => {
    const head = isNarrow ? `  ${typed}\n      ` : `  ${typed}`.padEnd(width);
    return `${head}${wrapped(what, " ".repeat(isNarrow ? 6 : width), isNarrow ? 6 : width)}\n`;
  }).join("");
}

/** Columns that are left for what it does. */
const LEAST = 30;

/** In as many lines as the terminal needs, all but the first indented; that one begins at the column `taken`. */
export function wrapped(text: string, indent = "", taken = 0): string {
  const [first = "", ...words] = text.split(" "), most = columns();
  let column = taken + first.length;
  return first + words.map((word) => {
    column += 1 + word.length;
    if (column <= most) return ` ${word}`;
    column = indent.length + word.length;
    return `\n${indent}${word}`;
  }).join("");
}

function columns(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity;
}
