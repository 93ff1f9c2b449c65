import { GET as getWebhooks, POST as createWebhook } from "#routes/api/webhooks/index.ts";
import { formPage, openFormSchema } from "#lib/portal/page/page.ts";
import { parseWebhookForm, WEBHOOK_FIELDS } from "#lib/portal/webhooks/fields.ts";
import { webhookSecretView, webhooksView } from "#lib/portal/webhooks/list.ts";

export const { GET, POST } = formPage({
  summary: "The webhooks that get the events of all hubs",
  show: async ({ callApi }, submission) =>
    webhooksView({ hub: null, webhooks: (await callApi(getWebhooks)).items, submission }),
  form: {
    summary: "Create a webhook for the events of all hubs and show its secret once",
    body: openFormSchema(...WEBHOOK_FIELDS),
    submit: async ({ callApi, body }) =>
      webhookSecretView(await callApi(createWebhook, { body: parseWebhookForm(body) })),
  },
});
