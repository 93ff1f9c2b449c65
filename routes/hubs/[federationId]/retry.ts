/** Has a hub made that could not be made before. */
import { POST as act } from "#routes/api/federations/[federationId]/actions.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Try again to make a hub, by a button",
  async act({ ask }) {
    const { id } = await ask(act, { body: { action: "retry" } });
    return { to: `/hubs/${id}?done=asked` };
  },
});
