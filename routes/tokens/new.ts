/** Creates an API token and shows it once. */
import { POST as create } from "#routes/api/auth/tokens/index.ts";
import { fields, formAction, page } from "#lib/portal/page/page.ts";
import { createdTokenView, expiryOf, newTokenView } from "#lib/portal/people/tokens.ts";

export const GET = page({
  summary: "The form that creates an API token",
  show: () => newTokenView(),
});

export const POST = formAction({
  summary: "Create an API token and show it once",
  body: fields("name", "scope", "expiresAt"),
  async submit({ callApi, now, publicUrl, body: { name, scope, expiresAt: chosen } }) {
    const expiresAt = expiryOf(chosen, await now());
    return createdTokenView(await callApi(create, { body: { name, scope, expiresAt } }), publicUrl);
  },
  onRefusal: (_, submission) => newTokenView(submission),
});
