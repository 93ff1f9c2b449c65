/** Where one signs out elsewhere. */
import { DELETE as end } from "#routes/api/auth/sessions/[sessionId].ts";
import { DELETE as endOthers } from "#routes/api/auth/sessions/others.ts";
import { deed, fields } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "End one of your sessions, or all others, by a button",
  body: fields("which"),
  async act({ ask, body: { which } }) {
    await (which === "others" ? ask(endOthers) : ask(end, { params: { sessionId: which } }));
    return { to: "/account?done=ended" };
  },
});
