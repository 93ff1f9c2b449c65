/**
 * Suggests Wheelwright commands for words from tools such as kubectl. Never runs a suggested command, because some
 * commands destroy sites.
 */
import { findNearestName } from "#lib/base/nearest-name.ts";
import type { CommandGroup } from "./command.ts";

/** Words from other tools, each with the Wheelwright verbs that the user may mean, most likely verb first. */
const VERB_ALIASES: Readonly<Record<string, readonly string[]>> = {
  ...aliasesOf("delete rm remove del uninstall", "destroy", "revoke", "remove-member", "withdraw"),
  ...aliasesOf("describe info inspect status view", "show"),
  ...aliasesOf("get", "list", "show"),
  ...aliasesOf("ls ps", "list"),
  ...aliasesOf("add new make", "create"),
  ...aliasesOf("edit set patch modify", "update"),
  ...aliasesOf("log", "logs"),
  ...aliasesOf("logs history", "activity", "operations"),
  ...aliasesOf("stop", "suspend"),
  ...aliasesOf("start", "resume"),
  ...aliasesOf("scale", "resize"),
};

const COMMAND_ALIASES: Readonly<Record<string, readonly string[]>> = {
  ...aliasesOf("delete rm remove del uninstall", "spokes destroy SPOKE", "hubs destroy HUB"),
  ...aliasesOf("get ls list", "spokes list", "hubs list"),
  ...aliasesOf("describe info inspect show", "spokes show SPOKE", "hubs show HUB"),
  ...aliasesOf("create add new", "spokes create HUB/SLUG", "hubs create SLUG"),
  ...aliasesOf("logs log", "spokes logs SPOKE"),
  ...aliasesOf("status ps top", "overview"),
  ...aliasesOf("whoami who", "me"),
  ...aliasesOf("apply", "spokes apply -f FILE"),
  ...aliasesOf("upgrade", "spokes upgrade SPOKE --to VERSION"),
};

/** Returns a suggestion for a verb that the noun does not have, or an empty string if no verb is similar. */
export function suggestVerb({ name: noun, verbs }: CommandGroup, name: string): string {
  const names = verbs.map((each) => each.name);
  const commandsFor = (word: string): string[] =>
    (VERB_ALIASES[word] ?? []).flatMap((verbName) => verbs.find((each) => each.name === verbName) ?? [])
      .slice(0, word === "get" ? 2 : 1)
      .map((verb) => ["wheelwright", noun, verb.name, ...verb.words].join(" "));
  const aliases = Object.keys(VERB_ALIASES).filter((word) => !names.includes(word) && commandsFor(word).length > 0);
  return suggest(name, names, aliases, commandsFor);
}

/** Returns a suggestion for a command that does not exist, or an empty string if no command is similar. */
export function suggestCommand(name: string, names: readonly string[]): string {
  const aliases = Object.keys(COMMAND_ALIASES).filter((word) => !names.includes(word));
  return suggest(name, names, aliases, (word) => COMMAND_ALIASES[word]!.map((line) => `wheelwright ${line}`));
}

function suggest(
  name: string,
  names: readonly string[],
  aliases: readonly string[],
  commandsFor: (word: string) => readonly string[],
): string {
  const meant = aliases.includes(name) ? name : findNearestName(name, [...names, ...aliases]);
  if (meant === null) return "";
  return names.includes(meant) ? `. Did you mean ${meant}?` : `. Did you mean: ${commandsFor(meant).join(" or ")}`;
}

function aliasesOf(words: string, ...meant: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(words.split(" ").map((word) => [word, meant]));
}
