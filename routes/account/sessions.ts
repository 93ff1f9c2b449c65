import { DELETE as endSession } from "#routes/api/auth/sessions/[sessionId].ts";
import { DELETE as endOtherSessions } from "#routes/api/auth/sessions/others.ts";
import { formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "End one of your sessions, or all except the current one",
  body: formSchema("which"),
  async submit({ callApi, body: { which } }) {
    await (which === "others" ? callApi(endOtherSessions) : callApi(endSession, { params: { sessionId: which } }));
    return { to: "/account?done=ended" };
  },
});
