/** The audit log, to take along. */
import * as v from "valibot";
import { GET as audit } from "#routes/api/audit.ts";
import { operator } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { asking } from "#lib/portal/page/ask.ts";
import { asks } from "#lib/portal/page/page.ts";
import { refusedPage } from "#lib/portal/page/refused.ts";
import { auditQuery } from "#lib/portal/audit/audit.ts";
import { collectEvents, download, EXPORTED_AT_ONCE, ExportFormat } from "#lib/portal/audit/export.ts";

export const GET = endpoint({
  summary: "What a search of the audit log finds, as a file",
  access: operator,
  scope: "session",
  portal: true,
  query: v.object({
    ...asks("kind", "actor", "federationId", "objectType", "objectId", "until").entries,
    format: ExportFormat,
  }),
  reply: download,
  refusal: refusedPage,
  handle(call) {
    const { format, ...asked } = call.query, ask = asking(call), limit = String(EXPORTED_AT_ONCE);
    return collectEvents(format, (before) => ask(audit, { query: { ...auditQuery(asked, before), limit } }));
  },
});
