import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getRequest } from "#routes/api/federation-requests/[requestId]/index.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "One request for a new hub, and its outcome",
  async show({ callApi, me }) {
    const [request, catalog] = await Promise.all([callApi(getRequest), callApi(getCatalog)]);
    return requestView({ me, request, catalog });
  },
});
