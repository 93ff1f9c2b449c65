/** What one is told of. */
import { POST as markRead } from "#routes/api/notifications/[notificationId]/read.ts";
import { GET as notifications } from "#routes/api/notifications/index.ts";
import { withQuery } from "#lib/portal/components/parts.ts";
import { asks, deed, fields, page } from "#lib/portal/page/page.ts";
import { NOTIFICATIONS_A_PAGE, notificationsView } from "#lib/portal/audit/notifications.ts";

const query = asks("show", "before");

export const GET = page({
  summary: "Your notifications, newest first, all or those that are unread",
  query,
  async show({ ask, me, query }) {
    const { show, before } = query, limit = String(NOTIFICATIONS_A_PAGE);
    const { items, next } = await ask(notifications, {
      query: { before, limit, unreadOnly: String(show === "unread") },
    });
    return notificationsView({ me, list: items, next, query });
  },
});

export const POST = deed({
  summary: "Mark a notification as read by its button",
  query,
  body: fields("id"),
  async act({ ask, query, body: { id } }) {
    await ask(markRead, { params: { notificationId: id } });
    return { to: withQuery("/notifications", query) };
  },
});
