import { GET as getTokens } from "#routes/api/auth/tokens/index.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { tokensView } from "#lib/portal/people/tokens.ts";

export const GET = portalPage({
  summary: "Your API tokens",
  show: async ({ callApi, now }) => tokensView((await callApi(getTokens)).items, await now()),
});
