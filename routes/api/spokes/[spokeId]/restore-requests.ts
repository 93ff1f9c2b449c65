import * as v from "valibot";
import { createRestoreRequest } from "#lib/domains/backups/restore-requests/request.ts";
import { listRestoreRequests } from "#lib/domains/backups/restore-requests/store.ts";
import { NewRestoreRequest, RestoreRequestView } from "#lib/domains/backups/restore-requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";

export const GET = endpoint({
  summary: "Restore requests for a spoke, newest first, with their outcomes",
  access: spokeAccess("restore"),
  scope: "readonly",
  query: v.object({ limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(RestoreRequestView),
  handle: ({ app, actor, spoke, query }) => listRestoreRequests(app.db.rows, actor, { ...query, spokeId: spoke.id }),
});

export const POST = endpoint({
  summary: "Request that an operator restore a spoke from a backup",
  access: spokeAccess("restore"),
  scope: "cli",
  recentSignIn: true,
  body: NewRestoreRequest,
  idempotent: true,
  reply: createdReply(RestoreRequestView, ({ spokeId }) => `/api/spokes/${spokeId}/restore-requests`),
  faults: ["backup_unusable", "restore_requested", "too_many_pending"],
  handle: ({ app, actor, spoke, body, idempotency }) => createRestoreRequest(app, actor, spoke, body, idempotency),
});
