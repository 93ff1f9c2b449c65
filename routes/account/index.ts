/** One's own account. */
import { PATCH as change } from "#routes/api/auth/me.ts";
import { GET as sessions } from "#routes/api/auth/sessions/index.ts";
import { GET as onboarding } from "#routes/api/onboarding/index.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { accountView } from "#lib/portal/people/account.ts";

export const GET = page({
  summary: "Your account, and where you are signed in",
  show: (call) => show(call),
});

export const POST = deed({
  summary: "Change your name by its form",
  body: fields("displayName"),
  async act({ ask, me, body }) {
    await ask(change, { body });
    return { to: `/account?done=${body.displayName.trim() === me.displayName ? "unchanged" : "changed"}` };
  },
  again: show,
});

async function show<Q, B>({ ask, me }: PageCall<Q, B>, tried?: Tried) {
  const { onboardedAt } = await ask(onboarding);
  return accountView({ me, sessions: await ask(sessions), onboarded: onboardedAt !== null }, tried);
}
