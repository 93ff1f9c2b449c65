import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { listSessions } from "#lib/domains/auth/sessions.ts";
import { SessionView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Your sessions, at most 100: the current one first, then the most recently used",
  access: signedInAccess,
  scope: "readonly",
  reply: okReply(v.array(SessionView)),
  faults: ["token_limited"],
  handle: ({ app, actor }) => listSessions(app.db.rows, actor),
});
