import { POST as signup } from "#routes/api/auth/signup.ts";
import { publicForm, publicPage } from "#lib/portal/sign-in/public-page.ts";
import { signUpClosedPage, signUpPage } from "#lib/portal/sign-in/sign-in.ts";
import { formSchema, optionalQuerySchema } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The form for creating an account",
  query: optionalQuerySchema("next"),
  show: ({ signup }) => signup ? signUpPage(null) : signUpClosedPage(),
});

export const POST = publicForm({
  summary: "Create an account",
  rateLimitMessage: signup.rateLimitMessage,
  body: formSchema("displayName", "email", "password"),
  async submit({ callApi, input: { displayName, email, password } }) {
    const { message } = await callApi(signup, { body: { email, password, displayName: displayName || undefined } });
    return signUpPage(`${message}.`);
  },
  onRefusal: (_, submission) => signUpPage(null, submission),
});
