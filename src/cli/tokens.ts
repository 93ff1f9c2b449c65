/** Implements `wheelwright tokens`, which lists, creates and revokes the user's API tokens. */
import { resolveServerUrl } from "./connection.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { parseTokenScope } from "./login.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { print, printNote, showChanges, showJson, showList } from "./output.ts";
import { CREDENTIAL_FLAGS, signInAndCreateToken } from "./create-token.ts";
import { DAY } from "#lib/base/time.ts";
import { sanitizeLine } from "./text.ts";
import { parseDuration } from "./times.ts";

export const tokensCommands: CommandGroup = {
  name: "tokens",
  summary: "Your API tokens",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List your active tokens",
      flags: { limit: LIMIT_FLAG, all: ALL_FLAG },
      examples: ["tokens list", "tokens list --json=id,name,lastUsedAt"],
      async run(cli, { flags }) {
        showList(cli, await readListItems(cli.api.listTokens({ limit: computePageSize(flags) }), flags), [
          ["ID", (token) => token.id, "id"],
          ["NAME", (token) => token.name],
          ["SCOPE", (token) => token.scope],
          ["LAST USED", (token) => token.lastUsedAt, "time"],
          ["EXPIRES", (token) => token.expiresAt, "time"],
          ["PREFIX", (token) => token.prefix],
          ["CREATED", (token) => token.createdAt, "time"],
        ]);
      },
    }),
    defineVerb({
      name: "create",
      summary: "Create a token and print it",
      words: ["NAME"],
      flags: {
        ...CREDENTIAL_FLAGS,
        scope: { type: "string", value: "cli|provisioning|readonly", help: "scope of the token" },
        expires: { type: "string", value: "SPAN", help: "lifetime, for example 7d (default: no expiry)" },
      },
      more: "Prompts for your password, because a token cannot create tokens. The token is printed only once.",
      examples: ["tokens create 'nightly report' --scope readonly --expires 7d"],
      async run(cli, { words: [name], flags: { scope, expires, ...credentials } }) {
        const expiresAt = expires === undefined ? null : expiryAfter(expires);
        const newToken = { name: name!, scope: parseTokenScope(scope), expiresAt };
        await signInAndCreateToken(cli, { ...credentials, url: resolveServerUrl(cli), newToken }, async (minted) => {
          if (cli.json) return showJson(cli, minted);
          print(`${sanitizeLine(minted.token)}\n`);
          printNote(cli, `Created token ${minted.id}. Store the token now, because it cannot be shown again`);
        });
      },
    }),
    defineVerb({
      name: "revoke",
      summary: "Revoke tokens",
      words: ["TOKEN..."],
      examples: ["tokens revoke tok_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words }) {
        for (const tokenId of words) await cli.api.deleteToken({ tokenId });
        const revoked = words.map((id) => ({ id }));
        showChanges(cli, revoked, ({ id }) => `Token ${id} was revoked`);
      },
    }),
  ],
};

function expiryAfter(text: string): string {
  const days = /^(\d{1,4})d$/.exec(text)?.[1]; // `parseDuration` allows at most 24 days
  return new Date(Date.now() + (days ? Number(days) * DAY : parseDuration("--expires", text))).toISOString();
}
