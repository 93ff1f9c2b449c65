/** Where one changes one's password. */
import { POST as change } from "#routes/api/auth/password.ts";
import { deed, fields, page } from "#lib/portal/page/page.ts";
import { passwordView } from "#lib/portal/people/account.ts";

export const GET = page({
  summary: "The form for another password",
  show: ({ me }) => passwordView(me.email),
});

export const POST = deed({
  summary: "Change your password by its form",
  bucket: change.bucket,
  body: fields("current", "password"),
  async act({ ask, body }) {
    const { cookie } = await ask(change, { body });
    return { to: "/account?done=password", cookie };
  },
  again: ({ me }, tried) => passwordView(me.email, tried),
});
