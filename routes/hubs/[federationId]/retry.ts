import { POST as runAction } from "#routes/api/federations/[federationId]/actions.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Retry the provisioning of a hub",
  async submit({ callApi }) {
    const { id } = await callApi(runAction, { body: { action: "retry" } });
    return { to: `/hubs/${id}?done=asked` };
  },
});
