/** Implements `wheelwright users`, with which operators list and change user accounts. */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import type { UserRecord, Wheelwright } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { showChange, showList, showRecord } from "./output.ts";
import { EXIT_NOT_FOUND, EXIT_USAGE } from "./exit-status.ts";

export const usersCommands: CommandGroup = {
  name: "users",
  summary: "User accounts (operators only). Identify a user by ID or email address",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List users, newest first",
      flags: {
        role: { type: "string", value: "operator|hub_admin|spoke_admin", help: "only users with this role" },
        state: { type: "string", value: "active|invited|unverified|disabled", help: "only users in this state" },
        q: { type: "string", value: "TEXT", help: "only users whose name or address contains this text" },
        limit: LIMIT_FLAG,
        all: ALL_FLAG,
      },
      examples: ["users list --role operator", "users list --q school.example --json=id,email"],
      async run(cli, { flags }) {
        const role = flags.role as UserRecord["role"] | undefined,
          state = flags.state as UserRecord["state"] | undefined;
        showList(
          cli,
          await readListItems(cli.api.listUsers({ role, state, q: flags.q, limit: computePageSize(flags) }), flags),
          [
            ["E-MAIL", (user) => user.email],
            ["ROLE", (user) => user.role],
            ["STATE", (user) => user.state, "state"],
            ["NAME", (user) => user.displayName],
            ["CREATED", (user) => user.createdAt, "time"],
            ["ID", (user) => user.id, "id"],
          ],
        );
      },
    }),
    defineVerb({
      name: "show",
      summary: "Show a user",
      words: ["USER"],
      examples: ["users show ada@school.example"],
      async run(cli, { words: [word] }) {
        const user = await requireUser(cli.api, word!);
        showRecord(cli, user, [
          ["email", user.email],
          ["name", user.displayName],
          ["role", user.role],
          ["state", user.state, "state"],
          ["verified", user.emailVerifiedAt, "time"],
          ["disabled", user.disabledAt, "time"],
          ["hubs", user.federationIds.join(", ")],
          ["spokes", user.spokeIds.join(", ")],
          ["created", user.createdAt, "time"],
          ["id", user.id],
        ]);
      },
    }),
    defineVerb({
      name: "update",
      summary: "Rename, disable or enable a user, or remove the operator role",
      words: ["USER"],
      flags: {
        name: { type: "string", help: "display name" },
        disabled: { type: "string", value: "yes|no", help: "whether the account is disabled" },
        operator: {
          type: "string",
          value: "yes|no",
          help: "whether the user is an operator; to grant the role, use the portal",
        },
      },
      more: "To grant the operator role or set a password, use the portal.",
      examples: ["users update bo@school.example --disabled yes", "users update bo@school.example --name 'Bo Berg'"],
      async run(cli, { words: [word], flags }) {
        const patch = {
          displayName: flags.name,
          disabled: parseYesOrNo("--disabled", flags.disabled),
          operator: parseYesOrNo("--operator", flags.operator),
        };
        if (Object.values(patch).every((value) => value === undefined)) {
          throw new CommandError(EXIT_USAGE, "No change was requested. For the options, add --help");
        }
        const user = await cli.api.updateUser({ userId: (await requireUser(cli.api, word!)).id }, patch);
        showChange(cli, user, `User ${user.email} was updated: ${user.role}, ${user.state}`);
      },
    }),
  ],
};

function parseYesOrNo(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined || text === "yes" || text === "no") return text === undefined ? undefined : text === "yes";
  throw new CommandError(EXIT_USAGE, `${name} must be yes or no`);
}

async function requireUser(api: Wheelwright, name: string): Promise<UserRecord> {
  if (!name.includes("@")) return await api.getUser({ userId: name });
  const found = (await api.listUsers({ email: name })).find(({ email }) =>
    email.toLowerCase() === canonicalizeSearchTerm(name)
  );
  if (found) return found;
  throw new CommandError(EXIT_NOT_FOUND, `No user ${name} found`);
}
