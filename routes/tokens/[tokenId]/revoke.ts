/** Where one revokes an API token. */
import { DELETE as revoke } from "#routes/api/auth/tokens/[tokenId].ts";
import { GET as tokens } from "#routes/api/auth/tokens/index.ts";
import { deed, page } from "#lib/portal/page/page.ts";
import { revokeTokenView, tokenOf } from "#lib/portal/people/tokens.ts";

export const GET = page({
  summary: "What it means to revoke an API token",
  show: async ({ ask, params }) => revokeTokenView(tokenOf((await ask(tokens)).items, params)),
});

export const POST = deed({
  summary: "Revoke an API token by a button",
  async act({ ask }) {
    await ask(revoke);
    return { to: "/tokens?done=revoked" };
  },
});
