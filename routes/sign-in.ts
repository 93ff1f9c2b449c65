import { POST as login } from "#routes/api/auth/login.ts";
import { publicForm, publicPage } from "#lib/portal/sign-in/public-page.ts";
import { redirectToSecondFactor } from "#lib/portal/sign-in/second-factor.ts";
import { signInPage } from "#lib/portal/sign-in/sign-in.ts";
import { formSchema, optionalQuerySchema } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The sign-in form. Redirects signed-in users",
  query: optionalQuerySchema("next"),
  show: ({ next, signup, methods }) => signInPage({ next, signup, methods }),
});

export const POST = publicForm({
  summary: "Sign in",
  rateLimitMessage: login.rateLimitMessage,
  body: formSchema("email", "password", "next"),
  async submit({ callApi, input: { email, password }, next }) {
    try {
      const { body: { message }, cookie } = await callApi(login, { body: { email, password } });
      return { to: message ? "/account" : next, cookie };
    } catch (error) {
      return redirectToSecondFactor(error, next);
    }
  },
  onRefusal: ({ next, signup, methods }, submission) => signInPage({ next, signup, methods, submission }),
});
