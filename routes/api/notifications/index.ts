import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { NotificationQuery, NotificationView } from "#lib/domains/notifications/views.ts";

export const GET = endpoint({
  summary: "Your notifications, newest first",
  access: signedInAccess,
  scope: "readonly",
  query: NotificationQuery,
  reply: pageReply(NotificationView),
  handle: ({ app, actor, query }) => listNotifications(app.db.rows, actor, query),
});
