/** The audit log. */
import * as v from "valibot";
import { readAudit } from "#lib/audit/store.ts";
import { AuditEventView } from "#lib/audit/views.ts";
import { operator } from "#lib/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { Before, limit, text } from "#lib/schema.ts";

const word = v.optional(text(1, 100));

export const GET = endpoint({
  summary: "The audit log, newest first; each filter narrows it",
  access: operator,
  scope: "readonly",
  query: v.object({
    kind: word,
    /** The id of a user, or "system". */
    actor: word,
    objectType: word,
    objectId: word,
    federationId: word,
    limit: limit(25),
    before: v.optional(Before),
  }),
  reply: ok(v.array(AuditEventView)),
  handle: ({ app, query }) => readAudit(app.db.rows, { ...query, actorId: query.actor }, query),
});
