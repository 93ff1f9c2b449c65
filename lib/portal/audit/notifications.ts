/** What somebody is told of: what happened to their hubs and spokes, the newest first. */
import type * as v from "valibot";
import type { NotificationView } from "#lib/domains/notifications/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { badge, empty, linkButton, older, postButton, withQuery } from "#lib/portal/components/parts.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import { eventRow, eventStyle, plainSentence } from "#lib/portal/audit/event.ts";

export const NOTIFICATIONS_A_PAGE = 30;

type Told = v.InferOutput<typeof NotificationView>;

interface NotificationsShown {
  readonly me: Me;
  readonly list: readonly Told[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  readonly query: { readonly show?: string | undefined; readonly before?: string | undefined };
}

const PATH = "/notifications";

export function notificationsView({ me, list, next, query }: NotificationsShown): View {
  const unreadOnly = query.show === "unread";
  return {
    title: "Notifications",
    section: "notifications",
    deeds: me.unread > 0 ? postButton(`${PATH}/read-all`, "Mark all as read") : "",
    tabs: {
      links: [["All", PATH], ["Unread", withQuery(PATH, { show: "unread" })]],
      here: withQuery(PATH, { show: query.show }),
    },
    ...(query.before === undefined && { poll: 10 }),
    style: eventStyle,
    body: markup`<div id="notifications" data-live>${
      list.length === 0
        ? nothing(unreadOnly)
        : markup`<ul class="list happened">${list.map((each) => row(each, me, query))}</ul>`
    }</div>
${older(next && withQuery(PATH, { show: query.show, before: next }))}`,
  };
}

function row(told: Told, { role }: Me, query: NotificationsShown["query"]): Markup {
  const people = role === "operator";
  if (told.read) return eventRow(told, { people });
  const about = plainSentence(told);
  return eventRow(told, {
    people,
    mark: markup`${badge("info", "dot", "Unread")} `,
    beside: postButton(withQuery(PATH, query), "Mark as read", { fields: { id: told.id }, about }),
  });
}

function nothing(unreadOnly: boolean): Markup {
  return unreadOnly
    ? empty(
      "All is read",
      "What happens next to your hubs and spokes stands here.",
      linkButton(["All notifications", PATH]),
    )
    : empty(
      "Nothing has happened yet",
      "When a spoke is ready, an operation fails or a payment is overdue, it stands here.",
      linkButton(["To your hubs", "/hubs"]),
    );
}
