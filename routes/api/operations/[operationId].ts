import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { OperationDetail } from "#lib/jobs/operation.ts";
import { operationAccess, showOperation } from "#lib/domains/operations/show.ts";

export const GET = endpoint({
  summary: "One operation: its progress, the operation it waits for, and why it failed",
  access: operationAccess(),
  scope: "readonly",
  polled: true,
  reply: okReply(OperationDetail),
  handle: ({ app, actor, operation }) => showOperation(app.db.rows, actor, operation),
});
