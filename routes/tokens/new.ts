import { POST as create } from "#routes/api/auth/tokens/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { createdTokenView, newTokenView, parseTokenExpiry } from "#lib/portal/people/tokens.ts";

export const { GET, POST } = formPage({
  summary: "The form for creating an API token",
  show: (_, submission) => newTokenView(submission),
  form: {
    summary: "Create an API token and show it once",
    body: formSchema("name", "scope", "expiresAt"),
    async submit({ callApi, now, publicUrl, body: { name, scope, expiresAt: chosen } }) {
      const expiresAt = parseTokenExpiry(chosen, await now());
      return createdTokenView(await callApi(create, { body: { name, scope, expiresAt } }), publicUrl);
    },
  },
});
