import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as runAction } from "#routes/api/spokes/[spokeId]/actions.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { catchRefusal, formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import {
  ACTION_FIELDS,
  type ActionFields,
  actionView,
  buildActionBody,
  defaultActionFields,
  requireActionName,
} from "#lib/portal/spokes/action.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({ summary: "The preview of an action on a spoke", show: (call) => show(call) });

export const POST = formAction({
  summary: "Request an action on a spoke",
  body: formSchema(...ACTION_FIELDS, "preview"),
  async submit(call) {
    const { callApi, body, params } = call;
    if (body.preview) return await show(call, body);
    const { id } = await callApi(getSpoke);
    await callApi(runAction, { body: buildActionBody(requireActionName(params.action), body) });
    return { to: `/spokes/${id}?done=asked` };
  },
  onRefusal: (call, submission) => show(call, call.body, submission),
});

async function show(call: PageContext<unknown, unknown>, form?: ActionFields, refused?: RefusedSubmission) {
  const { callApi, params } = call, spokePage = await loadSpokePage(call, getSpoke, getHub);
  const action = requireActionName(params.action), catalog = await callApi(getCatalog);
  const actionFields = form ?? defaultActionFields(action, spokePage.spoke, catalog);
  const request = callApi(runAction, { query: { dryRun: "true" }, body: buildActionBody(action, actionFields) });
  const { result, submission, blocked } = await catchRefusal(request, { ...actionFields });
  const preview = result && "other" in result ? result.other : null;
  return actionView({
    spokePage,
    action,
    catalog,
    values: actionFields,
    preview,
    submission: refused ?? submission,
    blocked,
  });
}
