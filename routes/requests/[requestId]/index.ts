/** One request for a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as request } from "#routes/api/federation-requests/[requestId]/index.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "One request for a hub: what is asked for, and what became of it",
  async show({ ask, me }) {
    const [shown, offers] = await Promise.all([ask(request), ask(catalog)]);
    return requestView({ me, request: shown, offers });
  },
});
