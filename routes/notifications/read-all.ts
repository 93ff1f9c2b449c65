/** All that one is told of is read. */
import { POST as readAll } from "#routes/api/notifications/read-all.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Mark all notifications as read by a button",
  async act({ ask }) {
    await ask(readAll);
    return { to: "/notifications?done=read" };
  },
});
