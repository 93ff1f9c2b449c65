import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperation } from "#routes/api/operations/[operationId].ts";
import { GET as getBackups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { DELETE as removeSpoke, GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { requireTypedSlug } from "#lib/portal/components/forms.ts";
import { destroySpokeView } from "#lib/portal/spokes/destroy.ts";
import { loadSpokePage, requireHubManager } from "#lib/portal/spokes/spoke-page.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the removal of a spoke",
  async show(call, submission) {
    const { callApi } = call, spokePage = requireHubManager(await loadSpokePage(call, getSpoke, getHub));
    const { operation } = spokePage.spoke;
    const removal = operation && await callApi(getOperation, { params: { operationId: operation.id } });
    const backups = await callApi(getBackups, { query: { includeRemoved: "true" } });
    return destroySpokeView({ spokePage, backups, removal, submission });
  },
  form: {
    summary: "Remove a spoke",
    body: formSchema("slug", "abandon"),
    async submit({ callApi, body: { slug, abandon } }) {
      const spoke = await callApi(getSpoke), isRetry = spoke.state === "removing" && !abandon;
      if (!isRetry) requireTypedSlug(spoke.slug, slug, "the slug of this spoke");
      const { state } = await callApi(removeSpoke, { query: { abandon: abandon ? "true" : undefined } });
      return { to: `/spokes/${spoke.id}?done=${state === "removed" ? "removed" : "removing"}` };
    },
  },
});
