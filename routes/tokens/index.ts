/** Lists the user's API tokens. */
import { GET as getTokens } from "#routes/api/auth/tokens/index.ts";
import { page } from "#lib/portal/page/page.ts";
import { tokensView } from "#lib/portal/people/tokens.ts";

export const GET = page({
  summary: "Your API tokens",
  show: async ({ callApi, now }) => tokensView((await callApi(getTokens)).items, await now()),
});
