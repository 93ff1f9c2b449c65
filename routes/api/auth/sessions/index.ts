/** Where the caller is signed in. */
import * as v from "valibot";
import { signedIn } from "#lib/auth/access.ts";
import { listSessions } from "#lib/auth/own-sessions.ts";
import { SessionView } from "#lib/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Your sessions: the one that you ask with, then the others, the last used first; 100 at most",
  access: signedIn,
  scope: "session",
  purpose: "looking at sessions",
  reply: ok(v.array(SessionView)),
  handle: ({ app, actor }) => listSessions(app.db.rows, actor),
});
