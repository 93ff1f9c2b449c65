/** Formats the help of a noun and of a verb. */
import { listed, wrapped } from "../commands/wrap-text.ts";
import { type Noun, type Verb, type VerbFlags } from "./verb-declaration.ts";
import { COMMON, verbTitle } from "./parse-verb.ts";

export function helpOfNoun(noun: Noun): string {
  const rows = noun.verbs.map((verb) => [[verb.name, ...verb.words].join(" "), verb.summary] as const);
  const examples = noun.verbs.flatMap((verb) => verb.examples.slice(0, 1)).slice(0, 6);
  return `wheelwright ${noun.name} VERB\n\n${wrapped(noun.summary)}\n\n${listed([...rows, ...noun.here ?? []])}${
    examplesOf(examples)
  }\n${wrapped(`wheelwright ${noun.name} VERB --help tells more`)}\n`;
}

export function helpOfVerb(noun: Noun, verb: Verb): string {
  const usage = ["wheelwright", verbTitle(noun, verb), ...verb.words].join(" ");
  const own = listed(flagRows(verb.flags)), more = verb.more.split("\n").map((line) => wrapped(line)).join("\n");
  return `${usage}\n\n${wrapped(verb.summary)}\n${more && `\n${more}\n`}${
    own ? `\nOptions\n${own}` : ""
  }\nEverywhere\n${listed(flagRows(COMMON))}` +
    examplesOf(verb.examples);
}

function flagRows(flags: VerbFlags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, { type, value, short, help }]) => {
    const placeholder = type === "string" ? ` ${value && !value.includes("|") ? value : name.toUpperCase()}` : "";
    const choices = value?.includes("|") ? ` (${value.split("|").join(", ")})` : "";
    return [`${short ? `-${short}, ` : ""}--${name}${placeholder}`, `${help}${choices}`] as const;
  });
}

function examplesOf(lines: readonly string[]): string {
  return lines.length > 0 ? `\nExamples\n${lines.map((line) => `  $ wheelwright ${line}\n`).join("")}` : "";
}
