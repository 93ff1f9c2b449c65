/** Exports the audit log. */
import * as v from "valibot";
import { GET as getAudit } from "#routes/api/audit.ts";
import { operator } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createApiCaller } from "#lib/portal/page/call-api.ts";
import { queryParams } from "#lib/portal/page/page.ts";
import { refusalPage } from "#lib/portal/page/refusal-page.ts";
import { auditQuery } from "#lib/portal/audit/audit.ts";
import { collectEvents, download, EXPORT_PAGE_SIZE, ExportFormat } from "#lib/portal/audit/export.ts";

export const GET = endpoint({
  summary: "The results of an audit log search, as a file",
  access: operator,
  scope: "session",
  portal: true,
  query: v.object({
    ...queryParams("kind", "actor", "federationId", "objectType", "objectId", "until").entries,
    format: ExportFormat,
  }),
  reply: download,
  errorPage: refusalPage,
  handle(call) {
    const { format, ...filters } = call.query, callApi = createApiCaller(call), limit = String(EXPORT_PAGE_SIZE);
    return collectEvents(format, (before) => callApi(getAudit, { query: { ...auditQuery(filters, before), limit } }));
  },
});
