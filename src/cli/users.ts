/** Implements `wheelwright users`, with which operators list and change user accounts. */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import type { UserRecord, Wheelwright } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { CommandError, EXIT } from "./exit-status.ts";
import { requireChanges, showChange, showRecord } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";

export const usersCommands = [
  defineCommand({
    name: "list",
    summary: "List users, newest first",
    options: {
      role: { type: "string", value: "operator|hub_admin|spoke_admin", help: "only users with this role" },
      state: { type: "string", value: "active|invited|unverified|disabled", help: "only users in this state" },
      q: { type: "string", value: "TEXT", help: "only users whose name or address contains this text" },
      ...PAGE_OPTIONS,
    },
    examples: ["users list --role operator", "users list --q school.example --json=id,email"],
    run: (cli, { options: { role, state, q, ...page } }) =>
      showPages(cli, page, (limit) => cli.api.listUsers({ role, state, q, limit }), [
        ["E-MAIL", (user) => user.email],
        ["ROLE", (user) => user.role],
        ["STATE", (user) => user.state, "state"],
        ["NAME", (user) => user.displayName],
        ["CREATED", (user) => user.createdAt, "time"],
        ["ID", (user) => user.id, "id"],
      ]),
  }),
  defineCommand({
    name: "show",
    summary: "Show a user, identified by ID or email address",
    words: ["USER"],
    examples: ["users show ada@school.example"],
    run: async (cli, { words: [name] }) =>
      showRecord(cli, await requireUser(cli.api, name), (user) => [
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
      ]),
  }),
  defineCommand({
    name: "update",
    summary: "Rename, disable or enable a user, or remove the operator role",
    words: ["USER"],
    options: {
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
    async run(cli, { words: [name], options: { name: displayName, disabled, operator } }) {
      const changes = requireChanges({ displayName, disabled: toBoolean(disabled), operator: toBoolean(operator) });
      const user = await cli.api.updateUser({ userId: (await requireUser(cli.api, name)).id }, changes);
      showChange(cli, user, `User ${user.email} was updated: ${user.role}, ${user.state}`);
    },
  }),
];

const toBoolean = (answer: "yes" | "no" | undefined) => answer && answer === "yes";

async function requireUser(api: Wheelwright, name: string): Promise<UserRecord> {
  if (!name.includes("@")) return await api.getUser({ userId: name });
  const users = await api.listUsers({ email: name });
  const found = users.find(({ email }) => email.toLowerCase() === canonicalizeSearchTerm(name));
  if (found) return found;
  throw new CommandError(EXIT.notFound, `No user ${name} found`);
}
