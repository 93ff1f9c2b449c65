/** One's own API tokens. */
import { GET as tokens } from "#routes/api/auth/tokens/index.ts";
import { page } from "#lib/portal/page/page.ts";
import { tokensView } from "#lib/portal/people/tokens.ts";

export const GET = page({
  summary: "Your API tokens",
  show: async ({ ask, now }) => tokensView((await ask(tokens)).items, await now()),
});
