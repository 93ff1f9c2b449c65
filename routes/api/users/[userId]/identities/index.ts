import * as v from "valibot";
import { userAccess } from "#lib/domains/auth/accounts.ts";
import { listIdentities } from "#lib/domains/auth/providers/identities.ts";
import { IdentityView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The identities at providers with which a user signs in, oldest first",
  access: userAccess,
  scope: "readonly",
  reply: okReply(v.array(IdentityView)),
  faults: ["user_missing"],
  handle: ({ app, user }) => listIdentities(app.db.rows, user.id),
});
