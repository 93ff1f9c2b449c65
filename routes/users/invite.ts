import { POST as invite } from "#routes/api/federations/[federationId]/members/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getHubs } from "#routes/api/federations/index.ts";
import { GET as getUsers } from "#routes/api/users/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import { INVITE_FLASH_KEYS } from "#lib/portal/components/flash-messages.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { inviteView } from "#lib/portal/people/users.ts";

const MAX_HUBS = 100; // the maximum number of hubs in the select, read as one page from the API

export const { GET, POST } = formPage({
  summary: "The form for inviting a user, for operators",
  async show({ callApi }, submission) {
    await callApi(getUsers, { query: { limit: "1" } }); // refuses callers who are not operators
    const { items, next } = await callApi(getHubs, { query: { limit: String(MAX_HUBS) } });
    return inviteView(next === null ? items : null, submission);
  },
  form: {
    summary: "Invite a user to a hub",
    body: formSchema("email", "displayName", "federationId"),
    async submit({ callApi, body: { email, displayName, federationId } }) {
      if (!await resultIfVisible(callApi(getHub, { params: { federationId } }))) throw hubNotFound();
      const body = { email, displayName: displayName.trim() || undefined };
      const { userId, status } = await callApi(invite, { params: { federationId }, body });
      return { to: `/users/${userId}?done=${INVITE_FLASH_KEYS[status]}` };
    },
  },
});

function hubNotFound(): Fault {
  const message = "There is no such hub";
  return new Fault("invalid", "invalid_input", message, { fields: { federationId: message } });
}
