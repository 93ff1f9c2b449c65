import * as v from "valibot";
import { GET as getAudit } from "#routes/api/audit.ts";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createApiCaller } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema } from "#lib/portal/page/page.ts";
import { renderRefusalPage } from "#lib/portal/page/refusal-page.ts";
import { buildAuditQuery } from "#lib/portal/audit/audit.ts";
import { auditExportReply, collectAuditEvents, EXPORT_PAGE_SIZE, ExportFormat } from "#lib/portal/audit/export.ts";

export const GET = endpoint({
  summary: "The results of an audit log search, as a file",
  access: operatorAccess,
  scope: "session",
  portal: true,
  query: v.object({
    ...optionalQuerySchema("kind", "actor", "federationId", "objectType", "objectId", "until").entries,
    format: ExportFormat,
  }),
  reply: auditExportReply,
  errorPage: renderRefusalPage,
  handle(call) {
    const { format, ...filters } = call.query, callApi = createApiCaller(call), limit = String(EXPORT_PAGE_SIZE);
    return collectAuditEvents(
      format,
      (before) => callApi(getAudit, { query: { ...buildAuditQuery(filters, before), limit } }),
    );
  },
});
