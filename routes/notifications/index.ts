import { POST as markRead } from "#routes/api/notifications/[notificationId]/read.ts";
import { GET as getNotifications } from "#routes/api/notifications/index.ts";
import { appendQuery } from "#lib/portal/components/parts.ts";
import { formAction, formSchema, optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { NOTIFICATIONS_PER_PAGE, notificationsView } from "#lib/portal/audit/notifications.ts";

const query = optionalQuerySchema("show", "before");

export const GET = portalPage({
  summary: "All your notifications or only the unread ones, newest first",
  query,
  async show({ callApi, me, query }) {
    const { show, before } = query, limit = String(NOTIFICATIONS_PER_PAGE);
    const list = await callApi(getNotifications, {
      query: { before, limit, unreadOnly: String(show === "unread") },
    });
    return notificationsView({ me, list, query });
  },
});

export const POST = formAction({
  summary: "Mark a notification as read",
  query,
  body: formSchema("id"),
  async submit({ callApi, query, body: { id } }) {
    await callApi(markRead, { params: { notificationId: id } });
    return { to: appendQuery("/notifications", query) };
  },
});
