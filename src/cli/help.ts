/** Formats the help text for a noun, such as `hubs`, or a verb, such as `hubs list`. */
import { formatRows, wrapText } from "../commands/wrap-text.ts";
import { type CommandGroup, type GroupCommand, type VerbFlags } from "./verb-declaration.ts";
import { COMMON_FLAGS, formatVerbTitle } from "./parse-verb.ts";

export function renderGroupHelp(noun: CommandGroup): string {
  const rows = noun.verbs.map((verb) => [[verb.name, ...verb.words].join(" "), verb.summary] as const);
  const examples = noun.verbs.flatMap((verb) => verb.examples.slice(0, 1)).slice(0, 6);
  return `wheelwright ${noun.name} VERB\n\n${wrapText(noun.summary)}\n\n${
    formatRows([...rows, ...noun.localVerbs ?? []])
  }${renderExamples(examples)}\n${wrapText(`Run 'wheelwright ${noun.name} VERB --help' for details.`)}\n`;
}

export function renderVerbHelp(noun: CommandGroup, verb: GroupCommand): string {
  const usage = ["wheelwright", formatVerbTitle(noun, verb), ...verb.words].join(" ");
  const own = formatRows(flagRows(verb.flags)), more = verb.more.split("\n").map((line) => wrapText(line)).join("\n");
  return `${usage}\n\n${wrapText(verb.summary)}\n${more && `\n${more}\n`}${
    own ? `\nOptions\n${own}` : ""
  }\nGlobal options\n${formatRows(flagRows(COMMON_FLAGS))}` +
    renderExamples(verb.examples);
}

function flagRows(flags: VerbFlags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, { type, value, short, help }]) => {
    const placeholder = type === "string" ? ` ${value && !value.includes("|") ? value : name.toUpperCase()}` : "";
    const choices = value?.includes("|") ? ` (${value.split("|").join(", ")})` : "";
    return [`${short ? `-${short}, ` : ""}--${name}${placeholder}`, `${help}${choices}`] as const;
  });
}

function renderExamples(lines: readonly string[]): string {
  return lines.length > 0 ? `\nExamples\n${lines.map((line) => `  $ wheelwright ${line}\n`).join("")}` : "";
}
