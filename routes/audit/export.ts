import * as v from "valibot";
import { GET as getAudit } from "#routes/api/audit.ts";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createApiCaller } from "#lib/portal/page/call-api.ts";
import { queryParams } from "#lib/portal/page/page.ts";
import { renderRefusalPage } from "#lib/portal/page/refusal-page.ts";
import { auditQuery } from "#lib/portal/audit/audit.ts";
import { collectEvents, EXPORT_PAGE_SIZE, ExportFormat, exportReply } from "#lib/portal/audit/export.ts";

export const GET = endpoint({
  summary: "The results of an audit log search, as a file",
  access: operatorAccess,
  scope: "session",
  portal: true,
  query: v.object({
    ...queryParams("kind", "actor", "federationId", "objectType", "objectId", "until").entries,
    format: ExportFormat,
  }),
  reply: exportReply,
  errorPage: renderRefusalPage,
  handle(call) {
    const { format, ...filters } = call.query, callApi = createApiCaller(call), limit = String(EXPORT_PAGE_SIZE);
    return collectEvents(format, (before) => callApi(getAudit, { query: { ...auditQuery(filters, before), limit } }));
  },
});
