/** Requests for hubs. */
import { GET as requests } from "#routes/api/federation-requests/index.ts";
import { GET as restores } from "#routes/api/restore-requests/index.ts";
import { REQUESTS_A_PAGE, requestsView } from "#lib/portal/requests/list.ts";
import { asks, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "Requests for hubs: your own, and for operators all",
  query: asks("state", "before"),
  async show({ ask, me, query: { before, state } }) {
    const limit = String(REQUESTS_A_PAGE), isFirst = before === undefined && me.role === "operator";
    const [found, open] = await Promise.all([
      ask(requests, { query: { state, before, limit } }),
      isFirst ? ask(restores, { query: { state: "open", limit } }) : null,
    ]);
    return requestsView({ me, requests: found.items, next: found.next, restores: open?.items ?? [], query: { state } });
  },
});
