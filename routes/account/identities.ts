import { DELETE as unlink } from "#routes/api/auth/identities/[identityId].ts";
import { formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Unlink an identity with which you sign in at a provider",
  body: formSchema("identity"),
  async submit({ callApi, body: { identity } }) {
    await callApi(unlink, { params: { identityId: identity } });
    return { to: "/account?done=unlinked" };
  },
});
