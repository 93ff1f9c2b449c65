import { DELETE as revoke } from "#routes/api/auth/tokens/[tokenId].ts";
import { GET as getTokens } from "#routes/api/auth/tokens/index.ts";
import { formAction, portalPage } from "#lib/portal/page/page.ts";
import { requireToken, revokeTokenView } from "#lib/portal/people/tokens.ts";

export const GET = portalPage({
  summary: "Confirm the revocation of an API token",
  show: async ({ callApi, params }) => revokeTokenView(requireToken((await callApi(getTokens)).items, params)),
});

export const POST = formAction({
  summary: "Revoke an API token",
  async submit({ callApi }) {
    await callApi(revoke);
    return { to: "/tokens?done=revoked" };
  },
});
