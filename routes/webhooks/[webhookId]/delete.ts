import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { DELETE as deleteWebhook, GET as getWebhook } from "#routes/api/webhooks/[webhookId]/index.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import { formAction, portalPage } from "#lib/portal/page/page.ts";
import { listPathOf, webhookDeletionView } from "#lib/portal/webhooks/webhook.ts";

export const GET = portalPage({
  summary: "Confirm the deletion of a webhook",
  async show({ callApi }) {
    const webhook = await callApi(getWebhook), { federationId } = webhook;
    const hub = federationId && await resultIfVisible(callApi(getHub, { params: { federationId } }));
    return webhookDeletionView(webhook, hub || null);
  },
});

export const POST = formAction({
  summary: "Delete a webhook",
  async submit({ callApi }) {
    const path = listPathOf(await callApi(getWebhook));
    await callApi(deleteWebhook);
    return { to: `${path}?done=removed` };
  },
});
