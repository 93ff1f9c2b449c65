/** Who the caller is. */
import { signedIn } from "#lib/auth/access.ts";
import { MeView } from "#lib/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { showUser } from "#lib/users/views.ts";

export const GET = endpoint({
  summary: "The user that your token or session stands for",
  access: signedIn,
  scope: "readonly",
  reply: ok(MeView),
  handle: ({ actor }) => ({ user: showUser({ ...actor, id: actor.userId }) }),
});
