import { POST as decide } from "#routes/api/auth/device-sign-ins/decide.ts";
import { POST as find } from "#routes/api/auth/device-sign-ins/find.ts";
import { GET as getHubs } from "#routes/api/federations/index.ts";
import { formAction, openFormSchema, type PageContext } from "#lib/portal/page/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { decidedView, deviceApprovalView, requireSameSignIn } from "#lib/portal/people/terminal.ts";
import { findHubsToLimit, parseHubLimit, parseTokenExpiry, TOKEN_FIELDS } from "#lib/portal/people/token-fields.ts";

export const POST = formAction({
  summary: "Approve or deny a sign-in from a terminal with a code",
  body: openFormSchema("id", "userCode", ...TOKEN_FIELDS, "deny"),
  async submit(call) {
    const { callApi, now, body } = call, { id, scope } = body;
    if (body.search) return await show(call, body);
    const token = body.deny
      ? { scope: "readonly", approve: false }
      : { scope, expiresAt: parseTokenExpiry(body, await now()), federationIds: parseHubLimit(body), approve: true };
    return decidedView((await callApi(decide, { body: { id, ...token } })).approved);
  },
  onRefusal: (call, submission) => show(call, submission.values, submission),
});

type Call = Pick<PageContext<unknown, unknown>, "callApi" | "me">;

async function show({ callApi, me }: Call, values: Readonly<Record<string, string>>, submission?: RefusedSubmission) {
  const { userCode = "", id = "" } = values;
  const signIn = requireSameSignIn(await callApi(find, { body: { userCode } }), id);
  const hubs = await findHubsToLimit((query) => callApi(getHubs, { query }), values.q);
  return deviceApprovalView(signIn, userCode, { hubs, email: me.email, values, submission });
}
