import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getBackups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getRequested, POST as requestRestore } from "#routes/api/spokes/[spokeId]/restore-requests.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";
import { backupsView } from "#lib/portal/spokes/backups.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const { GET, POST } = formPage({
  summary: "A spoke's backups and restore requests",
  async show(call, submission) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub);
    const [backups, requests] = await Promise.all([
      call.callApi(getBackups, { query: { includeRemoved: "true" } }),
      spokePage.canManageHub ? call.callApi(getRequested) : null,
    ]);
    return backupsView({ spokePage, backups, requests: requests?.items ?? [] }, submission);
  },
  form: {
    summary: "Request a restore",
    body: formSchema("backupId", "reason", "key"),
    async submit({ callApi, body: { key, ...typed } }) {
      const { spokeId } = await callApi(requestRestore, { body: dropEmptyFields(typed), key });
      return { to: `/spokes/${spokeId}/backups?done=restore-requested` };
    },
  },
});
