import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { markNotificationAsRead, notificationAccess } from "#lib/domains/notifications/read.ts";
import { NotificationView } from "#lib/domains/notifications/views.ts";

export const POST = endpoint({
  summary: "Mark a notification as read. Repeating the request changes nothing",
  access: notificationAccess,
  scope: "cli",
  params: v.object({ notificationId: v.string() }),
  reply: okReply(NotificationView),
  faults: ["notification_missing"],
  handle: ({ app, actor, params }) => markNotificationAsRead(app.db, actor, params.notificationId),
});
