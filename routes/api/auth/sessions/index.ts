/** Where the caller is signed in. */
import * as v from "valibot";
import { signedIn } from "#lib/domains/auth/access.ts";
import { listSessions } from "#lib/domains/auth/own-sessions.ts";
import { SessionView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Your sessions: the one that you ask with, if any, then the others, the last used first; 100 at most",
  access: signedIn,
  scope: "readonly",
  reply: ok(v.array(SessionView)),
  handle: ({ app, actor }) => listSessions(app.db.rows, actor),
});
