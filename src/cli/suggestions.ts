/**
 * Suggests commands for words of other tools, such as kubectl. It never runs a suggestion, because some commands
 * destroy sites.
 */
import { findNearestName } from "#lib/base/nearest-name.ts";
import type { Noun } from "./verb-declaration.ts";

/**
 * Words of other tools, with the verbs that they may mean, best first. `verbMeant` adds `get`, which suggests two
 * verbs.
 */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ...same(["delete", "rm", "remove", "del", "uninstall"], ["destroy", "revoke", "remove-member", "withdraw"]),
  ...same(["describe", "info", "inspect", "status", "view"], ["show"]),
  ...same(["ls", "ps"], ["list"]),
  ...same(["add", "new", "make"], ["create"]),
  ...same(["edit", "set", "patch", "modify"], ["update"]),
  ...same(["log"], ["logs"]),
  ...same(["logs", "history"], ["activity", "operations"]),
  ...same(["stop"], ["suspend"]),
  ...same(["start"], ["resume"]),
  ...same(["scale"], ["resize"]),
};

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ...same(["delete", "rm", "remove", "del", "uninstall"], ["spokes destroy SPOKE", "hubs destroy HUB"]),
  ...same(["get", "ls", "list"], ["spokes list", "hubs list"]),
  ...same(["describe", "info", "inspect", "show"], ["spokes show SPOKE", "hubs show HUB"]),
  ...same(["create", "add", "new"], ["spokes create HUB/SLUG", "hubs create SLUG"]),
  ...same(["logs", "log"], ["spokes logs SPOKE"]),
  ...same(["status", "ps", "top"], ["overview"]),
  ...same(["whoami", "who"], ["me"]),
  ...same(["apply"], ["spokes apply -f FILE"]),
  ...same(["upgrade"], ["spokes upgrade SPOKE --to VERSION"]),
};

/** Returns the suggestion for a verb that the noun does not have. It is empty if no verb is similar. */
export function verbMeant(noun: Noun, name: string): string {
  const all = new Map<string, readonly string[]>([...Object.entries(VERBS), ["get", ["list", "show"]]]);
  const known = [...noun.verbs.map((each) => each.name), ...(noun.here ?? []).map(([verb]) => verb)];
  const linesOf = (word: string): string[] =>
    (all.get(word) ?? []).flatMap((wanted) => noun.verbs.find((each) => each.name === wanted) ?? [])
      .slice(0, word === "get" ? 2 : 1)
      .map((verb) => ["wheelwright", noun.name, verb.name, ...verb.words].join(" "));
  const habits = [...all.keys()].filter((word) => !known.includes(word) && linesOf(word).length > 0);
  return meantBy(name, known, habits, linesOf);
}

/** Returns the suggestion for a command that does not exist. It is empty if no command is similar. */
export function commandMeant(name: string, known: readonly string[]): string {
  const habits = Object.keys(COMMANDS).filter((word) => !known.includes(word));
  return meantBy(name, known, habits, (word) => (COMMANDS[word] ?? []).map((line) => `wheelwright ${line}`));
}

function meantBy(
  name: string,
  known: readonly string[],
  habits: readonly string[],
  linesOf: (word: string) => readonly string[],
): string {
  const meant = habits.includes(name) ? name : findNearestName(name, [...known, ...habits]);
  if (meant === null) return "";
  return known.includes(meant) ? `; did you mean ${meant}?` : `; here it is ${linesOf(meant).join(" or ")}`;
}

function same(words: readonly string[], meant: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(words.map((word) => [word, meant]));
}
