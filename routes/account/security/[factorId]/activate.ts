import { POST as activate } from "#routes/api/auth/factors/[factorId]/activate.ts";
import { formAction, formSchema } from "#lib/portal/page/page.ts";
import { activateAppView, recoveryCodesView } from "#lib/portal/people/security.ts";

export const POST = formAction({
  summary: "Activate an authenticator app with its first code",
  duringEnrolment: true,
  body: formSchema("code", "name", "secret", "uri"),
  async submit({ callApi, body: { code }, publicUrl }) {
    const { recoveryCodes } = await callApi(activate, { body: { code } });
    return recoveryCodes ? recoveryCodesView(recoveryCodes, publicUrl.host) : { to: "/account/security?done=factor" };
  },
  onRefusal: ({ params, body: { name, secret, uri } }, submission) =>
    activateAppView({ id: params.factorId!, name, secret, uri }, submission),
});
