import { PATCH as updateAccount } from "#routes/api/auth/me.ts";
import { GET as getSessions } from "#routes/api/auth/sessions/index.ts";
import { GET as getOnboarding } from "#routes/api/onboarding/index.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { accountView } from "#lib/portal/people/account.ts";

export const GET = portalPage({
  summary: "Your account and your sessions",
  show: (call) => show(call),
});

export const POST = formAction({
  summary: "Change your name",
  body: formSchema("displayName"),
  async submit({ callApi, me, body }) {
    await callApi(updateAccount, { body });
    return { to: `/account?done=${body.displayName.trim() === me.displayName ? "unchanged" : "changed"}` };
  },
  onRefusal: show,
});

async function show<Q, B>({ callApi, me }: PageContext<Q, B>, submission?: RefusedSubmission) {
  const { onboardedAt } = await callApi(getOnboarding);
  return accountView({ me, sessions: await callApi(getSessions), onboarded: onboardedAt !== null }, submission);
}
