/** Renders the current user's notifications, newest first. */
import type * as v from "valibot";
import type { NotificationView } from "#lib/domains/notifications/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import {
  appendQuery,
  badge,
  emptyState,
  linkButton,
  nextPageLink,
  renderPostButton,
} from "#lib/portal/components/parts.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { describeAuditEvent, renderEventRow } from "#lib/portal/audit/event.ts";

export const NOTIFICATIONS_PER_PAGE = 30;

type NotificationItem = v.InferOutput<typeof NotificationView>;

interface NotificationsProps {
  readonly me: CurrentUser;
  readonly list: readonly NotificationItem[];
  /** The cursor for the next page; null on the last page. */
  readonly next: string | null;
  readonly query: { readonly show?: string | undefined; readonly before?: string | undefined };
}

const PATH = "/notifications";

export function notificationsView({ me, list, next, query }: NotificationsProps): PageView {
  const unreadOnly = query.show === "unread";
  return {
    title: "Notifications",
    section: "notifications",
    actions: me.unread > 0 ? renderPostButton(`${PATH}/read-all`, "Mark all as read") : "",
    tabs: {
      links: [["All", PATH], ["Unread", appendQuery(PATH, { show: "unread" })]],
      here: appendQuery(PATH, { show: query.show }),
    },
    ...(query.before === undefined && { poll: 10 }),
    body: markup`<div id="notifications" data-live>${
      list.length === 0
        ? noNotifications(unreadOnly)
        : markup`<ul class="list event-list">${list.map((each) => row(each, me, query))}</ul>`
    }</div>
${nextPageLink(next && appendQuery(PATH, { show: query.show, before: next }))}`,
  };
}

function row(notification: NotificationItem, { role }: CurrentUser, query: NotificationsProps["query"]): Markup {
  const linkUsers = role === "operator";
  if (notification.read) return renderEventRow(notification, { linkUsers });
  const about = describeAuditEvent(notification);
  return renderEventRow(notification, {
    linkUsers,
    badge: markup`${badge("info", "dot", "Unread")} `,
    action: renderPostButton(appendQuery(PATH, query), "Mark as read", { fields: { id: notification.id }, about }),
  });
}

function noNotifications(unreadOnly: boolean): Markup {
  return unreadOnly
    ? emptyState(
      "No unread notifications",
      "New events from your hubs and spokes appear here.",
      linkButton(["All notifications", PATH]),
    )
    : emptyState(
      "No notifications yet",
      "You are notified when a spoke is ready, an operation fails or a payment is overdue.",
      linkButton(["Go to your hubs", "/hubs"]),
    );
}
