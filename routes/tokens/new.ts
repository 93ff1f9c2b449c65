import { POST as create } from "#routes/api/auth/tokens/index.ts";
import { formAction, formSchema, portalPage } from "#lib/portal/page/page.ts";
import { createdTokenView, newTokenView, parseTokenExpiry } from "#lib/portal/people/tokens.ts";

export const GET = portalPage({
  summary: "The form for creating an API token",
  show: () => newTokenView(),
});

export const POST = formAction({
  summary: "Create an API token and show it once",
  body: formSchema("name", "scope", "expiresAt"),
  async submit({ callApi, now, publicUrl, body: { name, scope, expiresAt: chosen } }) {
    const expiresAt = parseTokenExpiry(chosen, await now());
    return createdTokenView(await callApi(create, { body: { name, scope, expiresAt } }), publicUrl);
  },
  onRefusal: (_, submission) => newTokenView(submission),
});
