import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import { MarkedNotificationCount } from "#lib/domains/notifications/views.ts";

export const POST = endpoint({
  summary: "Mark all your current notifications as read",
  access: signedInAccess,
  scope: "cli",
  reply: okReply(MarkedNotificationCount),
  handle: ({ app, actor }) => markAllNotificationsAsRead(app.db, actor),
});
