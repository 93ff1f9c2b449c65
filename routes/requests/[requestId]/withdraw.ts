/** Takes a request for a hub back. */
import { DELETE as withdraw } from "#routes/api/federation-requests/[requestId]/index.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Withdraw a request for a hub by a button",
  async act({ ask }) {
    const { id } = await ask(withdraw);
    return { to: `/requests/${id}?done=withdrawn` };
  },
});
