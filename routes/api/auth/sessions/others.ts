/** The caller's sessions but for the one that asks. */
import { signedIn } from "#lib/domains/auth/access.ts";
import { endOwnOtherSessions } from "#lib/domains/auth/own-sessions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContent } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "Sign out everywhere else: all your sessions end but this one, with their event streams",
  access: signedIn,
  scope: "session",
  purpose: "ending sessions",
  reply: noContent,
  handle: ({ app, actor }) => endOwnOtherSessions(app, actor),
});
