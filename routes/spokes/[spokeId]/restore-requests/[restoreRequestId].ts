import { POST as decide } from "#routes/api/restore-requests/[restoreRequestId]/decide.ts";
import { formAction, formFields, nonEmptyFields } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Decide a restore request",
  body: formFields("state", "declineReason"),
  async submit({ callApi, params: { spokeId }, body }) {
    const { state } = await callApi(decide, { body: nonEmptyFields(body) });
    return { to: `/spokes/${spokeId}/backups?done=restore-${state}` };
  },
});
