/** Approve a request for a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { POST as approve } from "#routes/api/federation-requests/[requestId]/approve.ts";
import { GET as request } from "#routes/api/federation-requests/[requestId]/index.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { deed, fields, filled } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Approve a request for a hub by the page's form",
  body: fields("slug", "name", "region", "mode", "tier", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { id } = await ask(approve, { body: filled(typed), key });
    return { to: `/requests/${id}?done=approved` };
  },
  async again({ ask, me }, tried) {
    const [shown, offers] = await Promise.all([ask(request), ask(catalog)]);
    return requestView({ me, request: shown, offers, tried, deciding: "approve" });
  },
});
