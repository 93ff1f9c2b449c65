/** `wheelwright tokens`: lists, creates and revokes the user's API tokens. */
import { contactUrl } from "./connection.ts";
import { ALL_FLAG, LIMIT_FLAG, pageOf, take } from "./pagination.ts";
import { scopeOf } from "./login.ts";
import { type Noun, verb } from "./verb-declaration.ts";
import { print, remark, showChanges, showJson, showList } from "./output.ts";
import { CREDENTIALS, mintToken } from "./create-token.ts";
import { DAY } from "#lib/base/time.ts";
import { plain } from "./text.ts";
import { readSpan } from "./times.ts";

export const tokensNoun: Noun = {
  name: "tokens",
  summary: "Your tokens: what opens the API in your name",
  verbs: [
    verb({
      name: "list",
      summary: "List your tokens that are not revoked",
      flags: { limit: LIMIT_FLAG, all: ALL_FLAG },
      examples: ["tokens list", "tokens list --json=id,name,lastUsedAt"],
      async run(cli, { flags }) {
        showList(cli, await take(cli.api.listTokens({ limit: pageOf(flags) }), flags), [
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
    verb({
      name: "create",
      summary: "Make a token, and print it, once",
      words: ["NAME"],
      flags: {
        ...CREDENTIALS,
        scope: { type: "string", value: "cli|provisioning|readonly", help: "what it may" },
        expires: { type: "string", value: "SPAN", help: "how long it lasts, such as 7d; for ever when absent" },
      },
      more: "A token can make no other: your password is asked for.",
      examples: ["tokens create 'nightly report' --scope readonly --expires 7d"],
      async run(cli, { words: [name], flags: { scope, expires, ...credentials } }) {
        const expiresAt = expires === undefined ? null : spanFromNow(expires);
        const wish = { name: name!, scope: scopeOf(scope), expiresAt };
        await mintToken(cli, { ...credentials, url: contactUrl(cli), wish }, async (minted) => {
          if (cli.json) return showJson(cli, minted);
          print(`${plain(minted.token)}\n`);
          remark(cli, `Token ${minted.id}; it is shown this once`);
        });
      },
    }),
    verb({
      name: "revoke",
      summary: "Revoke tokens: from then on they open nothing",
      words: ["TOKEN..."],
      examples: ["tokens revoke tok_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words }) {
        for (const tokenId of words) await cli.api.deleteToken({ tokenId });
        const revoked = words.map((id) => ({ id }));
        showChanges(cli, revoked, ({ id }) => `Token ${id} is revoked`);
      },
    }),
  ],
};

function spanFromNow(text: string): string {
  const days = /^(\d{1,4})d$/.exec(text)?.[1]; // `readSpan` allows 24 days at most
  return new Date(Date.now() + (days ? Number(days) * DAY : readSpan("--expires", text))).toISOString();
}
