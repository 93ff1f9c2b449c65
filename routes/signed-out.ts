import { publicPage } from "#lib/portal/sign-in/public-page.ts";
import { signedOutPage } from "#lib/portal/sign-in/signed-out.ts";
import { optionalQuerySchema } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The page after a sign-out, which continues to the provider at which the session began",
  query: optionalQuerySchema("provider", "next"),
  show: ({ methods, input: { provider } }) => signedOutPage(methods, provider),
});
