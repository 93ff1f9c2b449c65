/** Where one signs in. */
import { POST as login } from "#routes/api/auth/login.ts";
import { door, entry } from "#lib/portal/sign-in/door.ts";
import { signInPage } from "#lib/portal/sign-in/sign-in.ts";
import { asks, fields } from "#lib/portal/page/page.ts";

export const GET = door({
  summary: "Where one signs in; who is signed in is led on",
  query: asks("next"),
  show: ({ next, signup }) => signInPage({ next, signup }),
});

export const POST = entry({
  summary: "Sign in by the page's form",
  bucket: login.bucket,
  body: fields("email", "password", "next"),
  async act({ ask, given: { email, password }, next }) {
    const { body: { message }, cookie } = await ask(login, { body: { email, password } });
    return { to: message ? "/account" : next, cookie };
  },
  again: ({ next, signup }, tried) => signInPage({ next, signup, tried }),
});
