import { DELETE as withdraw } from "#routes/api/federation-requests/[requestId]/index.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Withdraw a request for a new hub",
  async submit({ callApi }) {
    const { id } = await callApi(withdraw);
    return { to: `/requests/${id}?done=withdrawn` };
  },
});
