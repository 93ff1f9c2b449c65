import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getWebhooks, POST as createWebhook } from "#routes/api/federations/[federationId]/webhooks/index.ts";
import { formPage, openFormSchema } from "#lib/portal/page/page.ts";
import { parseWebhookForm, WEBHOOK_FIELDS } from "#lib/portal/webhooks/fields.ts";
import { webhookSecretView, webhooksView } from "#lib/portal/webhooks/list.ts";

export const { GET, POST } = formPage({
  summary: "The webhooks of a hub",
  async show({ callApi }, submission) {
    const [hub, { items: webhooks }] = await Promise.all([callApi(getHub), callApi(getWebhooks)]);
    return webhooksView({ hub, webhooks, submission });
  },
  form: {
    summary: "Create a webhook of a hub and show its secret once",
    body: openFormSchema(...WEBHOOK_FIELDS),
    submit: async ({ callApi, body }) =>
      webhookSecretView(await callApi(createWebhook, { body: parseWebhookForm(body) })),
  },
});
