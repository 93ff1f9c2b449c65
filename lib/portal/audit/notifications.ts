/** Renders the current user's notifications, newest first. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type * as v from "valibot";
import type { NotificationView } from "#lib/domains/notifications/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { describeAuditEvent, renderEventRow } from "#lib/portal/audit/event.ts";

export const NOTIFICATIONS_PER_PAGE = 30;

type NotificationItem = v.InferOutput<typeof NotificationView>;

interface NotificationsProps {
  readonly me: CurrentUser;
  readonly list: ListPage<NotificationItem>;
  readonly query: { readonly show?: string | undefined; readonly before?: string | undefined };
}

const PATH = "/notifications";

export function notificationsView({ me, list, query }: NotificationsProps): PageView {
  const unreadOnly = query.show === "unread";
  return {
    title: "Notifications",
    section: "notifications",
    actions: me.unread > 0 ? ui.renderPostButton(`${PATH}/read-all`, "Mark all as read") : "",
    tabs: {
      links: [["All", PATH], ["Unread", ui.appendQuery(PATH, { show: "unread" })]],
      here: ui.appendQuery(PATH, { show: query.show }),
    },
    ...(query.before === undefined && { poll: 10 }),
    body: markup`<div id="notifications" data-live>${
      list.items.length === 0
        ? noNotifications(unreadOnly)
        : markup`<ul class="list event-list">${list.items.map((each) => row(each, me, query))}</ul>`
    }</div>
${ui.nextPageLink(PATH, list.next, { show: query.show })}`,
  };
}

function row(notification: NotificationItem, { role }: CurrentUser, query: NotificationsProps["query"]): Markup {
  const linkUsers = role === "operator";
  if (notification.read) return renderEventRow(notification, { linkUsers });
  const about = describeAuditEvent(notification);
  return renderEventRow(notification, {
    linkUsers,
    badge: markup`${ui.badge("info", "dot", "Unread")} `,
    action: ui.renderPostButton(ui.appendQuery(PATH, query), "Mark as read", {
      fields: { id: notification.id },
      about,
    }),
  });
}

function noNotifications(unreadOnly: boolean): Markup {
  return unreadOnly
    ? ui.emptyState(
      "No unread notifications",
      "New events from your hubs and spokes appear here.",
      ui.linkButton(["All notifications", PATH]),
    )
    : ui.emptyState(
      "No notifications yet",
      "You are notified when a spoke is ready, an operation fails or a payment is overdue.",
      ui.linkButton(["Go to your hubs", "/hubs"]),
    );
}
