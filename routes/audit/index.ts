/** The audit log. */
import { GET as audit } from "#routes/api/audit.ts";
import { asks, page } from "#lib/portal/page/page.ts";
import { AUDIT_A_PAGE, auditQuery, auditView } from "#lib/portal/audit/audit.ts";

export const GET = page({
  summary: "The audit log with its search, for operators",
  query: asks("kind", "actor", "federationId", "objectType", "objectId", "until", "before"),
  async show({ ask, query: { before, ...asked } }) {
    const { items, next } = await ask(audit, { query: { ...auditQuery(asked, before), limit: String(AUDIT_A_PAGE) } });
    return auditView({ events: items, next, asked });
  },
});
