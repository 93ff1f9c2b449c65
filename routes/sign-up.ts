/** Where one makes an account for oneself, where that is open to people. */
import { POST as signup } from "#routes/api/auth/signup.ts";
import { door, entry } from "#lib/portal/sign-in/door.ts";
import { closedPage, signUpPage } from "#lib/portal/sign-in/sign-in.ts";
import { asks, fields } from "#lib/portal/page/page.ts";

export const GET = door({
  summary: "Where one makes an account for oneself",
  query: asks("next"),
  show: ({ signup }) => signup ? signUpPage(null) : closedPage(),
});

export const POST = entry({
  summary: "Make an account by the page's form",
  bucket: signup.bucket,
  body: fields("displayName", "email", "password"),
  async act({ ask, given: { displayName, email, password } }) {
    const { message } = await ask(signup, { body: { email, password, displayName: displayName || undefined } });
    return signUpPage(`${message}.`);
  },
  again: (_, tried) => signUpPage(null, tried),
});
