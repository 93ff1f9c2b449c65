/** Where one says that one has forgotten the password. */
import { POST as forgotPassword } from "#routes/api/auth/forgot-password.ts";
import { door, entry } from "#lib/portal/sign-in/door.ts";
import { forgotPage } from "#lib/portal/sign-in/sign-in.ts";
import { asks, fields } from "#lib/portal/page/page.ts";

export const GET = door({
  summary: "Where one has a link mailed that sets a new password",
  query: asks("next"),
  show: () => forgotPage(null),
});

export const POST = entry({
  summary: "Have the link mailed by the page's form",
  bucket: forgotPassword.bucket,
  body: fields("email"),
  async act({ ask, given: { email } }) {
    await ask(forgotPassword, { body: { email } });
    return forgotPage(email);
  },
  again: (_, tried) => forgotPage(null, tried),
});
