import { GET as getAudit } from "#routes/api/audit.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { AUDIT_EVENTS_PER_PAGE, auditView, buildAuditQuery } from "#lib/portal/audit/audit.ts";

export const GET = portalPage({
  summary: "The audit log with a search form, for operators",
  query: optionalQuerySchema("kind", "actor", "federationId", "objectType", "objectId", "until", "before"),
  async show({ callApi, query: { before, ...filters } }) {
    const events = await callApi(getAudit, {
      query: { ...buildAuditQuery(filters, before), limit: String(AUDIT_EVENTS_PER_PAGE) },
    });
    return auditView({ events, filters });
  },
});
