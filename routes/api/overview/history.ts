import { signedInAccess } from "#lib/domains/auth/access.ts";
import { showHistory } from "#lib/domains/history/show.ts";
import { HistoryQuery, HistoryView } from "#lib/domains/history/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The last days of the hubs and spokes that you can see: installations and their duration, failures by " +
    "cause, queue time and used storage. Durations are accurate to about 5%",
  access: signedInAccess,
  scope: "readonly",
  query: HistoryQuery,
  reply: okReply(HistoryView),
  faults: ["federation_missing"],
  handle: ({ app, actor, query }) => showHistory(app.db.rows, actor, query),
});
