import { POST as runAction } from "#routes/api/spokes/[spokeId]/actions.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Retry a spoke's failed operation",
  async submit({ callApi, params }) {
    await callApi(runAction, { body: { action: "retry" } });
    return { to: `/spokes/${params.spokeId}?done=asked` };
  },
});
