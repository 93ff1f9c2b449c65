import { PATCH as updateWebhook } from "#routes/api/webhooks/[webhookId]/index.ts";
import { POST as rotateSecret } from "#routes/api/webhooks/[webhookId]/rotate-secret.ts";
import { POST as sendTest } from "#routes/api/webhooks/[webhookId]/test.ts";
import { Fault } from "#lib/base/errors.ts";
import { formAction } from "#lib/portal/page/page.ts";
import { webhookSecretView } from "#lib/portal/webhooks/list.ts";

export const POST = formAction({
  summary: "Test, enable or disable a webhook, or give it a new secret",
  async submit({ callApi, params: { webhookId, change } }) {
    const back = (done: string) => ({ to: `/webhooks/${webhookId}?done=${done}` });
    switch (change) {
      case "test":
        await callApi(sendTest);
        return back("tested");
      case "rotate":
        return webhookSecretView(await callApi(rotateSecret));
      case "enable":
      case "disable":
        await callApi(updateWebhook, { body: { state: change === "enable" ? "active" : "disabled" } });
        return back("changed");
      default:
        throw new Fault("missing", "no_route", "No such action");
    }
  },
});
