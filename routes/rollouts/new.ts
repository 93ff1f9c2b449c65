import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as create } from "#routes/api/rollouts/index.ts";
import { buildRolloutRequest, NEW_ROLLOUT_FIELDS, newRolloutView } from "#lib/portal/rollouts/new-rollout.ts";
import { formAction, formSchema, optionalQuerySchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";

export const GET = portalPage({
  summary: "The form to start a rollout. Query parameters fill in two fields",
  query: optionalQuerySchema("action", "outdated"),
  show: (call) => show(call, call.query),
});

export const POST = formAction({
  summary: "Preview or start a rollout",
  body: formSchema(...NEW_ROLLOUT_FIELDS, "preview", "key"),
  async submit(call) {
    const { preview: isPreview, key, ...values } = call.body, body = buildRolloutRequest(values);
    const result = await call.callApi(create, isPreview ? { body, query: { dryRun: "true" } } : { body, key });
    if ("usual" in result) return { to: `/rollouts/${result.usual.id}?done=rollout` };
    return await show(call, values, { preview: result.other });
  },
  onRefusal: (call, submission) => show(call, call.body, { submission }),
});

type Extras = Pick<Parameters<typeof newRolloutView>[0], "preview"> & { readonly submission?: RefusedSubmission };

async function show({ callApi, me }: PageContext<unknown, unknown>, values: object, extras: Extras = {}) {
  return newRolloutView({ me, catalog: await callApi(getCatalog), values, ...extras });
}
