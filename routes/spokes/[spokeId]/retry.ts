/** Go on with what failed, by the button of a spoke's page. */
import { POST as actions } from "#routes/api/spokes/[spokeId]/actions.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Retry what failed on a spoke, by the page's button",
  async act({ ask, params }) {
    await ask(actions, { body: { action: "retry" } });
    return { to: `/spokes/${params.spokeId}?done=asked` };
  },
});
