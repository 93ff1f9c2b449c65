/** Lists all commands, in the order in which the help shows them. A command's module is loaded only when it is needed. */
import type { Command, CommandGroup } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  /** The name with the arguments that follow it, as the list of commands shows them. */
  readonly title: string;
  readonly summary: string;
}

/** The commands that call a server. */
export const CLIENT_COMMANDS = entriesOf({
  "login [URL]": "Sign in to a server, and store an API token for the server",
  "logout": "Sign out: revoke and delete the token that login stored",
  "me": "Show your account",
  "overview [HUB]": "Show the number of spokes in each state, and the job queue",
  "hubs VERB": "List, create and change hubs and their members",
  "spokes VERB": "List, create, change and destroy spokes",
  "operations VERB": "Show and watch operations",
  "rollouts VERB": "Change many spokes, wave by wave",
  "policy VERB": "Show and change what a hub shares with its spokes",
  "courses VERB": "List and publish the courses that a hub offers to its spokes",
  "usage NAME": "Show the storage, users and courses of a spoke or hub",
  "events follow HUB": "Follow the events of a hub",
  "webhooks VERB": "Send the events of hubs to a URL, or to a program on your machine",
  "requests VERB": "Request hubs, and approve or reject such requests",
  "restore-requests VERB": "Request the restore of a spoke, and complete or decline such requests",
  "notifications VERB": "Read your notifications",
  "users VERB": "List and change users (operators only)",
  "audit list | export": "Read the audit log of a server (operators only)",
  "tokens VERB": "List, create and revoke your API tokens",
  "catalog": "Show the sizes, versions and other choices for hubs and spokes",
  "cost HUB": "Show the monthly cost of a hub, or of adding a spoke to it",
  "availability NAME": "Show how many minutes a spoke, or all spokes of a hub, were available",
  "changelog": "Show announcements and the changes in each release",
  "completion bash | zsh | fish": "Print a completion script for your shell",
});

/** The commands that work on this machine. */
export const SERVER_COMMANDS = entriesOf({
  "dev": "Run everything on this machine: embedded PostgreSQL and a simulated cluster",
  "serve": "Run the control plane on your database and cluster",
  "migrate": "Migrate the database to this release, then exit",
  "doctor": "Check the configuration, database and cluster",
  "config": "List the configuration variables, and show which are set",
  "simulate": "Run only the simulated cluster",
  "admin reset-password | reset-factors": "Reset a user's password or second factors, without signing in",
  "restore SPOKE": "Restore a spoke from a backup, without signing in",
  "backup FILE": "Back up the database to a file, or verify a backup file",
  "restore-database FILE": "Restore a file from 'wheelwright backup' into an empty database",
  "audit heads | verify": "Show the newest hashes of the audit log, or verify that the log is unchanged",
  "healthcheck": "Check whether the server on this machine is ready (exit status 0 or 1)",
  "licenses": "Show the licences of Wheelwright and its packages",
});

const loadLogin = () => import("./login.ts"), loadCatalog = () => import("./catalog.ts");

/** Loads a client command, or the verbs of a noun. */
const CLIENT_LOADERS: Readonly<Record<string, () => Promise<Command | readonly Command[]>>> = {
  login: async () => (await loadLogin()).loginCommand,
  logout: async () => (await loadLogin()).logoutCommand,
  me: async () => (await loadLogin()).meCommand,
  overview: async () => (await import("./overview.ts")).overviewCommand,
  hubs: async () => (await import("./hubs.ts")).hubsCommands,
  spokes: async () => (await import("./spokes.ts")).spokesCommands,
  operations: async () => (await import("./operations.ts")).operationsCommands,
  rollouts: async () => (await import("./rollouts.ts")).rolloutsCommands,
  policy: async () => (await import("./policy.ts")).policyCommands,
  courses: async () => (await import("./courses.ts")).coursesCommands,
  usage: async () => (await import("./usage.ts")).usageCommand,
  events: async () => (await import("./events.ts")).eventsCommands,
  webhooks: async () => (await import("./webhooks.ts")).webhooksCommands,
  requests: async () => (await import("./requests.ts")).requestsCommands,
  "restore-requests": async () => (await import("./requests.ts")).restoreRequestsCommands,
  notifications: async () => (await import("./notifications.ts")).notificationsCommands,
  users: async () => (await import("./users.ts")).usersCommands,
  audit: async () => (await import("./audit.ts")).auditCommands,
  tokens: async () => (await import("./tokens.ts")).tokensCommands,
  catalog: async () => (await loadCatalog()).catalogCommand,
  cost: async () => (await import("./cost.ts")).costCommand,
  availability: async () => (await import("./availability.ts")).availabilityCommand,
  changelog: async () => (await loadCatalog()).changelogCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
};

/** Loads a command with its verbs. Returns null for an unknown name. `audit` has verbs of both kinds. */
export async function loadCommand(name: string): Promise<CommandGroup | null> {
  const summary = [...CLIENT_COMMANDS, ...SERVER_COMMANDS].find((each) => each.name === name)?.summary;
  if (summary === undefined) return null;
  const isLocal = SERVER_COMMANDS.some((each) => each.name === name);
  const local = isLocal ? (await import("../commands/declarations.ts")).LOCAL_COMMANDS[name] : [];
  return { name, summary, verbs: [await CLIENT_LOADERS[name]?.() ?? [], local ?? []].flat() };
}

function entriesOf(summaries: Readonly<Record<string, string>>): readonly CommandEntry[] {
  return Object.entries(summaries).map(([title, summary]) => ({ name: title.split(" ")[0]!, title, summary }));
}
