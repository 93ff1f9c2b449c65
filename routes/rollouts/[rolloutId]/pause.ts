import { POST as pause } from "#routes/api/rollouts/[rolloutId]/pause.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Pause a rollout",
  async submit({ callApi }) {
    const { id } = await callApi(pause);
    return { to: `/rollouts/${id}?done=rollout-pause` };
  },
});
