import { POST as redeliver } from "#routes/api/webhooks/[webhookId]/deliveries/[deliveryId]/redeliver.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Send a message of a webhook again",
  async submit({ callApi, params }) {
    await callApi(redeliver);
    return { to: `/webhooks/${params.webhookId}?done=tested` };
  },
});
