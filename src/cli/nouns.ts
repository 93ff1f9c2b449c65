/**
 * Lists the nouns of the commands that use a server, in the order of the help. A noun's verbs are loaded only when a
 * command needs them.
 */
import type { CliNoun } from "./verb-declaration.ts";

interface NounEntry {
  readonly name: string;
  /** The arguments after the name, for the help. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<CliNoun>;
}

export const nouns: readonly NounEntry[] = [
  {
    name: "login",
    usage: "[URL]",
    summary: "Sign in to a server, and keep a token for it",
    load: async () => (await import("./login.ts")).loginNoun,
  },
  {
    name: "logout",
    usage: "",
    summary: "Revoke that token, and forget it",
    load: async () => (await import("./login.ts")).logoutNoun,
  },
  {
    name: "me",
    usage: "",
    summary: "Show who you are to the server",
    load: async () => (await import("./login.ts")).meNoun,
  },
  {
    name: "overview",
    usage: "[HUB]",
    summary: "Show where everything stands",
    load: async () => (await import("./overview.ts")).overviewNoun,
  },
  {
    name: "hubs",
    usage: "VERB",
    summary: "List, make and change hubs, and who runs them",
    load: async () => (await import("./hubs.ts")).hubsNoun,
  },
  {
    name: "spokes",
    usage: "VERB",
    summary: "List, make, change, act on and destroy spokes",
    load: async () => (await import("./spokes.ts")).spokesNoun,
  },
  {
    name: "operations",
    usage: "VERB",
    summary: "Show what is under way, and watch it",
    load: async () => (await import("./operations.ts")).operationsNoun,
  },
  {
    name: "events",
    usage: "follow HUB",
    summary: "Follow what happens in a hub",
    load: async () => (await import("./events.ts")).eventsNoun,
  },
  {
    name: "requests",
    usage: "VERB",
    summary: "Ask for a hub, and decide such requests",
    load: async () => (await import("./requests.ts")).requestsNoun,
  },
  {
    name: "restore-requests",
    usage: "VERB",
    summary: "Request a restore of a spoke, and decide such requests",
    load: async () => (await import("./restore-requests.ts")).restoreRequestsNoun,
  },
  {
    name: "notifications",
    usage: "VERB",
    summary: "Read what concerns you",
    load: async () => (await import("./notifications.ts")).notificationsNoun,
  },
  {
    name: "users",
    usage: "VERB",
    summary: "List and change users (operators)",
    load: async () => (await import("./users.ts")).usersNoun,
  },
  {
    name: "audit",
    usage: "list | export",
    summary: "Read the audit log of a server (operators)",
    load: async () => (await import("./audit.ts")).auditNoun,
  },
  {
    name: "tokens",
    usage: "VERB",
    summary: "List, make and revoke your tokens",
    load: async () => (await import("./tokens.ts")).tokensNoun,
  },
  {
    name: "catalog",
    usage: "",
    summary: "Show what hubs and spokes can be made of",
    load: async () => (await import("./catalog.ts")).catalogNoun,
  },
  {
    name: "cost",
    usage: "HUB",
    summary: "Show what one more spoke would cost a hub",
    load: async () => (await import("./catalog.ts")).costNoun,
  },
  {
    name: "changelog",
    usage: "",
    summary: "Show what is announced, and what each release changed",
    load: async () => (await import("./catalog.ts")).changelogNoun,
  },
  {
    name: "completion",
    usage: "bash | zsh | fish",
    summary: "Print what completes these commands in your shell",
    load: async () => (await import("./completion.ts")).completionNoun,
  },
];

/** The hidden command that the shells' completion scripts run. */
const COMPLETION_COMMAND = "__complete";

/**
 * Whether a command line is for a server. Some nouns are also local commands; `local` has the verbs of that command.
 */
export function isServerCommand(name: string, verb: string | undefined, local: readonly string[] | undefined): boolean {
  return name === COMPLETION_COMMAND || nouns.some((noun) => noun.name === name) && !local?.includes(verb ?? "");
}
