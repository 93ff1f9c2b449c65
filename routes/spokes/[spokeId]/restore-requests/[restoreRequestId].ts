import { POST as decide } from "#routes/api/restore-requests/[restoreRequestId]/decide.ts";
import { formAction, formSchema, nonEmptyFields } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Mark a restore request as done, or decline the request",
  body: formSchema("state", "declineReason"),
  async submit({ callApi, params: { spokeId }, body }) {
    const { state } = await callApi(decide, { body: nonEmptyFields(body) });
    return { to: `/spokes/${spokeId}/backups?done=restore-${state}` };
  },
});
