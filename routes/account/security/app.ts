import { POST as createFactor } from "#routes/api/auth/factors/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { activateAppView, newAppView } from "#lib/portal/people/new-factors.ts";

export const { GET, POST } = formPage({
  summary: "The form for adding an authenticator app",
  duringEnrolment: true,
  show: (_, submission) => newAppView(submission),
  form: {
    summary: "Add an authenticator app and show its QR code once",
    body: formSchema("name"),
    async submit({ callApi, body: { name } }) {
      const { id, secret, uri } = await callApi(createFactor, { body: { kind: "totp", name } });
      return activateAppView({ id, name, secret: secret!, uri: uri! });
    },
  },
});
