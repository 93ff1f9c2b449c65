/** Where an operator invites somebody. */
import { POST as invite } from "#routes/api/federations/[federationId]/members/index.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as hubs } from "#routes/api/federations/index.ts";
import { GET as users } from "#routes/api/users/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { ifAllowed } from "#lib/portal/page/ask.ts";
import { BROUGHT_IN } from "#lib/portal/components/said.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { inviteView } from "#lib/portal/people/users.ts";

const MOST = 100; // of hubs to choose from: a page of the API

export const GET = page({
  summary: "The form to invite somebody, for operators",
  show: (call) => form(call),
});

export const POST = deed({
  summary: "Invite somebody to a hub by its form",
  body: fields("email", "displayName", "federationId"),
  async act({ ask, body: { email, displayName, federationId } }) {
    if (!await ifAllowed(ask(hub, { params: { federationId } }))) throw noSuchHub();
    const body = { email, displayName: displayName.trim() || undefined };
    const { userId, status } = await ask(invite, { params: { federationId }, body });
    return { to: `/users/${userId}?done=${BROUGHT_IN[status]}` };
  },
  again: form,
});

async function form<Q, B>({ ask }: PageCall<Q, B>, tried?: Tried) {
  await ask(users, { query: { limit: "1" } }); // for operators, as what it leads to
  const { items, next } = await ask(hubs, { query: { limit: String(MOST) } });
  return inviteView(next === null ? items : null, tried);
}

function noSuchHub(): Fault {
  const message = "There is no such hub";
  return new Fault("invalid", "invalid_input", message, { fields: { federationId: message } });
}
