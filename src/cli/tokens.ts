/** Implements `wheelwright tokens`, which lists, creates and revokes the user's API tokens. */
import { DAY } from "#lib/base/time.ts";
import { defineCommand } from "./command.ts";
import { resolveServerUrl } from "./connection.ts";
import { CREDENTIAL_OPTIONS, SCOPE_OPTION, signInAndCreateToken } from "./login.ts";
import { print, printNote, showChanges, showJson } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import { sanitizeLine } from "./text.ts";
import { parseDuration } from "./times.ts";

/** The lifetime of a token if the user chooses none. Tokens created with the API do not expire by default. */
const LIFETIME = "90d";

export const tokensCommands = [
  defineCommand({
    name: "list",
    summary: "List your active tokens",
    options: PAGE_OPTIONS,
    examples: ["tokens list", "tokens list --json=id,name,lastUsedAt"],
    run: (cli, { options }) =>
      showPages(cli, options, (limit) => cli.api.listTokens({ limit }), [
        ["ID", (token) => token.id, "id"],
        ["NAME", (token) => token.name],
        ["SCOPE", (token) => token.scope],
        ["HUBS", (token) => token.federationIds?.length ?? "all"],
        ["LAST USED", (token) => token.lastUsedAt, "time"],
        ["FROM", (token) => token.lastUsedIp],
        ["EXPIRES", (token) => token.expiresAt, "time"],
        ["PREFIX", (token) => token.prefix],
        ["CREATED", (token) => token.createdAt, "time"],
      ]),
  }),
  defineCommand({
    name: "create",
    summary: "Create a token and print it",
    words: ["NAME"],
    options: {
      ...CREDENTIAL_OPTIONS,
      ...SCOPE_OPTION,
      expires: { type: "string", value: "SPAN", help: `lifetime, for example 7d, or never (default: ${LIFETIME})` },
      hub: { type: "string", multiple: true, value: "HUB", help: "limit the token to a hub; can be repeated" },
    },
    more: "Prompts for your password, because a token cannot create tokens. The token is printed only once.",
    examples: [
      "tokens create 'nightly report' --scope readonly --expires 7d",
      "tokens create deploy --scope provisioning --hub north --hub south",
    ],
    async run(
      cli,
      { words: [name], options: { scope = "cli", expires = LIFETIME, hub: federationIds, ...credentials } },
    ) {
      const expiresAt = expires === "never" ? null : expiryAfter(expires);
      const newToken = { name, scope, expiresAt, ...(federationIds && { federationIds }) };
      await signInAndCreateToken(cli, { ...credentials, url: resolveServerUrl(cli), newToken }, (minted) => {
        if (cli.json) return showJson(cli, minted);
        print(`${sanitizeLine(minted.token)}\n`);
        const expiry = minted.expiresAt === null
          ? "It never expires"
          : `It expires on ${minted.expiresAt.slice(0, 10)}`;
        printNote(cli, `Created token ${minted.id}. ${expiry}. Store it now, because it cannot be shown again`);
      });
    },
  }),
  defineCommand({
    name: "revoke",
    summary: "Revoke tokens",
    words: ["TOKEN..."],
    examples: ["tokens revoke tok_0123456789abcdefghjkmnpqrs"],
    async run(cli, { words }) {
      for (const tokenId of words) await cli.api.deleteToken({ tokenId });
      showChanges(cli, words.map((id) => ({ id })), ({ id }) => `Token ${id} was revoked`);
    },
  }),
];

function expiryAfter(text: string): string {
  const days = /^(\d{1,4})d$/.exec(text)?.[1]; // `parseDuration` allows at most 24 days
  return new Date(Date.now() + (days ? Number(days) * DAY : parseDuration("--expires", text))).toISOString();
}
