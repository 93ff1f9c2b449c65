/** Completes command lines for a shell: nouns, verbs, options, their values, and names from the server. */
import { SECOND, withTimeout } from "#lib/base/time.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import { type CliContext, type Command, isRepeatableArgument, placeholderName } from "./command.ts";
import { CLIENT_COMMANDS, loadCommand, SERVER_COMMANDS } from "./commands.ts";
import * as connection from "./connection.ts";
import { formatSpokeName, readHubSlugs } from "./find-spoke.ts";
import { print } from "./output.ts";
import { type CliOptions, commonOptions } from "./parse.ts";
import { findSettingsPath, readSettings } from "./settings.ts";
import { sanitizeLine } from "./text.ts";

type CreateCliContext = (options: CliOptions, connected: typeof connection) => CliContext;

type Candidate = readonly [word: string, what: string];

/** Matches words that need no quoting in a shell. Other words are not suggested. */
const SAFE_WORD = /^[\w.@:/+-]+$/;

/** How long to wait for the server to return names, in milliseconds. */
const SERVER_TIMEOUT = 2 * SECOND;

/** Prints completions for the last word of `line`, which the user is typing. Prints nothing if an error occurs. */
export async function printCompletions(open: CreateCliContext, line: readonly string[]): Promise<number> {
  const typed = line.at(-1) ?? "";
  const found = await findCandidates(open, line.slice(0, -1), typed).catch(() => []);
  for (const [word, what] of found) {
    if (word.startsWith(typed) && SAFE_WORD.test(word)) print(`${sanitizeLine(word)}\t${sanitizeLine(what)}\n`);
  }
  return 0;
}

async function findCandidates(
  open: CreateCliContext,
  [name, ...rest]: readonly string[],
  typed: string,
): Promise<Candidate[]> {
  if (name === undefined) return [...CLIENT_COMMANDS, ...SERVER_COMMANDS].map(({ name, summary }) => [name, summary]);
  const noun = await loadCommand(name);
  if (!noun) return [];
  const [first] = noun.verbs, verb = first!.name === "" ? first! : noun.verbs.find((each) => each.name === rest[0]);
  if (!verb) return rest.length === 0 ? noun.verbs.map(({ name, summary }) => [name, summary]) : [];
  const after = verb === first && verb.name === "" ? rest : rest.slice(1);
  const options = { ...verb.options, ...commonOptions(verb) };
  const optionOf = (word = "") =>
    Object.entries(options).find(([name, { short }]) => word === `--${name}` || short && word === `-${short}`)?.[1];
  const profile = after.includes("--profile") ? after[after.indexOf("--profile") + 1] : undefined;
  const cli = open({ json: null, quiet: true, wide: false, profile }, connection);
  const option = optionOf(after.at(-1));
  if (option?.type === "string") return await valuesOf(cli, option.value ?? after.at(-1)!.slice(2).toUpperCase());
  if (typed.startsWith("-")) return Object.entries(options).map(([name, { help }]) => [`--${name}`, help]);
  const words = after.filter((word, i) => !word.startsWith("-") && optionOf(after[i - 1])?.type !== "string");
  return await valuesOf(cli, placeholderName(placeholderAt(verb, words.length)));
}

/** Returns the placeholder for the argument with this index, such as `SPOKE`, or an empty string. */
function placeholderAt({ words }: Command, index: number): string {
  const last = words.at(-1) ?? "";
  return words[index] ?? (isRepeatableArgument(last) ? last : "");
}

async function valuesOf(cli: CliContext, meaning: string): Promise<Candidate[]> {
  if (meaning.includes("|")) return meaning.split("|").map((value) => [value, ""]);
  if (meaning === "PROFILE") {
    const { profiles } = readSettings(findSettingsPath(cli.env), () => {});
    return Object.entries(profiles).map(([name, { url }]) => [name, url]);
  }
  const readCandidates = SERVER_CANDIDATES[meaning];
  return (readCandidates && await withTimeout(SERVER_TIMEOUT, readCandidates(cli.api))) ?? [];
}

const ONCE = { maxAttempts: 1 };

/** Functions that read suggestions from the server, keyed by the placeholder in the help, such as `SPOKE`. */
const SERVER_CANDIDATES: Readonly<Record<string, (api: Wheelwright) => Promise<Candidate[]>>> = {
  HUB: async (api) => (await api.listFederations({}, ONCE)).map(({ slug, name }) => [slug, name]),
  SPOKE: async (api) => {
    const [spokes, hubs] = await Promise.all([api.listMySpokes({}, ONCE), readHubSlugs(api)]);
    return spokes.map((spoke) => [formatSpokeName(spoke, hubs), spoke.state]);
  },
  "HUB/SLUG": async (api) => (await api.listFederations({}, ONCE)).map(({ slug, name }) => [`${slug}/`, name]),
  TOKEN: async (api) => (await api.listTokens({}, ONCE)).map(({ id, name }) => [id, name]),
  REQUEST: async (api) =>
    (await api.listFederationRequests({ state: "pending" }, ONCE)).map(({ id, slug }) => [id, slug]),
  USER: async (api) => (await api.listUsers({ limit: 100 }, ONCE)).map(({ email, role }) => [email, role]),
  SIZE: async (api) => (await api.getCatalog(ONCE)).sizes.map(({ name, title }) => [name, title ?? ""]),
  VERSION: async (api) => (await api.getCatalog(ONCE)).versions.map(({ name, title }) => [name, title ?? ""]),
};
