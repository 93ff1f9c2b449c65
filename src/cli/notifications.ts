/** Implements `wheelwright notifications`, which lists and counts a user's notifications, and marks them as read. */
import type { Notification as NotificationRecord } from "#lib/client/client.ts";
import { AUDIT_COLUMNS } from "./audit.ts";
import { defineCommand } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { print, showChange, showChanges, showJson } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import { formatCount } from "#lib/base/text.ts";

const [WHEN, EVENT, ...OTHER_COLUMNS] = AUDIT_COLUMNS;

export const notificationsCommands = [
  defineCommand({
    name: "list",
    summary: "List notifications, newest first",
    options: { unread: { type: "boolean", help: "only unread notifications" }, ...PAGE_OPTIONS },
    examples: ["notifications list --unread"],
    run: (cli, { options }) =>
      showPages(cli, options, (limit) => cli.api.listNotifications({ unreadOnly: options.unread, limit }), [
        ["", (one) => one.read ? "" : "new", "state"],
        ...[EVENT!, WHEN!, ...OTHER_COLUMNS],
      ]),
  }),
  defineCommand({
    name: "count",
    summary: "Print the number of unread notifications",
    examples: ["notifications count"],
    async run(cli) {
      const unread = await cli.api.getNotificationsUnreadCount();
      if (cli.json) showJson(cli, unread);
      else print(`${unread.count}\n`);
    },
  }),
  defineCommand({
    name: "read",
    summary: "Mark notifications as read",
    words: ["[NOTIFICATION...]"],
    options: { all: { type: "boolean", help: "mark all notifications" } },
    examples: ["notifications read --all", "notifications read evt_0123456789abcdefghjkmnpqrs"],
    async run(cli, { words, options }) {
      if ((words.length === 0) !== (options.all === true)) {
        throw new UsageError("wheelwright notifications read needs either NOTIFICATION IDs or --all");
      }
      if (options.all) {
        const all = await cli.api.readAllNotifications(), count = all.marked;
        return showChange(cli, all, `${formatCount(count, "notification")} marked as read`, String(count));
      }
      const read: NotificationRecord[] = [];
      for (const notificationId of words) read.push(await cli.api.readNotification({ notificationId }));
      showChanges(cli, read, ({ id }) => `Notification ${id} was marked as read`);
    },
  }),
];
