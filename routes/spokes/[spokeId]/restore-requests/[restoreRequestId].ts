/** Decides a request for a restore. */
import { POST as decide } from "#routes/api/restore-requests/[restoreRequestId]/decide.ts";
import { deed, fields, filled } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Decide a request for a restore by a button",
  body: fields("state", "declineReason"),
  async act({ ask, params: { spokeId }, body }) {
    const { state } = await ask(decide, { body: filled(body) });
    return { to: `/spokes/${spokeId}/backups?done=restore-${state}` };
  },
});
