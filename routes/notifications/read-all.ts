import { POST as readAll } from "#routes/api/notifications/read-all.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Mark all notifications as read",
  async submit({ callApi }) {
    await callApi(readAll);
    return { to: "/notifications?done=read" };
  },
});
