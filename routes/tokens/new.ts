import { GET as getHubs } from "#routes/api/federations/index.ts";
import { POST as create } from "#routes/api/auth/tokens/index.ts";
import { formPage, openFormSchema, type PageContext } from "#lib/portal/page/page.ts";
import { findHubsToLimit, parseHubLimit, parseTokenExpiry, TOKEN_FIELDS } from "#lib/portal/people/token-fields.ts";
import { createdTokenView, newTokenView } from "#lib/portal/people/tokens.ts";

export const { GET, POST } = formPage({
  summary: "The form for creating an API token",
  show: async (call, submission) => newTokenView({ hubs: await findHubs(call, submission?.values.q), submission }),
  form: {
    summary: "Create an API token and show it once, or search hubs for the form",
    body: openFormSchema("name", ...TOKEN_FIELDS),
    async submit(call) {
      const { callApi, now, publicUrl, body } = call, { name, scope, search, q } = body;
      if (search) return newTokenView({ hubs: await findHubs(call, q), values: body });
      const expiresAt = parseTokenExpiry(body, await now()), federationIds = parseHubLimit(body);
      const created = await callApi(create, { body: { name, scope, expiresAt, federationIds } });
      return createdTokenView(created, publicUrl);
    },
  },
});

async function findHubs({ callApi }: Pick<PageContext, "callApi">, q: string | undefined) {
  return await findHubsToLimit((query) => callApi(getHubs, { query }), q);
}
