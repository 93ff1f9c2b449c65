/** Completes command lines for a shell: nouns, verbs, flags, flag values, and names from the server. */
import { SECOND, withTimeout } from "#lib/base/time.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import { ALL_COMMANDS } from "../commands/command-list.ts";
import {
  type CliContext,
  type CommandGroup,
  type GroupCommand,
  isRepeatableArgument,
  placeholderName,
} from "./verb-declaration.ts";
import { clientCommands } from "./nouns.ts";
import { print } from "./output.ts";
import { type CliOptions, COMMON_FLAGS } from "./parse-verb.ts";
import { readHubSlugs } from "./find-spoke.ts";
import { findSettingsPath, readSettings } from "./settings.ts";
import { sanitizeLine } from "./text.ts";

type Candidate = readonly [word: string, what: string];

/** Matches words that need no quoting in a shell. Other words are not suggested. */
const SAFE_WORD = /^[\w.@:/+-]+$/;

/** How long to wait for the server to return names, in milliseconds. */
const SERVER_TIMEOUT = 2 * SECOND;

/** Prints completions for the last word of `line`, which the user is typing. Prints nothing if an error occurs. */
export async function printCompletions(
  open: (options: CliOptions) => CliContext,
  line: readonly string[],
): Promise<number> {
  const typed = line.at(-1) ?? "";
  const found = await findCandidates(open, line.slice(0, -1), typed).catch(() => []);
  for (const [word, what] of found) {
    if (word.startsWith(typed) && SAFE_WORD.test(word)) print(`${sanitizeLine(word)}\t${sanitizeLine(what)}\n`);
  }
  return 0;
}

async function findCandidates(
  open: (options: CliOptions) => CliContext,
  before: readonly string[],
  typed: string,
): Promise<Candidate[]> {
  const [name, ...rest] = before;
  if (name === undefined) return [...clientCommands, ...ALL_COMMANDS].map(({ name, summary }) => [name, summary]);
  const noun = await clientCommands.find((each) => each.name === name)?.load();
  if (!noun) return [];
  const single = noun.verbs[0]!.name === "",
    verb = single ? noun.verbs[0]! : noun.verbs.find((each) => each.name === rest[0]);
  if (!verb) return rest.length === 0 ? verbsOf(noun) : [];
  const after = single ? rest : rest.slice(1), flags = { ...verb.flags, ...COMMON_FLAGS };
  const [, flag = ""] = /^--(.+)$/.exec(after.at(-1) ?? "") ?? [];
  const profile = after[after.indexOf("--profile") + 1];
  const cli = open({
    json: null,
    quiet: true,
    wide: false,
    profile: after.includes("--profile") ? profile : undefined,
  });
  if (flags[flag]?.type === "string") return await valuesOf(cli, flags[flag].value ?? flag.toUpperCase());
  if (typed.startsWith("-")) return Object.entries(flags).map(([name, { help }]) => [`--${name}`, help]);
  return await valuesOf(cli, placeholderName(placeholderAt(verb, after)));
}

function verbsOf(noun: CommandGroup): Candidate[] {
  return [...noun.verbs.map(({ name, summary }): Candidate => [name, summary]), ...noun.localVerbs ?? []];
}

/** Returns the placeholder for the next argument, such as `SPOKE`. */
function placeholderAt(verb: GroupCommand, after: readonly string[]): string {
  const flags = { ...verb.flags, ...COMMON_FLAGS };
  const words = after.filter((word, i) =>
    !word.startsWith("-") && flags[after[i - 1]?.slice(2) ?? ""]?.type !== "string"
  );
  const last = verb.words.at(-1);
  return verb.words[words.length] ?? (last && isRepeatableArgument(last) ? last : "");
}

async function valuesOf(cli: CliContext, meaning: string): Promise<Candidate[]> {
  if (meaning.includes("|")) return meaning.split("|").map((value) => [value, ""]);
  if (meaning === "SHELL") return ["bash", "zsh", "fish"].map((shell) => [shell, ""]);
  if (meaning === "PROFILE") {
    return Object.entries(readSettings(findSettingsPath(cli.env), () => {}).profiles).map((
      [name, { url }],
    ) => [name, url]);
  }
  const readCandidates = SERVER_CANDIDATES[meaning];
  return (readCandidates && await withTimeout(SERVER_TIMEOUT, readCandidates(cli.api))) ?? [];
}

/** Functions that read suggestions from the server, keyed by the placeholder in the help, such as `SPOKE`. */
const SERVER_CANDIDATES: Readonly<Record<string, (api: Wheelwright) => Promise<Candidate[]>>> = {
  HUB: async (api) => (await api.listFederations({}, { maxAttempts: 1 })).map(({ slug, name }) => [slug, name]),
  SPOKE: async (api) => {
    const [spokes, hubs] = await Promise.all([api.listMySpokes({}, { maxAttempts: 1 }), readHubSlugs(api)]);
    return spokes.map(({ federationId, slug, domain, state }) => {
      const hub = hubs.get(federationId);
      return [hub ? `${hub}/${slug}` : domain, state];
    });
  },
  "HUB/SLUG": async (api) =>
    (await api.listFederations({}, { maxAttempts: 1 })).map(({ slug, name }) => [`${slug}/`, name]),
  TOKEN: async (api) => (await api.listTokens({}, { maxAttempts: 1 })).map(({ id, name }) => [id, name]),
  REQUEST: async (api) =>
    (await api.listFederationRequests({ state: "pending" }, { maxAttempts: 1 })).map(({ id, slug }) => [id, slug]),
  USER: async (api) =>
    (await api.listUsers({ limit: 100 }, { maxAttempts: 1 })).map(({ email, role }) => [email, role]),
  SIZE: async (api) => (await api.getCatalog({ maxAttempts: 1 })).sizes.map(({ name, title }) => [name, title ?? ""]),
  VERSION: async (api) =>
    (await api.getCatalog({ maxAttempts: 1 })).versions.map(({ name, title }) => [name, title ?? ""]),
};
