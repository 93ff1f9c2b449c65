import { POST as abort } from "#routes/api/rollouts/[rolloutId]/abort.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Abort a rollout",
  async submit({ callApi }) {
    const { id } = await callApi(abort);
    return { to: `/rollouts/${id}?done=rollout-abort` };
  },
});
