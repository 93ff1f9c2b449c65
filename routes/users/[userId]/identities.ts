import { DELETE as unlink } from "#routes/api/users/[userId]/identities/[identityId].ts";
import { formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Unlink a user's identity at a provider",
  body: formSchema("identity"),
  async submit({ callApi, params, body: { identity } }) {
    await callApi(unlink, { params: { userId: params.userId!, identityId: identity } });
    return { to: `/users/${params.userId}?done=unlinked` };
  },
});
