/**
 * Lists the nouns (command groups) of commands that call a server, in the order in which the help shows them. The
 * verbs of a noun are loaded only when a command needs them.
 */
import type { CommandGroup } from "./verb-declaration.ts";

interface NounEntry {
  readonly name: string;
  /** The arguments that follow the command's name, as shown in the help. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<CommandGroup>;
}

export const clientCommands: readonly NounEntry[] = [
  {
    name: "login",
    usage: "[URL]",
    summary: "Sign in to a server, and store an API token for the server",
    load: async () => (await import("./login.ts")).loginCommand,
  },
  {
    name: "logout",
    usage: "",
    summary: "Sign out: revoke and delete the token that login stored",
    load: async () => (await import("./login.ts")).logoutCommand,
  },
  {
    name: "me",
    usage: "",
    summary: "Show your account",
    load: async () => (await import("./login.ts")).meCommand,
  },
  {
    name: "overview",
    usage: "[HUB]",
    summary: "Show the number of spokes in each state, and the job queue",
    load: async () => (await import("./overview.ts")).overviewCommand,
  },
  {
    name: "hubs",
    usage: "VERB",
    summary: "List, create and change hubs and their members",
    load: async () => (await import("./hubs.ts")).hubsCommands,
  },
  {
    name: "spokes",
    usage: "VERB",
    summary: "List, create, change and destroy spokes",
    load: async () => (await import("./spokes.ts")).spokesCommands,
  },
  {
    name: "operations",
    usage: "VERB",
    summary: "Show and watch operations",
    load: async () => (await import("./operations.ts")).operationsCommands,
  },
  {
    name: "events",
    usage: "follow HUB",
    summary: "Follow the events of a hub",
    load: async () => (await import("./events.ts")).eventsCommands,
  },
  {
    name: "requests",
    usage: "VERB",
    summary: "Request hubs, and approve or reject such requests",
    load: async () => (await import("./requests.ts")).requestsCommands,
  },
  {
    name: "restore-requests",
    usage: "VERB",
    summary: "Request the restore of a spoke, and complete or decline such requests",
    load: async () => (await import("./restore-requests.ts")).restoreRequestsCommands,
  },
  {
    name: "notifications",
    usage: "VERB",
    summary: "Read your notifications",
    load: async () => (await import("./notifications.ts")).notificationsCommands,
  },
  {
    name: "users",
    usage: "VERB",
    summary: "List and change users (operators only)",
    load: async () => (await import("./users.ts")).usersCommands,
  },
  {
    name: "audit",
    usage: "list | export",
    summary: "Read the audit log of a server (operators only)",
    load: async () => (await import("./audit.ts")).auditCommands,
  },
  {
    name: "tokens",
    usage: "VERB",
    summary: "List, create and revoke your API tokens",
    load: async () => (await import("./tokens.ts")).tokensCommands,
  },
  {
    name: "catalog",
    usage: "",
    summary: "Show the sizes, versions and other choices for hubs and spokes",
    load: async () => (await import("./catalog.ts")).catalogCommand,
  },
  {
    name: "cost",
    usage: "HUB",
    summary: "Show the cost of adding a spoke to a hub",
    load: async () => (await import("./catalog.ts")).costCommand,
  },
  {
    name: "changelog",
    usage: "",
    summary: "Show announcements and the changes in each release",
    load: async () => (await import("./catalog.ts")).changelogCommand,
  },
  {
    name: "completion",
    usage: "bash | zsh | fish",
    summary: "Print a completion script for your shell",
    load: async () => (await import("./completion.ts")).completionCommand,
  },
];

/** The hidden command that the shell completion scripts run. */
const COMPLETION_COMMAND = "__complete";

/**
 * Whether a command calls a server's API. Some nouns also have subcommands that run on this machine, listed in `local`.
 */
export function isClientCommand(name: string, verb: string | undefined, local: readonly string[] | undefined): boolean {
  return name === COMPLETION_COMMAND ||
    clientCommands.some((noun) => noun.name === name) && !local?.includes(verb ?? "");
}
