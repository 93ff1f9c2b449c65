import { POST as logIn } from "#routes/api/auth/passkey-login.ts";
import { publicForm } from "#lib/portal/sign-in/public-page.ts";
import { parsePasskeyText } from "#lib/portal/sign-in/passkey-form.ts";
import { signInPage } from "#lib/portal/sign-in/sign-in.ts";
import { formSchema } from "#lib/portal/page/page.ts";

export const POST = publicForm({
  summary: "Sign in with a passkey",
  rateLimitMessage: undefined,
  body: formSchema("passkey", "next"),
  async submit({ callApi, input: { passkey }, next }) {
    const { cookie } = await callApi(logIn, { body: { passkey: parsePasskeyText(passkey) } });
    return { to: next, cookie };
  },
  onRefusal: ({ next, signup, methods }, submission) => signInPage({ next, signup, methods, submission }),
});
