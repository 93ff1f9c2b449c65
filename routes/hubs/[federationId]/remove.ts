import { DELETE as removeHub, GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { hubRemovalView } from "#lib/portal/hubs/settings.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

async function show({ callApi, actor }: Pick<PageContext, "callApi" | "actor">, submission?: RefusedSubmission) {
  requireOperator(actor);
  const [hub, living] = await Promise.all([callApi(getHub), callApi(getSpokes, { query: { limit: "20" } })]);
  return hubRemovalView({ hub, spokes: living.items, submission });
}

export const GET = portalPage({ summary: "Confirm the removal of a hub", show: (call) => show(call) });

export const POST = formAction({
  summary: "Remove a hub, or abandon its removal",
  body: formSchema("slug", "abandon"),
  async submit({ callApi, body }) {
    const { id, slug } = await callApi(getHub);
    if (body.slug.trim() !== slug) {
      const message = `must be ${slug}`;
      throw new Fault("invalid", "invalid_input", `slug ${message}`, { fields: { slug: message } });
    }
    const { state } = await callApi(removeHub, { query: { abandon: body.abandon ? "true" : undefined } });
    return { to: state === "removed" ? "/hubs?done=removed" : `/hubs/${id}?done=removing` };
  },
  onRefusal: show,
});
