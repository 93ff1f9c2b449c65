import * as v from "valibot";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { decideRestoreRequest } from "#lib/domains/backups/restore-requests/request.ts";
import { RestoreDecision, RestoreRequestView } from "#lib/domains/backups/restore-requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Mark a restore request as done, or decline it with a reason. " +
    "Restoring the requested backup marks the request as done automatically",
  access: operatorAccess,
  scope: "cli",
  params: v.object({ restoreRequestId: v.string() }),
  body: RestoreDecision,
  idempotent: true,
  reply: okReply(RestoreRequestView),
  faults: ["request_missing", "reason_needed", "reason_unused", "request_decided"],
  handle: ({ app, actor, params, body, idempotency }) =>
    decideRestoreRequest(app, actor, params.restoreRequestId, body, idempotency),
});
