/** Implements `wheelwright notifications`, which lists and counts a user's notifications, and marks them as read. */
import type { Notification as NotificationRecord } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { AUDIT_COLUMNS } from "./audit-views.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { print, showChange, showChanges, showJson, showList } from "./output.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { formatPlural } from "./text.ts";

export const notificationsCommands: CommandGroup = {
  name: "notifications",
  summary: "Your notifications",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List notifications, newest first",
      flags: {
        unread: { type: "boolean", help: "only unread notifications" },
        limit: LIMIT_FLAG,
        all: ALL_FLAG,
      },
      examples: ["notifications list --unread"],
      async run(cli, { flags }) {
        const list = cli.api.listNotifications({ unreadOnly: flags.unread, limit: computePageSize(flags) });
        const [when, what, ...rest] = AUDIT_COLUMNS;
        showList(cli, await readListItems(list, flags), [
          ["", (one) => one.read ? "" : "new", "state"],
          what!,
          when!,
          ...rest,
        ]);
      },
    }),
    defineVerb({
      name: "count",
      summary: "Print the number of unread notifications",
      examples: ["notifications count"],
      async run(cli) {
        const unread = await cli.api.getNotificationsUnreadCount();
        if (cli.json) showJson(cli, unread);
        else print(`${unread.count}\n`);
      },
    }),
    defineVerb({
      name: "read",
      summary: "Mark notifications as read",
      words: ["[NOTIFICATION...]"],
      flags: { all: { type: "boolean", help: "mark all notifications" } },
      examples: ["notifications read --all", "notifications read evt_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words, flags }) {
        if ((words.length === 0) !== (flags.all === true)) {
          throw new CommandError(EXIT_USAGE, "wheelwright notifications read needs either NOTIFICATION IDs or --all");
        }
        if (flags.all) {
          const marked = await cli.api.readAllNotifications();
          return showChange(
            cli,
            marked,
            `${formatPlural(marked.marked, "notification")} marked as read`,
            String(marked.marked),
          );
        }
        const read: NotificationRecord[] = [];
        for (const notificationId of words) read.push(await cli.api.readNotification({ notificationId }));
        showChanges(cli, read, ({ id }) => `Notification ${id} was marked as read`);
      },
    }),
  ],
};
