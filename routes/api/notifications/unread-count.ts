import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { countUnreadNotifications } from "#lib/domains/notifications/objects.ts";
import { UnreadCount } from "#lib/domains/notifications/views.ts";

export const GET = endpoint({
  summary: "The number of your unread notifications",
  access: signedInAccess,
  scope: "readonly",
  polled: true,
  reply: okReply(UnreadCount),
  handle: ({ app, actor }) => countUnreadNotifications(app.db.rows, actor),
});
