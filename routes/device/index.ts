import { POST as find } from "#routes/api/auth/device-sign-ins/find.ts";
import { GET as getHubs } from "#routes/api/federations/index.ts";
import { formAction, formSchema, portalPage } from "#lib/portal/page/page.ts";
import { deviceApprovalView, userCodeView } from "#lib/portal/people/terminal.ts";
import { findHubsToLimit } from "#lib/portal/people/token-fields.ts";

export const GET = portalPage({
  summary: "The form for the code that a terminal shows, to sign in there",
  show: () => userCodeView(),
});

export const POST = formAction({
  summary: "Show the sign-in from a terminal that has this code",
  rateLimitMessage: "too many login attempts",
  body: formSchema("userCode"),
  async submit({ callApi, me, body: { userCode } }) {
    const signIn = await callApi(find, { body: { userCode } });
    const hubs = await findHubsToLimit((query) => callApi(getHubs, { query }), undefined);
    return deviceApprovalView(signIn, userCode, { hubs, email: me.email, values: { scope: signIn.scope } });
  },
  onRefusal: (_, submission) => userCodeView(submission),
});
