import { POST as createFactor } from "#routes/api/auth/factors/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { activatePasskeyView, newPasskeyView } from "#lib/portal/people/new-factors.ts";

export const { GET, POST } = formPage({
  summary: "The form for adding a passkey",
  duringEnrolment: true,
  show: (_, submission) => newPasskeyView(submission),
  form: {
    summary: "Begin to add a passkey",
    body: formSchema("name"),
    submit: async ({ callApi, body: { name } }) =>
      activatePasskeyView(await callApi(createFactor, { body: { kind: "passkey", name } })),
  },
});
