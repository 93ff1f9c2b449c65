import { GET as getTokens } from "#routes/api/auth/tokens/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { findNamedHubs, tokensView } from "#lib/portal/people/tokens.ts";

export const GET = portalPage({
  summary: "Your API tokens",
  async show({ callApi, now }) {
    const { items } = await callApi(getTokens);
    const slugs = await Promise.all(
      findNamedHubs(items).map(async (federationId) => {
        const hub = await callApi(getHub, { params: { federationId } }).catch(() => null); // removed, or no longer visible
        return hub ? [[federationId, hub.slug] as const] : [];
      }),
    );
    return tokensView(items, await now(), new Map(slugs.flat()));
  },
});
