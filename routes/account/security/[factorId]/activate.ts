import { POST as activate } from "#routes/api/auth/factors/[factorId]/activate.ts";
import { formAction, formSchema } from "#lib/portal/page/page.ts";
import { activateAppView, refusedPasskeyView } from "#lib/portal/people/new-factors.ts";
import { recoveryCodesView } from "#lib/portal/people/security.ts";
import { parsePasskeyText } from "#lib/portal/sign-in/passkey-form.ts";

export const POST = formAction({
  summary: "Activate an authenticator app or a passkey",
  duringEnrolment: true,
  body: formSchema("code", "passkey", "name", "secret", "uri"),
  async submit({ callApi, body: { code, passkey }, publicUrl }) {
    const input = passkey === "" ? { code } : { passkey: parsePasskeyText(passkey) };
    const { recoveryCodes } = await callApi(activate, { body: input });
    return recoveryCodes ? recoveryCodesView(recoveryCodes, publicUrl.host) : { to: "/account/security?done=factor" };
  },
  onRefusal: ({ params, body: { name, secret, uri } }, submission) =>
    secret === ""
      ? refusedPasskeyView(submission)
      : activateAppView({ id: params.factorId!, name, secret, uri }, submission),
});
