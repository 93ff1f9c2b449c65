import { POST as decide } from "#routes/api/restore-requests/[restoreRequestId]/decide.ts";
import { dropEmptyFields, formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Mark a restore request as done, or decline the request",
  body: formSchema("state", "declineReason"),
  async submit({ callApi, params: { spokeId }, body }) {
    const { state } = await callApi(decide, { body: dropEmptyFields(body) });
    return { to: `/spokes/${spokeId}/backups?done=restore-${state}` };
  },
});
