import { publicAccess } from "#lib/domains/auth/access.ts";
import { signOut } from "#lib/domains/auth/login.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, noContentReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "End your session. Without a session, nothing happens",
  access: publicAccess,
  scope: "flow",
  reply: addCookieHeader(noContentReply),
  handle: async ({ app, actor }) => ({ body: undefined, cookie: await signOut(app, actor) }),
});
