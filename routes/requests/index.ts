import { GET as getRequests } from "#routes/api/federation-requests/index.ts";
import { GET as getRestores } from "#routes/api/restore-requests/index.ts";
import { REQUESTS_PER_PAGE, requestsView } from "#lib/portal/requests/request.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "Requests for new hubs. Operators see all requests, other users only their own",
  query: optionalQuerySchema("state", "before"),
  async show({ callApi, me, query: { before, state } }) {
    const limit = String(REQUESTS_PER_PAGE), isFirst = before === undefined && me.role === "operator";
    const [requests, open] = await Promise.all([
      callApi(getRequests, { query: { state, before, limit } }),
      isFirst ? callApi(getRestores, { query: { state: "open", limit } }) : null,
    ]);
    return requestsView({ me, requests, restores: open?.items ?? [], query: { state } });
  },
});
