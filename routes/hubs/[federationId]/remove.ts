import { DELETE as removeHub, GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { requireTypedSlug } from "#lib/portal/components/forms.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { hubRemovalView } from "#lib/portal/hubs/settings.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the removal of a hub",
  async show({ callApi, actor }, submission) {
    requireOperator(actor);
    const [hub, living] = await Promise.all([callApi(getHub), callApi(getSpokes, { query: { limit: "20" } })]);
    return hubRemovalView({ hub, spokes: living.items, submission });
  },
  form: {
    summary: "Remove a hub, or abandon its removal",
    body: formSchema("slug", "abandon"),
    async submit({ callApi, body }) {
      const { id, slug } = await callApi(getHub);
      requireTypedSlug(slug, body.slug);
      const { state } = await callApi(removeHub, { query: { abandon: body.abandon ? "true" : undefined } });
      return { to: state === "removed" ? "/hubs?done=removed" : `/hubs/${id}?done=removing` };
    },
  },
});
