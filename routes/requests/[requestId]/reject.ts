/** Reject a request for a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { POST as reject } from "#routes/api/federation-requests/[requestId]/reject.ts";
import { GET as request } from "#routes/api/federation-requests/[requestId]/index.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { deed, fields, filled } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Reject a request for a hub by the page's form",
  body: fields("reason", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { id } = await ask(reject, { body: filled(typed), key });
    return { to: `/requests/${id}?done=rejected` };
  },
  async again({ ask, me }, tried) {
    const [shown, offers] = await Promise.all([ask(request), ask(catalog)]);
    return requestView({ me, request: shown, offers, tried, deciding: "reject" });
  },
});
