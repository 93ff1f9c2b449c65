import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { listIdentities } from "#lib/domains/auth/providers/identities.ts";
import { IdentityView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The identities at providers with which you sign in, oldest first",
  access: signedInAccess,
  scope: "readonly",
  reply: okReply(v.array(IdentityView)),
  handle: ({ app, actor }) => listIdentities(app.db.rows, actor.userId),
});
