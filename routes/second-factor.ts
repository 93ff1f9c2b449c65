import { GET as getPending, POST as finish } from "#routes/api/auth/second-factor.ts";
import { publicForm, publicPage } from "#lib/portal/sign-in/public-page.ts";
import { parseFactorText } from "#lib/portal/sign-in/factor-field.ts";
import { parsePasskeyText } from "#lib/portal/sign-in/passkey-form.ts";
import { secondFactorPage } from "#lib/portal/sign-in/second-factor.ts";
import { signInPage } from "#lib/portal/sign-in/sign-in.ts";
import { formSchema, optionalQuerySchema } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The form for the second factor of a sign-in",
  query: optionalQuerySchema("next"),
  show: async ({ callApi, next }) => secondFactorPage({ email: (await callApi(getPending)).email, next }),
});

export const POST = publicForm({
  summary: "Finish a sign-in with the second factor",
  rateLimitMessage: undefined,
  body: formSchema("factor", "passkey", "email", "next"),
  async submit({ callApi, input: { factor, passkey }, next }) {
    const body = passkey === "" ? parseFactorText(factor) : { passkey: parsePasskeyText(passkey) };
    const { cookie } = await callApi(finish, { body });
    return { to: next, cookie };
  },
  onRefusal: ({ input, next, signup, methods }, submission, code) =>
    code === "sign_in_expired"
      ? signInPage({ next, signup, methods, submission })
      : secondFactorPage({ email: input.email, next, submission }),
});
