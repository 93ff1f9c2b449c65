import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getDeliveries } from "#routes/api/webhooks/[webhookId]/deliveries/index.ts";
import { GET as getWebhook, PATCH as updateWebhook } from "#routes/api/webhooks/[webhookId]/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import {
  formAction,
  openFormSchema,
  optionalQuerySchema,
  type PageContext,
  portalPage,
} from "#lib/portal/page/page.ts";
import { parseWebhookForm, WEBHOOK_FIELDS } from "#lib/portal/webhooks/fields.ts";
import { webhookView } from "#lib/portal/webhooks/webhook.ts";

export const GET = portalPage({
  summary: "A webhook with its deliveries",
  query: optionalQuerySchema("before"),
  show: (call) => show(call, call.query.before),
});

export const POST = formAction({
  summary: "Change a webhook",
  body: openFormSchema(...WEBHOOK_FIELDS),
  async submit({ callApi, params, body }) {
    const { url, ...change } = parseWebhookForm(body), before = await callApi(getWebhook);
    await callApi(updateWebhook, { body: { ...change, ...(url !== before.url && { url }) } });
    return { to: `/webhooks/${params.webhookId}?done=changed` };
  },
  onRefusal: (call, submission) => show(call, undefined, submission),
});

async function show(
  { callApi }: PageContext<unknown, unknown>,
  before: string | undefined,
  submission?: RefusedSubmission,
) {
  const [webhook, deliveries] = await Promise.all([
    callApi(getWebhook),
    callApi(getDeliveries, { query: { limit: "25", before } }),
  ]);
  const { federationId } = webhook;
  const hub = federationId && await resultIfVisible(callApi(getHub, { params: { federationId } }));
  return webhookView({ webhook, hub: hub || null, deliveries, ...(submission && { submission }) });
}
